#include "e2e/http_test.hpp"

// Bulk operations over HTTP, and across the death of the server that works them off.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
namespace json = boost::json;

constexpr int many = 700;

class BulkServer : public EndToEnd {
  protected:
    void start_server() {
        server_ = std::make_unique<Process>(command({"server", "--json", "--listen", "127.0.0.1:0"}));
        const std::string url = text(json::parse(server_->await_line("url")).at("url"));
        port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    }
    void stop_server(int signal, int status) {
        server_->signal(signal);
        EXPECT_EQ(server_->wait(), status);
    }
    std::uint16_t port() const { return port_; }
    json::value get(const std::string& target) const { return http_call(port_, "GET", target).json(); }
    HttpAnswer post(const std::string& target, const std::string& body) const {
        return http_call(port_, "POST", target, body, {{"Content-Type", "application/json"}});
    }
    void create_many(const std::string& lane) const {
        json::array items;
        for (int i = 0; i < many; ++i) items.push_back({{"execution_kind", "k"}, {"lane_id", lane}});
        EXPECT_EQ(post("/v1/executions:batch", json::serialize(json::object{{"items", items}})).status, 200);
    }
    json::object finished(const std::string& id) const {
        await("the end of bulk operation " + id, [&] { return get("/v1/bulk/" + id).at("state") != "running"; });
        return get("/v1/bulk/" + id).as_object();
    }

  private:
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, BulkServer, durable_stores(), name_of_param);

TEST_P(BulkServer, GoesOnWithAnOperationAfterItWasKilled) {
    start_server();
    create_many("mail");
    const auto started = post("/v1/bulk", R"({"action":"cancel","filter":{"lane_id":"mail"},"reason":"not needed"})");
    ASSERT_EQ(started.status, 201) << started.body;
    const std::string id = text(started.json().at("operation_id"));
    stop_server(SIGKILL, -SIGKILL);

    start_server();
    const auto done = finished(id);
    EXPECT_EQ(done.at("state"), "done");
    EXPECT_EQ(done.at("done_count"), many);
    EXPECT_EQ(done.at("skipped_count"), 0);
    EXPECT_EQ(done.at("failed_count"), 0);
    EXPECT_TRUE(get("/v1/executions/search?lane_id=mail&public_state=waiting").at("executions").as_array().empty());
    stop_server(SIGTERM, 0);
}

TEST_P(BulkServer, PreviewsRefusesListsAndCancels) {
    start_server();
    create_many("mail");
    const auto preview = post("/v1/bulk/preview", R"({"action":"cancel","filter":{"lane_id":"mail"},"limit":3})");
    ASSERT_EQ(preview.status, 200) << preview.body;
    const auto seen = preview.json();
    EXPECT_EQ(seen.at("count"), many);
    EXPECT_EQ(seen.at("complete"), true);
    EXPECT_EQ(seen.at("sample").as_array().size(), 3U);

    for (const std::string path : {"/v1/bulk", "/v1/bulk/preview"}) {
        const auto empty = post(path, R"({"action":"cancel","filter":{}})");
        EXPECT_EQ(empty.status, 400) << path;
        EXPECT_THAT(empty.body, HasSubstr("filter")) << path;
    }
    EXPECT_EQ(post("/v1/bulk", R"({"action":"eat","filter":{"lane_id":"mail"}})").status, 422);

    const std::string id =
        text(post("/v1/bulk", R"({"action":"replay","filter":{"lane_id":"mail"}})").json().at("operation_id"));
    EXPECT_EQ(finished(id).at("done_count"), 0) << "nothing has failed";
    EXPECT_EQ(post("/v1/bulk/" + id + "/cancel", "").json().at("state"), "done");
    EXPECT_EQ(get("/v1/bulk").at("operations").as_array().size(), 1U);

    const auto with_key = [&](const std::string& lane) {
        return http_call(port(), "POST", "/v1/bulk", R"({"action":"replay","filter":{"lane_id":")" + lane + "\"}}",
                         {{"Content-Type", "application/json"}, {"Idempotency-Key", "clean-up"}});
    };
    const auto keyed = with_key("mail");
    EXPECT_EQ(keyed.status, 201);
    EXPECT_EQ(with_key("mail").json().at("operation_id"), keyed.json().at("operation_id"));
    const auto other = with_key("other");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.json().at("kind"), "idempotency_conflict");
    stop_server(SIGTERM, 0);
}

}  // namespace
}  // namespace flowfabric::test
