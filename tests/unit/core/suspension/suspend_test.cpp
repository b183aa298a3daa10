#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/suspension/remembered_suspend.hpp"
#include "core/suspension/suspension.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::Desk;
using test::lease_on;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t now = test::claimed_at + 1'000;
const SuspensionId asked{test::uuid_of(300)};
const WaitpointId waitpoint{test::uuid_of(400)};

// Asks for an approval under a key.
Suspend ask(const ExecutionRow& row) {
    Suspend command;
    command.lease = lease_on(row);
    command.suspension_id = asked;
    command.waitpoints = {FreshWaitpoint{waitpoint, "a"}};
    command.resume_condition.node = Single{"a", ByName{"approved"}};
    command.idempotency_key = "approval";
    return command;
}

// A running attempt whose execution was approved under the key before.
struct ApprovedDesk : Desk {
    explicit ApprovedDesk(const ExecutionRow& running = test::running_row()) : Desk(running, now) {
        entry.row.signal_count = 1;
        const RememberedSuspend remembered{
            .suspension_id = asked, .waitpoints = {{waitpoint, "a", "gone"}}, .signals = {0}};
        set.side.of<SuspendDedupRow>().load({.key = {row().id, "approval"},
                                             .outcome_json = remembered.to_json(),
                                             .created_at_ms = now,
                                             .satisfied_at_ms = now});
        before = entry.row;
    }
    void load_signal() {
        set.side.of<SignalRow>().load(
            {.key = {row().id, 0}, .signal_name = "approved", .suspension_id = asked, .satisfied = true});
        set.side.of<SignalPayloadRow>().load({.key = {row().id, 0}, .payload = {"yes"}});
    }
};

TEST(SuspendDecision, AsksForTheSignalsOfASuspensionThatWasSatisfied) {
    ApprovedDesk desk;
    EXPECT_EQ(test::answer_of<MoreRows>(desk.decide(ask(desk.row()))), (MoreRows{.signals = {0}}));
    expect_untouched(desk);
}

TEST(SuspendDecision, AnswersWithTheSignalsAndLeavesTheLease) {
    ApprovedDesk desk;
    desk.load_signal();
    const auto command = admit(ask(desk.row()), desk.settings, test::ids_of(7));
    ASSERT_TRUE(command);
    (*command)->widen({.signals = {0}});
    const auto outcome = test::answer_of<SuspendOutcome>(desk.decide(*command));
    const auto& met = std::get<ConditionAlreadyMet>(outcome);
    EXPECT_EQ(met.details.suspension_id, asked);
    EXPECT_EQ(met.details.primary.token, "") << "the key that signed it is gone";
    ASSERT_THAT(met.signals, SizeIs(1));
    EXPECT_EQ(met.signals[0].payload, "yes");
    EXPECT_TRUE(met.signals[0].satisfied);
    expect_untouched(desk);
}

TEST(SuspendDecision, TellsNobodyWithoutTheLease) {
    ApprovedDesk desk;
    ExecutionRow of_another = desk.row();
    of_another.lease_epoch = 9;
    const auto answer = desk.decide(ask(of_another));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::stale_lease);
}

TEST(SuspendDecision, TakesNoApprovalFromAnEarlierRun) {
    ExecutionRow replayed = test::running_row();
    replayed.replay_count = 1;
    ApprovedDesk desk(replayed);
    const auto answer = desk.decide(ask(desk.row()));
    ASSERT_FALSE(answer) << "it is asked for, and there is no key to sign with";
    EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
}

TEST(ClaimDecision, GivesWhatWasAcceptedInThisRun) {
    ExecutionRow row = test::waiting_row();
    row.signal_count = 2;
    row.replay_count = 1;
    Desk desk(row, now);
    desk.set.side.of<SignalRow>().load({.key = {row.id, 0}, .signal_name = "early"});
    desk.set.side.of<SignalRow>().load({.key = {row.id, 1}, .signal_name = "approved", .replay_count = 1});
    const auto claimed = test::answer_of<Claimed>(desk.decide(test::claim_by("worker-b").claim));
    ASSERT_THAT(claimed.executions, SizeIs(1));
    ASSERT_THAT(claimed.executions[0].signals, SizeIs(1));
    EXPECT_EQ(claimed.executions[0].signals[0].signal_name, "approved");
}

