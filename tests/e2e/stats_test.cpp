#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using testing::HasSubstr;

class Stats : public EndToEnd {};
INSTANTIATE_TEST_SUITE_P(Stores, Stats, durable_stores(), name_of_param);

TEST_P(Stats, TellsWhatThereIsOnEveryLane) {
    submit({"--lane", "reports"});
    const auto cancelled = submit({"--lane", "reports"});
    submit({"--lane", "mail"});
    ASSERT_EQ(run({"cancel", cancelled}).status, 0);

    const auto statistics = json_of({"stats"});
    const auto& lanes = statistics.at("lanes").as_array();
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(text(lanes[0].at("lane_id")), "mail");
    EXPECT_EQ(lanes[1].at("depth").at("waiting"), 1);
    EXPECT_EQ(lanes[1].at("depth").at("cancelled"), 1);
    EXPECT_EQ(lanes[1].at("totals").at("ended_cancelled"), 1);
    EXPECT_EQ(statistics.at("depth").at("waiting"), 2);
    EXPECT_THAT(run({"stats"}).output, HasSubstr("(all)"));
    EXPECT_THAT(run({"stats", "reports"}).output, HasSubstr("reports"));
    EXPECT_THAT(run({"stats", "none"}).output, HasSubstr("Nothing was ever created on this lane."));
}

}  // namespace
}  // namespace flowfabric::test
