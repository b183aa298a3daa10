#include "core/lane/lane.hpp"

#include <gtest/gtest.h>

#include "flowfabric/lane.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using enum LaneState;

constexpr std::int64_t now = test::created_at;

struct LaneDesk : test::Desk {
    LaneDesk() : Desk(test::waiting_row(), now) {}

    LaneChanged change(LaneState state, const LaneRow* lane) {
        if (lane != nullptr) set.side.of<LaneRow>().load(*lane);
        return test::answer_of<LaneChanged>(decide(SetLaneState{.lane_id = "mail", .state = state}));
    }
};

LaneRow lane_in(LaneState state) {
    return {.key = {"mail"},
            .registered_at_ms = now - 100,
            .registered_by = "create_execution",
            .lane_state = state,
            .state_changed_at_ms = now - 50};
}

TEST(LaneDecision, WhatEachStateLetsThrough) {
    EXPECT_TRUE(accepts_work(active) && hands_out_work(active));
    EXPECT_TRUE(accepts_work(paused) && !hands_out_work(paused));
    EXPECT_TRUE(!accepts_work(draining) && hands_out_work(draining));
    EXPECT_TRUE(!accepts_work(disabled) && !hands_out_work(disabled));
}

TEST(LaneDecision, AChangeWritesTheLaneAndTellsOperators) {
    for (const LaneState from : {active, paused, draining, disabled}) {
        for (const LaneState to : {active, paused, draining, disabled}) {
            LaneDesk desk;
            const LaneRow lane = lane_in(from);
            EXPECT_EQ(desk.change(to, &lane), (LaneChanged{"mail", from, to}));
            if (from == to) {
                EXPECT_TRUE(desk.set.empty());
                continue;
            }
            LaneRow expected = lane;
            expected.lane_state = to;
            expected.state_changed_at_ms = now;
            ASSERT_EQ(desk.set.side.of<LaneRow>().puts().size(), 1U);
            EXPECT_EQ(desk.set.side.of<LaneRow>().puts()[0], expected);
            ASSERT_EQ(desk.set.events.of<OperatorEvent>().size(), 1U);
            EXPECT_EQ(desk.set.events.of<OperatorEvent>()[0].details.text,
                      R"({"lane_id":"mail","from":")" + std::string(to_string(from)) + R"(","to":")" +
                          std::string(to_string(to)) + R"("})");
            EXPECT_EQ(desk.set.events.of<OperatorEvent>()[0].subject_kind, SubjectKind::lane);
            EXPECT_FALSE(desk.set.events.of<OperatorEvent>()[0].subject_id);
            EXPECT_EQ(desk.set.work_available, hands_out_work(to));
        }
    }
}

TEST(LaneDecision, AnUnknownLaneIsRegistered) {
    LaneDesk desk;
    EXPECT_EQ(desk.change(disabled, nullptr), (LaneChanged{"mail", std::nullopt, disabled}));
    ASSERT_EQ(desk.set.side.of<LaneRow>().puts().size(), 1U);
    EXPECT_EQ(desk.set.side.of<LaneRow>().puts()[0], (LaneRow{.key = {"mail"},
                                                              .registered_at_ms = now,
                                                              .registered_by = "set_lane_state",
                                                              .lane_state = disabled,
                                                              .state_changed_at_ms = now}));
    EXPECT_EQ(desk.set.events.of<OperatorEvent>().size(), 1U);
}

TEST(LaneDecision, ANewLaneThatIsActiveHasNotChanged) {
    LaneDesk desk;
    EXPECT_EQ(desk.change(active, nullptr), (LaneChanged{"mail", std::nullopt, active}));
    EXPECT_EQ(desk.set.side.of<LaneRow>().puts().size(), 1U);
    EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
}

TEST(LaneDecision, AWorkableLaneDoesNotTakeBackThatWorkIsAvailable) {
    LaneDesk desk;
    desk.set.work_available = true;
    const LaneRow lane = lane_in(active);
    desk.change(paused, &lane);
    EXPECT_TRUE(desk.set.work_available);
}

Result<CreateDecision> create_on(LaneState state, CreateFacts facts = {}) {
    WorkingSet set;
    set.now_ms = now;
    const Settings settings;
    DecisionContext context{set, settings};
    AdmittedCreate command = test::create_of(1);
    command.idempotency = IdempotencyKey{"default", "key"};
    facts.lane_state = state;
    auto decision = decide_create(command, facts, context);
    if (!decision) {
        EXPECT_TRUE(set.empty()) << "nothing is written";
    }
    return decision;
}

TEST(LaneDecision, AClosedLaneRefusesAndNamesItself) {
    for (const LaneState closed : {draining, disabled}) {
        const auto refused = create_on(closed);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
        EXPECT_NE(refused.error().detail.find("lane_not_accepting: default is"), std::string::npos);
        EXPECT_NE(refused.error().detail.find(to_string(closed)), std::string::npos);
    }
    EXPECT_TRUE(create_on(active)->inserted);
    EXPECT_TRUE(create_on(paused)->inserted);
}

TEST(LaneDecision, ADuplicateIsOneOnAClosedLaneToo) {
    const IdempotencyRow owner{.key = {"default", "key"}, .execution_id = test::execution(9), .expires_at_ms = now + 1};
    const auto by_id = create_on(disabled, {.id_taken = true});
    ASSERT_TRUE(by_id);
    EXPECT_TRUE(by_id->answer.duplicate);
    const auto by_key = create_on(disabled, {.key_owner = &owner});
    ASSERT_TRUE(by_key);
    EXPECT_EQ(by_key->answer.execution_id, test::execution(9));
    IdempotencyRow lapsed = owner;
    lapsed.expires_at_ms = now;
    EXPECT_FALSE(create_on(disabled, {.key_owner = &lapsed}));
}

}  // namespace
}  // namespace flowfabric
