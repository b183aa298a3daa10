#include "store/postgres/health/health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::postgres {
namespace {

using enum Finding::Level;
using testing::HasSubstr;

constexpr std::int64_t mebibyte = 1 << 20;

Finding::Level dead_rows(std::int64_t live, std::int64_t dead) {
    return judge_dead_rows({{.name = "ff_exec_core", .live_rows = live, .dead_rows = dead}}).level;
}

TEST(Health, AFewDeadRowsAreNormal) {
    EXPECT_EQ(dead_rows(0, 0), fine);
    EXPECT_EQ(dead_rows(0, 9'999), fine);
    EXPECT_EQ(dead_rows(10'000'000, 4'999'999), fine) << "autovacuum may be at work";
}

TEST(Health, MoreDeadRowsThanAutovacuumLeavesCallForALook) {
    EXPECT_EQ(dead_rows(20'000, 10'000), advice);
    EXPECT_EQ(dead_rows(20'002, 10'000), fine);
    EXPECT_EQ(dead_rows(10'000'000, 5'000'000), advice);
    EXPECT_EQ(dead_rows(1'000'000, 1'000'000), danger);
    EXPECT_EQ(dead_rows(1'000'001, 1'000'000), advice);
}

TEST(Health, TheTableWithTheMostDeadRowsIsNamed) {
    const auto finding = judge_dead_rows({{.name = "ff_attempt", .live_rows = 5, .dead_rows = 3},
                                          {.name = "ff_exec_core", .live_rows = 1, .dead_rows = 20'000},
                                          {.name = "ff_writer", .live_rows = 9, .dead_rows = 0}});
    EXPECT_THAT(finding.detail, HasSubstr("ff_exec_core"));
    EXPECT_THAT(finding.remedy, HasSubstr("VACUUM ff_exec_core"));
}

TEST(Health, IndexesTwiceTheSizeOfTheirTableAreBloatedOnceThatMatters) {
    const auto level = [](std::int64_t table, std::int64_t indexes) {
        return judge_index_sizes({{.name = "ff_exec_core", .table_bytes = table, .index_bytes = indexes}}).level;
    };
    EXPECT_EQ(level(0, 255 * mebibyte), fine);
    EXPECT_EQ(level(128 * mebibyte, 256 * mebibyte), advice);
    EXPECT_EQ(level(129 * mebibyte, 256 * mebibyte), fine);
}

TEST(Health, AnOpenTransactionIsBearableForMinutesAndADangerAfterAnHour) {
    const auto judged = [](std::int64_t age_s) {
        return judge_oldest_transaction(OpenTransaction{.age_s = age_s, .holder = "pid 7, report", .remedy = "end it"});
    };
    EXPECT_EQ(judge_oldest_transaction(std::nullopt).level, fine);
    EXPECT_EQ(judged(299).level, fine);
    EXPECT_EQ(judged(299).remedy, "");
    EXPECT_EQ(judged(300).level, advice);
    EXPECT_EQ(judged(3599).level, advice);
    EXPECT_EQ(judged(3600).level, danger);
    EXPECT_EQ(judged(3600).remedy, "end it");
    EXPECT_THAT(judged(3600).detail, HasSubstr("3600 s: pid 7, report"));
}

TEST(Health, ANotificationQueueMustNotFillUp) {
    EXPECT_EQ(judge_notification_queue(0.0999).level, fine);
    EXPECT_EQ(judge_notification_queue(0.1).level, advice);
    EXPECT_EQ(judge_notification_queue(0.5).level, danger);
    EXPECT_EQ(judge_notification_queue(0.5).detail, "50 % full");
}

}  // namespace
}  // namespace flowfabric::postgres
