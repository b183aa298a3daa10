#include "e2e/server_process.hpp"
#include "support/event_reader.hpp"

// What the spec asserts of a server as it is started: its tokens, its pages of other origins, its keys, its end.
namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace json = boost::json;

using HeaderList = std::vector<std::pair<std::string, std::string>>;

class ServerAssertions : public ServerProcess {
  protected:
    // The secret of a token with every right, made before a server runs.
    std::string make_token(const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"token", "create", "root", "--scope", "admin", "--store", store().url()};
        words.insert(words.end(), more.begin(), more.end());
        const Finished finished = run_ff(std::move(words));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished.output.substr(0, finished.output.find('\n'));
    }
    HttpAnswer preflight(const std::string& origin) {
        return http_call(port(), "OPTIONS", "/v1/executions", "",
                         {{"Origin", origin},
                          {"Access-Control-Request-Method", "POST"},
                          {"Access-Control-Request-Headers", "authorization,x-shop"}});
    }
    std::string keys() { return run({"keys", "--json"}).output; }
};
INSTANTIATE_TEST_SUITE_P(Stores, ServerAssertions, durable_stores(), name_of_param);

TEST_P(ServerAssertions, WhatWatchesAServerNeedsNoTokenAndIsNotLimited) {
    const std::string secret = make_token({"--rate-limit", "1"});
    serve();
    for (const char* target : {"/healthz", "/livez", "/readyz", "/version", "/metrics"}) {
        EXPECT_EQ(get(target).status, 200) << target;
    }
    EXPECT_THAT(get("/metrics").headers.at("content-type"), StartsWith("text/plain; version=0.0.4"));
    EXPECT_EQ(get("/v1/nowhere").status, 401);
    HttpAnswer refused;
    await("the rate limit",
          [&] { return (refused = get("/v1/lanes", {{"Authorization", "Bearer " + secret}})).status == 429; });
    EXPECT_EQ(refused.headers.count("retry-after"), 1U);
    EXPECT_EQ(refused.json().at("retryable"), true);
    EXPECT_EQ(refused.json().at("request_id"), json::value(refused.headers.at("x-request-id")));
    EXPECT_THAT(get("/metrics").body,
                HasSubstr(R"(ff_http_requests_total{method="GET",path="/v1/lanes",status="429"} 1)"));
    EXPECT_THAT(get("/metrics").body, Not(HasSubstr(R"(path="/metrics")"))) << "a scrape is not counted";
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, PagesOfOtherOriginsMaySendATokenWhereOneIsAskedFor) {
    const std::string secret = make_token();
    serve({"--cors-origins", "https://shop.example"});
    const auto listed = preflight("https://shop.example");
    EXPECT_EQ(listed.status, 200) << "before any token is asked for";
    EXPECT_THAT(listed.headers.at("access-control-allow-headers"), HasSubstr("authorization"));
    EXPECT_EQ(preflight("https://other.example").headers.count("access-control-allow-origin"), 0U);
    EXPECT_EQ(stop(), 0);

    serve({"--cors-origins", "*"});
    const auto any = preflight("https://other.example");
    EXPECT_EQ(any.headers.at("access-control-allow-origin"), "https://other.example");
    EXPECT_EQ(any.headers.at("access-control-allow-headers"), "authorization,x-shop");
    const auto page = get("/v1/lanes", {{"Origin", "https://other.example"}, {"Authorization", "Bearer " + secret}});
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.headers.at("access-control-expose-headers"), "*");
    EXPECT_EQ(page.headers.count("access-control-allow-credentials"), 0U);
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, AKeyIsGeneratedOnceAndKept) {
    serve();
    EXPECT_EQ(stop(), 0);
    EXPECT_THAT(server().errors(), HasSubstr("warning the store had no signing key: k1 was generated"));
    const std::string generated = keys();
    EXPECT_THAT(generated, HasSubstr(R"("k1")"));
    serve();
    EXPECT_EQ(stop(), 0);
    EXPECT_THAT(server().errors(), Not(HasSubstr("signing key")));
    EXPECT_EQ(keys(), generated);
}

