#include "core/execution/transition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

#include "core/rows/due_rows.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

struct LeaseEnding {
    std::string_view name;
    LeaseEventType event;
    bool keeps_owner;  // on the row, for history
    std::function<void(Transition&)> end;
};

const std::vector<LeaseEnding> lease_endings{
    {"release", LeaseEventType::released, false, [](Transition& t) { t.release_lease("test"); }},
    {"return", LeaseEventType::released, false, [](Transition& t) { t.return_unstarted(); }},
    {"delay", LeaseEventType::released, true, [](Transition& t) { t.interrupt_attempt("delay", "test", "call"); }},
    {"suspend", LeaseEventType::released, true,
     [](Transition& t) {
         t.suspend(SuspensionId{uuid_of(1)}, WaitpointId{uuid_of(2)}, BlockingReason::waiting_for_signal);
     }},
    {"expire", LeaseEventType::expired, true, [](Transition& t) { t.expire_lease("test"); }},
    {"time out", LeaseEventType::expired, false, [](Transition& t) { t.end_lease_by_timeout("test"); }},
    {"revoke", LeaseEventType::revoked, false, [](Transition& t) { t.revoke_lease("test", "operator"); }},
    {"revoke for reclaim", LeaseEventType::revoked, true,
     [](Transition& t) { t.revoke_for_reclaim("test", "operator"); }},
};

TEST(Transition, EveryEndOfALeaseIsToldOnceAndMakesAnOwnerThatHasNotGivenItBackStale) {
    for (const LeaseEnding& ending : lease_endings) {
        SCOPED_TRACE(ending.name);
        Desk desk(running_row());
        Transition transition(desk.entry, desk.set);
        ending.end(transition);

        ASSERT_THAT(desk.set.events.of<LeaseEvent>(), SizeIs(1));
        const LeaseEvent& told = desk.set.events.of<LeaseEvent>().front();
        EXPECT_EQ(told.event_type, ending.event);
        EXPECT_EQ(told.lease_id, *desk.before.lease_id);
        EXPECT_EQ(told.lease_epoch, desk.before.lease_epoch);
        EXPECT_EQ(told.worker_instance_id, *desk.before.worker_instance_id);
        EXPECT_EQ(told.revoked_by.has_value(), ending.event == LeaseEventType::revoked);

        const bool given_back = ending.event == LeaseEventType::released;
        EXPECT_EQ(desk.row().lease_epoch, desk.before.lease_epoch + (given_back ? 0 : 1));
        EXPECT_EQ(desk.row().lease_id.has_value(), ending.keeps_owner);
        EXPECT_EQ(desk.row().worker_id.has_value(), ending.keeps_owner);
        EXPECT_EQ(desk.row().lease_expires_at_ms.has_value(), has_lost_lease(desk.row()));
    }
}

TEST(Transition, NothingOutlivesAnExecution) {
    ExecutionRow row = reclaimable_row();
    row.delay_until_ms = claimed_at + 60'000;
    row.attempt_deadline_at_ms = claimed_at + 60'000;
    row.deadline_check_at_ms = claimed_at + 60'000;
    row.blocking_detail = "revoked: test";
    row.grant_until_ms = claimed_at + 60'000;
    row.has_waitpoints = true;
    row.own_retention_ms = 5'000;
    Desk desk(row);
    desk.set.side.of<GrantRow>().load({.key = {row.id.partition, {"grant"}}, .execution_uuid = row.id.uuid});
    const WaitpointRow waitpoint{.key = {row.id.partition, WaitpointId{uuid_of(3)}}, .execution_uuid = row.id.uuid};
    desk.set.side.of<WaitpointRow>().load(waitpoint);
    Transition transition(desk.entry, desk.set);
    transition.finish(TerminalOutcome::failed);

    const ExecutionRow& ended = desk.row();
    EXPECT_EQ(ended.vector.lifecycle_phase, LifecyclePhase::terminal);
    EXPECT_EQ(ended.terminal_at_ms, transition.now());
    for (const ExecutionTimer* timer : execution_timers) EXPECT_FALSE(ended.*timer->at) << timer->name;
    EXPECT_FALSE(ended.reclaimable_since_ms || ended.lease_id || ended.worker_id || ended.lease_expires_at_ms);
    EXPECT_FALSE(ended.interrupt_cause || ended.blocking_detail || ended.grant_until_ms || ended.has_waitpoints);
    EXPECT_THAT(desk.set.side.of<GrantRow>().rows(), IsEmpty());
    EXPECT_EQ(desk.set.side.of<WaitpointRow>().find(waitpoint.key)->state, WaitpointState::closed);
    EXPECT_EQ(desk.set.side.of<RetentionRow>().find({row.id})->remove_at_ms, transition.now() + 5'000);
    EXPECT_THAT(desk.set.events.of<CompletionEvent>(), SizeIs(1));
    expect_change_is_reported(desk);
}

}  // namespace
}  // namespace flowfabric::test
