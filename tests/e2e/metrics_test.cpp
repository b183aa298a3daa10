#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "e2e/http_test.hpp"

namespace flowfabric::test {
namespace {

using testing::HasSubstr;

class EngineMetrics : public HttpApi {
  protected:
    std::string metrics() const { return get("/metrics").body; }
    // One execution's whole life.
    void work(const std::string& lane) const {
        create(lane);
        const std::string lease = claim(lane);
        const auto renewed = post("/v1/tasks/renew", R"({"lease":")" + lease + R"("})");
        EXPECT_EQ(renewed.status, 200) << renewed.body;
        const auto completed = post("/v1/tasks/complete", R"({"lease":")" + lease + R"("})");
        EXPECT_EQ(completed.status, 200) << completed.body;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, EngineMetrics, durable_stores(), name_of_param);

std::set<std::string> metrics_of_dashboard() {
    std::ifstream file(std::string(FF_SOURCE_DIR) + "/deploy/grafana/flowfabric-ops.json");
    const auto dashboard = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    std::set<std::string> names;
    for (const auto& panel : dashboard.at("panels").as_array()) {
        for (const auto& target : panel.at("targets").as_array()) {
            const std::string query = text(target.at("expr"));
            static const std::regex metric("ff_[a-z_]+");
            for (std::sregex_iterator at(query.begin(), query.end(), metric), end; at != end; ++at) {
                names.insert(at->str());
            }
        }
    }
    return names;
}

TEST_P(EngineMetrics, EveryMetricOfTheDashboardIsExported) {
    work("mail");
    const std::string exported = "\n" + metrics();
    const auto names = metrics_of_dashboard();
    EXPECT_GT(names.size(), 20U);
    for (const std::string& name : names) {
        const bool there = exported.find("\n" + name + "{") != std::string::npos ||
                           exported.find("\n" + name + " ") != std::string::npos;
        EXPECT_TRUE(there) << name;
    }
}

TEST_P(EngineMetrics, CountWhatWasCommittedAndWhatThereIs) {
    work("mail");
    create("mail");
    const std::string exported = metrics();
    EXPECT_THAT(exported, HasSubstr("ff_executions_created_total{lane=\"mail\"} 2\n"));
    EXPECT_THAT(exported, HasSubstr("ff_executions_claimed_total{lane=\"mail\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_executions_ended_total{lane=\"mail\",outcome=\"success\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_attempt_outcome_total{lane=\"mail\",outcome=\"ok\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_lease_renewal_total{outcome=\"ok\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_queue_depth{lane=\"mail\",state=\"waiting\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_queue_depth{lane=\"mail\",state=\"completed\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_execution_duration_seconds_count{lane=\"mail\"} 1\n"));
    EXPECT_THAT(exported, HasSubstr("ff_store_readable 1\n"));
}

TEST_P(EngineMetrics, NameSomeLanesAndPutTheOthersTogether) {
    for (int i = 0; i < 30; ++i) create("lane-" + std::to_string(i));
    const std::string exported = metrics();
    EXPECT_THAT(exported, HasSubstr("ff_executions_created_total{lane=\"other\"} 10\n"));
    EXPECT_THAT(exported, HasSubstr("ff_queue_depth{lane=\"other\",state=\"waiting\"} 10\n"));
}

TEST_P(EngineMetrics, TheStatisticsOfALaneAreServed) {
    work("mail");
    create("other");
    const auto mail = get("/v1/stats?lane_id=mail").json();
    EXPECT_EQ(mail.at("lanes").as_array().size(), 1U);
    EXPECT_EQ(mail.at("lanes").at(0).at("depth").at("completed"), 1);
    EXPECT_EQ(mail.at("lanes").at(0).at("totals").at("ended_success"), 1);
    EXPECT_EQ(mail.at("depth").at("waiting"), 1) << "of all lanes";
}

}  // namespace
}  // namespace flowfabric::test
