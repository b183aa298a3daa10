#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::changed_columns;
using test::Desk;
using test::lease_on;
using testing::ElementsAre;

constexpr std::int64_t now = test::claimed_at + 1'000;

Progress progress_of(const ExecutionRow& row) {
    return {.lease = lease_on(row), .percent = 40, .message = "copying"};
}

TEST(ProgressDecision, WritesItsColumnsAndMovesNothing) {
    Desk desk(test::running_row(), now);
    EXPECT_EQ(answer_of<ProgressRecorded>(desk.decide(progress_of(desk.row()))), ProgressRecorded{now});
    EXPECT_THAT(changed_columns(desk.before, desk.row()),
                ElementsAre("progress_pct", "progress_message", "progress_updated_at_ms", "activity_epoch",
                            "last_mutation_at_ms"));
    EXPECT_EQ(desk.row().activity_epoch, desk.row().lease_epoch);
    expect_change_is_reported(desk);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
    EXPECT_FALSE(desk.set.work_available);
}

TEST(ProgressDecision, WhatIsAbsentStays) {
    ExecutionRow row = test::running_row();
    row.progress_pct = 10;
    row.progress_message = "reading";
    Desk desk(row, now);
    ASSERT_TRUE(desk.decide(Progress{.lease = lease_on(row), .percent = 0, .message = std::nullopt}));
    EXPECT_EQ(desk.row().progress_pct, 0);
    EXPECT_EQ(desk.row().progress_message, "reading");
    ASSERT_TRUE(desk.decide(Progress{.lease = lease_on(row), .percent = std::nullopt, .message = ""}));
    EXPECT_EQ(desk.row().progress_pct, 0);
    EXPECT_EQ(desk.row().progress_message, "");
}

TEST(ProgressDecision, AnOperatorReportsNothing) {
    Desk desk(test::running_row(), now);
    const auto refused = desk.decide(Progress{.lease = test::operator_on(desk.row())});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    expect_untouched(desk);
}

TEST(ProgressDecision, TheHolderOfARevokedLeaseIsToldSo) {
    ExecutionRow row = test::reclaimable_row();
    row.vector.ownership_state = OwnershipState::lease_revoked;
    Desk desk(row, now);
    const auto refused = desk.decide(progress_of(row));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::lease_revoked);
    expect_untouched(desk);
}

SetExecutionTags tags_of(const ExecutionRow& row, Tags tags) {
    return {.execution_id = row.id, .tags = std::move(tags)};
}

TEST(TagsDecision, AddsAndReplacesInAnyState) {
    ExecutionRow ended = test::waiting_row();
    ended.vector = terminal_vector(TerminalOutcome::cancelled, false);
    for (ExecutionRow row : {test::waiting_row(), test::running_row(), test::reclaimable_row(), ended}) {
        row.tags = {R"({"app.a":"1","app.b":"2"})"};
        Desk desk(row, now + 60'000);
        EXPECT_EQ(answer_of<TagsSet>(desk.decide(tags_of(row, {{"app.b", "3"}, {"app.c", "4"}}))), TagsSet{2});
        EXPECT_EQ(desk.row().tags.text, R"({"app.a":"1","app.b":"3","app.c":"4"})");
        EXPECT_THAT(changed_columns(desk.before, desk.row()), ElementsAre("tags", "last_mutation_at_ms"));
        expect_change_is_reported(desk);
    }
}

TEST(TagsDecision, NoTagsTouchNothing) {
    Desk desk(test::waiting_row(), now);
    EXPECT_EQ(answer_of<TagsSet>(desk.decide(tags_of(desk.row(), {}))), TagsSet{0});
    expect_untouched(desk);
}

TEST(TagsDecision, TheInstanceTagFollowsItsKey) {
    Desk desk(test::waiting_row(), now);
    desk.set.settings.instance_tag_key = "app.instance";
    ASSERT_TRUE(desk.decide(tags_of(desk.row(), {{"app.instance", "i-1"}})));
    EXPECT_EQ(desk.row().instance_tag, "i-1");
    ASSERT_TRUE(desk.decide(tags_of(desk.row(), {{"app.other", "x"}})));
    EXPECT_EQ(desk.row().instance_tag, "i-1");
}

TEST(TagsDecision, TheLimitHoldsForAllTagsTogether) {
    Desk desk(test::waiting_row(), now);
    Tags many;
    for (int i = 0; i < 4; ++i) many["app.n" + std::to_string(i)] = std::string(65'000, 'x');
    ASSERT_TRUE(desk.decide(tags_of(desk.row(), many)));
    desk.before = desk.row();
    desk.entry = {.row = desk.row()};
    const auto refused = desk.decide(tags_of(desk.row(), {{"app.last", std::string(65'000, 'x')}}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    expect_untouched(desk);
}

}  // namespace
}  // namespace flowfabric
