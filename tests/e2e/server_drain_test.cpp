#include "e2e/server_process.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string creation = R"({"execution_kind":"test","lane_id":"default"})";
const std::string idle_claim = R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["idle"],"max_wait_ms":50000})";

class Drain : public ServerProcess {
  protected:
    void await_draining() {
        await("readiness to end", [&] { return get("/readyz").status == 503; });
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Drain, durable_stores(), name_of_param);

TEST_P(Drain, WhatIsUnderWayIsAnsweredAndWhatWaitsIsAnsweredEarly) {
    serve();
    EXPECT_EQ(get("/readyz").status, 200);
    const auto upload = begin_request(port(), "/v1/executions", creation);
    const auto claim = begin_request(port(), "/v1/tasks/claim", idle_claim);
    claim->send(idle_claim);
    server().signal(SIGTERM);

    await_draining();
    EXPECT_EQ(get("/livez").status, 200);
    const auto refused = get("/v1/executions?partition=0");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.json().at("kind"), "unavailable");
    EXPECT_EQ(refused.json().at("retryable"), false);
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("draining"));
    EXPECT_EQ(refused.headers.count("retry-after"), 1U);
    EXPECT_THAT(claim->read_all(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith(R"({"tasks":[]})")));
    upload->send(creation);
    EXPECT_THAT(upload->read_all(), AllOf(StartsWith("HTTP/1.1 201"), HasSubstr("Created")));
    EXPECT_EQ(server().wait(), 0);
}

// As remote clients send it.
TEST_P(Drain, AClaimByNameThatWaitsIsAnsweredEarlyToo) {
    serve();
    const auto claim = begin_request(port(), "/v1/operations/claim", idle_claim);
    claim->send(idle_claim);
    server().signal(SIGTERM);
    EXPECT_THAT(claim->read_all(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith(R"({"executions":[],"worker":"run"})")));
    EXPECT_EQ(server().wait(), 0);
}

TEST_P(Drain, ReadsForClientsThatHaveGoneEndBeforeTheEngine) {
    for (int round = 0; round < 3; ++round) {
        serve();
        std::string items = creation;
        for (int i = 0; i < 1'000; ++i) items += ',' + creation;
        ASSERT_EQ(post("/v1/executions:batch", R"({"items":[)" + items + "]}").status, 200);
        for (int i = 0; i < 300; ++i) {
            RawHttp(port()).send("GET /v1/executions/search?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        EXPECT_EQ(stop(), 0);
    }
}

TEST_P(Drain, TheDeadlineCutsOffWhatDoesNotEnd) {
    serve({"--shutdown-deadline", "100ms"});
    const auto upload = begin_request(port(), "/v1/executions", creation);
    EXPECT_EQ(stop(), 0);
    EXPECT_THAT(server().errors(), HasSubstr("cut off"));
    EXPECT_EQ(upload->read_all(), "");
}

TEST_P(Drain, ASecondSignalDoesNotWait) {
    serve();
    const auto upload = begin_request(port(), "/v1/executions", creation);
    server().signal(SIGTERM);
    await_draining();
    server().signal(SIGINT);
    EXPECT_EQ(server().wait(), 128 + SIGINT);
}

}  // namespace
}  // namespace flowfabric::test
