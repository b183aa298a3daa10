#include <future>

#include "e2e/frozen_server.hpp"
#include "e2e/http_test.hpp"

// Request-Timeout: what a client that says how long it waits gets when the time is over.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class HttpDeadlines : public HttpApi {
  protected:
    HttpAnswer get_within(const std::string& timeout, const std::string& target) const {
        return http_call(port(), "GET", target, "", {{"Request-Timeout", timeout}});
    }
    HttpAnswer post_within(const std::string& timeout, const std::string& target, const std::string& body) const {
        return http_call(port(), "POST", target, body,
                         {{"Content-Type", "application/json"}, {"Request-Timeout", timeout}});
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpDeadlines, durable_stores(), name_of_param);

TEST_P(HttpDeadlines, AClaimThatWaitsTakesNothingWhenItsTimeIsOver) {
    for (const auto& [target, body] : std::vector<std::pair<std::string, std::string>>{
             {"/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["late"],"wait_ms":50000})"},
             {"/v1/workers/w/exchange",
              R"({"worker_instance_id":"w-1","claim":{"max":1,"wait_ms":50000,"lanes":["late"]}})"}}) {
        const auto begin = Clock::now();
        const auto answer = post_within("0.5", target, body);
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20)) << target;
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_TRUE(answer.json().at("tasks").as_array().empty()) << answer.body;
    }
    const std::string id = create("late");
    EXPECT_EQ(state(id), "waiting");
    claim("late");
    EXPECT_EQ(state(id), "active");
}

TEST_P(HttpDeadlines, AWaitForAResultEndsLikeItsOwn) {
    const std::string id = create("never");
    const auto answer = get_within("500ms", "/v1/executions/" + id + "/result?wait_ms=50000");
    EXPECT_EQ(answer.status, 404) << answer.body;
    EXPECT_EQ(answer.json().at("kind"), "execution_not_terminal");
}

TEST_P(HttpDeadlines, AWaitThatIsServedInTimeIsAnswered) {
    const std::string id = create("soon");
    auto waiting = std::async(std::launch::async,
                              [&] { return get_within("50", "/v1/executions/" + id + "/result?wait_ms=50000"); });
    EXPECT_EQ(post("/v1/tasks/complete", R"({"result":"done","lease":")" + claim("soon") + "\"}").status, 200);
    const auto answer = waiting.get();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"("done")");
}

TEST_P(HttpDeadlines, AStreamOfEventsEnds) {
    const auto events = get_within("0.3", "/v1/events?channel=completion");
    EXPECT_EQ(events.status, 200);
    EXPECT_THAT(events.body, HasSubstr("id: "));
}

TEST_P(HttpDeadlines, AWrongTimeIsRefusedByName) {
    const auto answer = get_within("never", "/v1/lanes");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.json().at("details").at(0).at("field"), "Request-Timeout");
    EXPECT_TRUE(answer.json().as_object().contains("request_id"));
}

class DeadlinesOfAHungStore : public HttpDeadlines {
  protected:
    void SetUp() override {
        if (!FrozenServer::possible()) GTEST_SKIP() << "no FF_TEST_PGDATA: run under script/with-postgres";
        HttpDeadlines::SetUp();
    }
    void TearDown() override {
        if (FrozenServer::possible()) HttpDeadlines::TearDown();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, DeadlinesOfAHungStore, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(DeadlinesOfAHungStore, AChangeWithoutAnAnswerGets504AndIsMadeOnceIfItIsRepeated) {
    create("warm");
    const auto create_within = [&](const std::string& timeout) {
        return http_call(
            port(), "POST", "/v1/executions", R"({"execution_kind":"test","lane_id":"hung"})",
            {{"Content-Type", "application/json"}, {"Idempotency-Key", "only-once"}, {"Request-Timeout", timeout}});
    };
    {
        const FrozenServer frozen;
        const auto answer = create_within("0.5");
        EXPECT_EQ(answer.status, 504) << answer.body;
        EXPECT_EQ(answer.json().at("kind"), "timeout");
        EXPECT_EQ(answer.json().at("retryable"), false);
        EXPECT_THAT(answer.body, HasSubstr("may have happened"));
        EXPECT_EQ(get_within("0.3", "/v1/lanes").status, 504);
    }
    await("the store", [&] { return create_within("30").status / 100 == 2; });
    EXPECT_EQ(get("/v1/executions/search?lane_id=hung").json().at("executions").as_array().size(), 1U);
}

}  // namespace
}  // namespace flowfabric::test