// ---- how a suspension ends ------------------------------------------------------------------------------------------

// Suspended under the key, with one signal that has come.
struct SuspendedDesk : Desk {
    SuspendedDesk() : Desk(suspended(), now) {
        const RememberedSuspend remembered{
            .suspension_id = asked, .waitpoints = {{waitpoint, "a", "k1"}}, .handle = Bytes("handle")};
        set.side.of<SuspendDedupRow>().load({.key = key(), .outcome_json = remembered.to_json()});
        ResumeCondition condition;
        condition.node = Single{"a", ByName{"approved"}};
        set.side.of<SuspensionRow>().load({.key = {row().id},
                                           .suspension_id = asked,
                                           .timeout_at_ms = now,
                                           .condition = {condition.to_json()},
                                           .timeout_behavior = TimeoutBehavior::auto_resume_with_timeout_signal});
        set.side.of<WaitpointRow>().load({.key = {row().id.partition, waitpoint},
                                          .execution_uuid = row().id.uuid,
                                          .suspension_id = asked,
                                          .waitpoint_key = "a",
                                          .state = WaitpointState::active});
        set.side.of<SignalRow>().load(
            {.key = {row().id, 0}, .waitpoint_id = waitpoint, .waitpoint_key = "a", .suspension_id = asked});
    }
    static ExecutionRow suspended() {
        ExecutionRow row = test::running_row();
        row.vector = suspended_vector(BlockingReason::waiting_for_approval);
        row.has_waitpoints = true;
        row.signal_count = 1;
        row.current_suspension_id = asked;
        row.current_waitpoint_id = waitpoint;
        return row;
    }
    SuspendDedupKey key() const { return {row().id, "approval"}; }
    const SuspendDedupRow* remembered() const { return set.side.of<SuspendDedupRow>().find(key()); }
};

TEST(SuspensionEnds, AnApprovalSettlesTheKeyWithAllThatCame) {
    SuspendedDesk desk;
    DeliverApprovalSignal approval;
    approval.execution_id = desk.row().id;
    approval.waitpoint_id = waitpoint;
    approval.lane_id = "default";
    approval.signal_name = "approved";
    ASSERT_TRUE(desk.decide(approval));
    ASSERT_NE(desk.remembered(), nullptr);
    EXPECT_EQ(desk.remembered()->satisfied_at_ms, now);
    const auto remembered = RememberedSuspend::parse(desk.remembered()->outcome_json);
    ASSERT_TRUE(remembered);
    EXPECT_EQ(remembered->handle, std::nullopt);
    EXPECT_THAT(remembered->signals, ElementsAre(0, 1));
    const SignalRow* first = desk.set.side.of<SignalRow>().find({desk.row().id, 0});
    const SignalRow* second = desk.set.side.of<SignalRow>().find({desk.row().id, 1});
    EXPECT_FALSE(first->satisfied || first->live);
    EXPECT_TRUE(second->satisfied && !second->live);
    EXPECT_EQ(second->suspension_id, asked);
}

TEST(SuspensionEnds, AnOperatorsResumeSettlesTheKey) {
    SuspendedDesk desk;
    ASSERT_TRUE(desk.decide(ResumeExecution{.execution_id = desk.row().id}));
    ASSERT_NE(desk.remembered(), nullptr);
    EXPECT_EQ(desk.remembered()->satisfied_at_ms, now);
}

TEST(SuspensionEnds, ATimeoutFreesTheKey) {
    SuspendedDesk desk;
    ASSERT_TRUE(desk.decide(time_out_suspension(desk.row().id)));
    EXPECT_EQ(desk.remembered(), nullptr);
    EXPECT_THAT(desk.set.side.of<SuspendDedupRow>().erased(), SizeIs(1));
    EXPECT_THAT(desk.set.side.of<SignalRow>().where([](const SignalRow& row) { return row.satisfied; }), IsEmpty());
}

}  // namespace
}  // namespace flowfabric
