#include "remote/server_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::remote {
namespace {

using ::testing::HasSubstr;

TEST(ServerUrl, NamesHostPortAndBase) {
    const auto url = parse_server_url("https://flows.example:8443/base/");
    ASSERT_TRUE(url);
    EXPECT_TRUE(url->tls);
    EXPECT_EQ(url->host, "flows.example");
    EXPECT_EQ(url->port, "8443");
    EXPECT_EQ(url->authority, "flows.example:8443");
    EXPECT_EQ(url->base, "/base");
    EXPECT_EQ(url->text, "https://flows.example:8443/base");
}

TEST(ServerUrl, HasTheSchemesPortWithoutOne) {
    EXPECT_EQ(parse_server_url("http://flows.example")->port, "80");
    EXPECT_EQ(parse_server_url("https://flows.example/")->port, "443");
    EXPECT_EQ(parse_server_url("http://[::1]:8080")->host, "::1");
}

TEST(ServerUrl, RefusesWhatIsNoServer) {
    for (const char* text : {"", "flows.example:80", "ftp://flows.example", "http://", "http://h/?a=b", "/path"}) {
        EXPECT_FALSE(parse_server_url(text)) << text;
    }
    EXPECT_THAT(parse_server_url("http://me:secret@h").error().detail, HasSubstr("FF_TOKEN"));
}

}  // namespace
}  // namespace flowfabric::remote
