#include <future>

#include "core/base/base64.hpp"
#include "e2e/http_test.hpp"

// GET /v1/executions/{id}/result, at once and when the execution has ended.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
namespace json = boost::json;

class HttpResults : public HttpApi {
  protected:
    HttpAnswer result_of(const std::string& id, const std::string& query = "") const {
        return get("/v1/executions/" + id + "/result" + query);
    }
    void complete(const std::string& lease, const std::string& result = "") const {
        const auto answer = post("/v1/tasks/complete", R"({"lease":")" + lease + '"' + result + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    void cancel(const std::string& id) const {
        EXPECT_EQ(post("/v1/executions/" + id + "/cancel", R"({"reason":"r"})").status, 200);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpResults, durable_stores(), name_of_param);

TEST_P(HttpResults, AreTheExactBytes) {
    const std::string id = create("bytes");
    const auto before = result_of(id);
    EXPECT_EQ(before.status, 404);
    EXPECT_EQ(before.json().at("error"), json::value("execution result not found: " + id));
    EXPECT_EQ(before.json().at("kind"), "execution_not_terminal");

    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
    complete(claim("bytes"), R"(,"result_b64":")" + to_base64(bytes) + '"');
    const auto after = result_of(id);
    EXPECT_EQ(after.status, 200);
    EXPECT_EQ(after.headers.at("content-type"), "application/octet-stream");
    EXPECT_EQ(after.body, bytes);
}

TEST_P(HttpResults, KeepTheTextOfADocument) {
    const std::string text = R"({ "b": 1.50, "a": 1e2,  "a": 3 })";
    const std::string id = create("text", R"(,"input_b64":")" + to_base64(text) + R"(","payload_encoding":"json")");
    EXPECT_EQ(get("/v1/executions/" + id + "/input").body, text);
    complete(claim("text"), R"(,"result_b64":")" + to_base64(text) + R"(","result_encoding":"json")");
    EXPECT_EQ(result_of(id).body, text);
}

TEST_P(HttpResults, TellThreeKindsOfNothingApart) {
    const auto unknown = result_of("{fp:7}:0190a1b2-0000-7000-8000-000000000001");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(unknown.json().at("kind"), "execution_not_found");
    EXPECT_THAT(unknown.body, HasSubstr("not found"));

    const std::string without = create("without");
    complete(claim("without"));
    EXPECT_EQ(result_of(without).status, 204);
    EXPECT_EQ(result_of(without).body, "");

    const std::string cancelled = create("cancelled");
    cancel(cancelled);
    const auto refused = result_of(cancelled);
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.json().at("kind"), "execution_not_active");
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("cancelled"));
    EXPECT_EQ(refused.json().at("retryable"), false);
}

TEST_P(HttpResults, ComeWhenTheExecutionHasEnded) {
    constexpr std::size_t count = 20;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(create("late"));
    std::vector<std::future<HttpAnswer>> waiting;
    for (const std::string& id : ids) {
        waiting.push_back(std::async(std::launch::async, [this, &id] { return result_of(id, "?wait_ms=50000"); }));
    }
    cancel(ids.back());
    for (std::size_t i = 0; i + 1 < count; ++i) complete(claim("late"), R"(,"result":"done")");
    EXPECT_EQ(waiting.back().get().status, 409);
    waiting.pop_back();
    for (auto& one : waiting) {
        const auto answer = one.get();
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, R"("done")");
    }
    EXPECT_EQ(result_of(ids.front(), "?wait_ms=50000").body, R"("done")") << "it has ended before";
}

TEST_P(HttpResults, AreMissingWhenTheTimeIsOver) {
    const std::string id = create("never");
    const auto answer = result_of(id, "?wait_ms=50");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.json().at("kind"), "execution_not_terminal");
    for (const std::string query : {"?wait_ms=50001", "?wait_ms=-1", "?wait_ms=soon"}) {
        const auto refused = result_of(id, query);
        EXPECT_EQ(refused.status, 400) << query;
        EXPECT_THAT(text(refused.json().at("error")), HasSubstr("wait_ms")) << query;
    }
    EXPECT_EQ(result_of("{fp:7}:0190a1b2-0000-7000-8000-000000000001", "?wait_ms=50000").status, 404)
        << "nothing to wait for";
}

}  // namespace
}  // namespace flowfabric::test
