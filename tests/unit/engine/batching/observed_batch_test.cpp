#include "engine/batching/observed_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/execution/state_vector.hpp"
#include "core/flow/dispatch.hpp"
#include "engine/batching/decide_batch.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

ObservedBatch observed(const std::vector<Given>& commands, std::vector<ExecutionRow> rows) {
    const Batch batch = batch_of(commands);
    return observed_batch(batch, decide_batch(batch, loaded_with(std::move(rows)), {}), 3ms);
}

TEST(ObservedBatch, TellsWhatEndedAndHowLongItLived) {
    const ObservedBatch batch = observed({complete(running_row(1))}, {running_row(1)});
    EXPECT_TRUE(batch.committed);
    EXPECT_EQ(batch.took, 3ms);
    ASSERT_THAT(batch.lanes, SizeIs(1));
    EXPECT_EQ(batch.lanes[0].lane_id, running_row(1).lane_id);
    EXPECT_EQ(batch.lanes[0].totals, (LaneTotals{.ended_success = 1}));
    EXPECT_THAT(batch.lanes[0].attempts, ElementsAre(Pair(AttemptEnd::ok, 1U)));
    EXPECT_THAT(batch.lanes[0].lived, ElementsAre(std::chrono::milliseconds(now - created_at)));
    EXPECT_THAT(batch.lanes[0].waited, IsEmpty());
}

TEST(ObservedBatch, ALeaseHasWaitedSinceItsExecutionCouldBeClaimed) {
    Batch batch = batch_of({claim_by("w")});
    select_each_claim(batch);
    Loaded loaded = loaded_with({});
    loaded.claims = {claimable_of({waiting_row(1)})};
    const ObservedBatch seen = observed_batch(batch, decide_batch(batch, std::move(loaded), {}), 1ms);
    ASSERT_THAT(seen.lanes, SizeIs(1));
    EXPECT_EQ(seen.lanes[0].totals, (LaneTotals{.claimed = 1}));
    EXPECT_THAT(seen.lanes[0].waited,
                ElementsAre(std::chrono::milliseconds(now - waiting_row(1).last_transition_at_ms)));
}

TEST(ObservedBatch, ARenewalThatIsRefusedIsToldAlthoughNothingIsCommitted) {
    ExecutionRow later = running_row(1);
    later.lease_epoch = 99;
    const ObservedBatch refused = observed({renew(later)}, {running_row(1)});
    EXPECT_FALSE(refused.committed);
    EXPECT_EQ(refused.not_renewed, 1U);
    const ObservedBatch renewed = observed({renew(running_row(1))}, {running_row(1)});
    EXPECT_EQ(renewed.renewed, 1U);
    EXPECT_EQ(renewed.not_renewed, 0U);
}

TEST(ObservedBatch, WhatBecameOfSiblingsIsTold) {
    const FlowKey flow = key_of(FlowId{uuid_of(100)});
    const auto sibling = [&](std::uint64_t number) { return ExecutionId{flow.partition, uuid_of(number)}; };
    ExecutionRow live = waiting_row(1);
    ExecutionRow over = waiting_row(2);
    live.id = sibling(1);
    over.id = sibling(2);
    live.flow_id = over.flow_id = flow.flow_id;
    over.vector = terminal_vector(TerminalOutcome::success, true);
    EdgeGroupRow group{.key = {flow, uuid_of(9)}, .cancel_siblings_pending_flag = true};
    group.sibling_reason = "sibling_quorum_satisfied";
    group.cancel_siblings_pending_members.values = {sibling(1).to_string(), sibling(2).to_string(),
                                                    sibling(3).to_string()};
    Batch batch = batch_of({drain_siblings({group.key, {sibling(1), sibling(2), sibling(3)}, {}})});
    Loaded loaded = loaded_with({live, over});
    loaded.side.of<EdgeGroupRow>().load(group);
    loaded.side.of<SiblingWorkRow>().load({.key = group.key});
    const ObservedBatch seen = observed_batch(batch, decide_batch(batch, std::move(loaded), {}), 1ms);
    EXPECT_THAT(seen.siblings,
                UnorderedElementsAre(Pair("cancelled", 1U), Pair("already_terminal", 1U), Pair("not_found", 1U)));
    EXPECT_THAT(seen.sibling_drains, ElementsAre(Pair("completed_drain", 1U)));
}

TEST(ObservedBatch, AttemptsOfTracesAreNamedWhereTheObserverWantsThem) {
    ExecutionRow traced = running_row(1);
    traced.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    traced.tracestate = "shop=1";
    const ExecutionRow untraced = running_row(2);
    const Batch batch = batch_of({complete(traced), complete(untraced)});
    const BatchDecision decision = decide_batch(batch, loaded_with({traced, untraced}), {});
    EXPECT_THAT(observed_batch(batch, decision, 3ms).attempts, IsEmpty());
    const auto attempts = observed_batch(batch, decision, 3ms, true).attempts;
    ASSERT_THAT(attempts, SizeIs(1));
    EXPECT_EQ(attempts[0].execution_id, traced.id);
    EXPECT_EQ(attempts[0].attempt_id, traced.attempt_id);
    EXPECT_EQ(attempts[0].attempt_index, traced.attempt_index);
    EXPECT_EQ(attempts[0].execution_kind, traced.execution_kind);
    EXPECT_EQ(attempts[0].lane_id, traced.lane_id);
    EXPECT_EQ(attempts[0].worker_id, traced.worker_id);
    EXPECT_EQ(attempts[0].traceparent, traced.traceparent);
    EXPECT_EQ(attempts[0].tracestate, traced.tracestate);
    EXPECT_EQ(attempts[0].started_at_ms, traced.attempt_started_at_ms);
    EXPECT_EQ(attempts[0].ended_at_ms, now);
    EXPECT_EQ(attempts[0].end, AttemptEnd::ok);
}

TEST(ObservedBatch, LanesAreToldApart) {
    ExecutionRow other = running_row(2);
    other.lane_id = "other";
    const ObservedBatch batch = observed({complete(running_row(1)), complete(other)}, {running_row(1), other});
    ASSERT_THAT(batch.lanes, SizeIs(2));
    for (const ObservedLane& lane : batch.lanes) EXPECT_EQ(lane.totals.ended_success, 1) << lane.lane_id;
}

}  // namespace
}  // namespace flowfabric::test
