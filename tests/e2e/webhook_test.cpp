#include "e2e/server_process.hpp"
#include "support/webhook_receiver.hpp"

// Webhooks of a real server.
namespace flowfabric::test {
namespace {

class WebhookServer : public ServerProcess {
  protected:
    std::string end_one() {
        const auto created = post("/v1/executions", R"({"execution_kind": "test", "lane_id": "mail"})");
        const std::string id = text(created.json().at("Created").at("execution_id"));
        const auto cancelled =
            post("/v1/executions/" + id + "/cancel", R"({"execution_id": ")" + id + R"(", "reason": "not needed"})");
        EXPECT_EQ(cancelled.status, 200) << cancelled.body;
        return id;
    }
    std::string webhooks(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "webhooks");
        arguments.insert(arguments.end(), {"--store", store().url()});
        const Finished finished = run_ff(std::move(arguments));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished.output;
    }
    // Events may come again until their delivery is recorded.
    void expect_next(const std::string& id) {
        std::string subject;
        while (subject != id) {
            subject = text(boost::json::parse(receiver_.next().body).at("subject"));
            EXPECT_TRUE(subject == id || earlier_.contains(subject)) << subject << " overtakes " << id;
        }
        earlier_.insert(id);
    }

    WebhookReceiver receiver_;
    std::set<std::string> earlier_;
};
INSTANTIATE_TEST_SUITE_P(Stores, WebhookServer, durable_stores(), name_of_param);

TEST_P(WebhookServer, EventsSurviveAServerThatIsKilledAndAreShownByFf) {
    serve();
    const auto created = post("/v1/webhooks", R"({"name": "billing", "url": ")" + receiver_.url("/hooks") + R"("})");
    EXPECT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.headers.at("cache-control"), "no-store");
    expect_next(end_one());
    server().signal(SIGKILL);
    server().wait();

    // What ends meanwhile waits, and another server sends it when the killed one has been silent for a minute, or
    // when it comes back: this test lets the webhook go by hand.
    const std::string meanwhile = submit({"--lane", "mail"});
    EXPECT_EQ(run({"cancel", meanwhile}).status, 0);
    EXPECT_EQ(webhooks({"pause", "billing"}), "billing: paused\n");
    EXPECT_EQ(webhooks({"resume", "billing"}), "billing: active\n");
    serve();
    expect_next(meanwhile);
    expect_next(end_one());

    EXPECT_NE(webhooks({"list"}).find("billing  active  completion"), std::string::npos);
    EXPECT_NE(webhooks({"show", "billing"}).find("url                " + receiver_.url("/hooks")), std::string::npos);
    EXPECT_EQ(webhooks({"failures", "billing"}), "No events are set aside.\n");
    const auto metrics = get("/metrics").body;
    EXPECT_NE(metrics.find(R"(ff_webhook_requests_total{outcome="delivered",webhook="billing"})"), std::string::npos);
    EXPECT_EQ(webhooks({"remove", "billing"}), "removed billing\n");
    EXPECT_EQ(get("/v1/webhooks/billing").status, 404);
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
