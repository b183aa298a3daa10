#include "server/http/cors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Request preflight(const std::string& origin) {
    Request request;
    request.method = "OPTIONS";
    request.headers = {{"Origin", origin}, {"Access-Control-Request-Method", "POST"}};
    return request;
}

TEST(Cors, OriginsThatCannotBeReadAreLeftOut) {
    const auto rules = cors_rules("https://a.example, nonsense ,http://localhost:3000");
    ASSERT_TRUE(rules);
    EXPECT_FALSE(rules->any);
    EXPECT_THAT(rules->origins, ElementsAre("https://a.example", "http://localhost:3000"));
    EXPECT_THAT(rules->unreadable, ElementsAre("nonsense"));
    EXPECT_FALSE(cors_rules("nonsense, more"));
}

TEST(Cors, AStarAllowsEveryOriginAndNamesTheAuthorizationHeader) {
    const auto rules = cors_rules("*");
    ASSERT_TRUE(rules);
    const auto request = preflight("https://anywhere.example");
    const auto answer = preflight_answer(*rules, request, true);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200U);
    EXPECT_THAT(std::string(*answer->headers.find("Access-Control-Allow-Headers")), HasSubstr("authorization"));
    EXPECT_EQ(cors_headers(*rules, request).find("Access-Control-Allow-Origin"), "https://anywhere.example");
}

TEST(Cors, AnAuthorizationHeaderIsAllowedOnlyWhereATokenIsAskedFor) {
    const auto rules = cors_rules("https://a.example");
    ASSERT_TRUE(rules);
    const auto answer = preflight_answer(*rules, preflight("https://a.example"), false);
    ASSERT_TRUE(answer);
    EXPECT_THAT(std::string(*answer->headers.find("Access-Control-Allow-Headers")), Not(HasSubstr("authorization")));
}

TEST(Cors, OtherRequestsAreNoPreflights) {
    const auto rules = cors_rules("*");
    ASSERT_TRUE(rules);
    Request get;
    get.method = "GET";
    get.headers = {{"Origin", "https://a.example"}};
    EXPECT_FALSE(preflight_answer(*rules, get, true));
    Request options;
    options.method = "OPTIONS";
    EXPECT_FALSE(preflight_answer(*rules, options, true));
}

TEST(Cors, ThisMachineHasItsOwnNames) {
    const auto names = [](const std::string& host) {
        Request request;
        request.headers = {{"Host", host}};
        return names_loopback(request);
    };
    for (const std::string host : {"localhost", "LocalHost:9090", "127.0.0.1:80", "127.1.2.3", "[::1]:9090", "[::1]"})
        EXPECT_TRUE(names(host)) << host;
    for (const std::string host : {"", "shop.example:9090", "127.evil.example:9090", "127.", "localhost.shop.example",
                                   "10.0.0.1", "[::2]", "[::1"})
        EXPECT_FALSE(names(host)) << host;
    EXPECT_TRUE(names_loopback(Request{})) << "HTTP/1.0 knows no Host";
}

}  // namespace
}  // namespace flowfabric::server