TEST_P(ServerAssertions, ABodyOfExactlyTheLimitPassesAndALongerOneWithoutALengthDoesNot) {
    serve();
    constexpr std::size_t limit = 65'536;
    EXPECT_NE(post("/v1/executions/{id}/cancel", std::string(limit, ' ')).status, 413);
    RawHttp client(port());
    client.send(
        "POST /v1/executions/{id}/cancel HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n10001\r\n" +
        std::string(limit + 1, ' ') + "\r\n0\r\n\r\n");
    const std::string refused = client.read_all();
    EXPECT_THAT(refused, AllOf(StartsWith("HTTP/1.1 413"), HasSubstr(R"("error":"payload_too_large")"),
                               HasSubstr(R"("limit_bytes":65536)"), HasSubstr("/v1/executions/{id}/cancel")));
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, ACancelledFlowIsCancelledToItsEndThoughTheServerDies) {
    constexpr int count = 1'500;
    json::array nodes;
    for (int i = 0; i < count; ++i) {
        nodes.push_back({{"name", std::to_string(i)}, {"execution", {{"execution_kind", "k"}, {"lane_id", "doomed"}}}});
    }
    serve();
    const auto submitted =
        post("/v1/flows/submit", json::serialize(json::object{{"flow_kind", "k"}, {"nodes", nodes}})).json();
    const std::string flow = "/v1/flows/" + text(submitted.at("flow_id"));
    const auto scheduled =
        post(flow + "/cancel", R"({"reason":"obsolete","cancellation_policy":"cancel_all","grace_ms":0})").json();
    EXPECT_EQ(scheduled.at("CancellationScheduled").at("member_count"), count);
    server().signal(SIGKILL);
    EXPECT_EQ(server().wait(), -SIGKILL);

    serve();
    await("every member to be cancelled", [&] {
        return get("/v1/stats?lane_id=doomed").json().at("lanes").at(0).at("depth").at("cancelled") == count;
    });
    const auto last = get("/v1/executions/" + text(submitted.at("members").at(count - 1))).json();
    EXPECT_EQ(last.at("cancellation_reason"), "obsolete");
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, ACursorThatIsTooOldIsRefusedBeforeTheStreamOpens) {
    ASSERT_EQ(run({"settings", "set", "event_retention", "1ms"}).status, 0);
    serve();
    const auto created = post("/v1/executions", R"({"execution_kind":"k","lane_id":"old"})");
    post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["old"]})");
    const auto opened = [&](const std::string& cursor) {
        RawHttp client(port());
        client.send("GET /v1/events?channel=lease HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: " + cursor +
                    "\r\n\r\n");
        return client.read_until("\r\n");
    };
    const std::string oldest = "020000000000000000";
    await("the event to be removed", [&] { return opened(oldest).starts_with("HTTP/1.1 410"); });
    const auto refused = get("/v1/events?channel=lease&from=" + oldest);
    EXPECT_EQ(refused.json().at("kind"), "cursor_expired");
    EXPECT_THAT(opened(text(refused.json().at("oldest_cursor"))), StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, WithoutTokensOnlyThisMachinesOwnNamesAreServed) {
    serve();
    const auto asked_for = [&](const std::string& host) {
        RawHttp client(port());
        client.send("GET /v1/lanes HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return client.read_until("\r\n");
    };
    EXPECT_THAT(asked_for("localhost:1"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(asked_for("shop.example"), StartsWith("HTTP/1.1 403"));
    EXPECT_EQ(run({"call", "create_token", R"({"name": "ops", "scopes": ["admin"]})"}).status, 0);
    await("the token to be asked for", [&] { return asked_for("shop.example").starts_with("HTTP/1.1 401"); });
    EXPECT_EQ(stop(), 0);
}

TEST_P(ServerAssertions, AStreamWithoutEventsIsKeptOpen) {
    if (GetParam() != StoreKind::sqlite) GTEST_SKIP() << "the store has no part in it, and it takes a while";
    serve();
    RawHttp client(port());
    client.send("GET /v1/events?channel=completion HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.read_until("id: ");
    EXPECT_THAT(client.read_until("\n:"), EndsWith("\n:")) << "a comment, which clients pass over";
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
