#include "engine/batching/hand_over.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/execution/state_vector.hpp"
#include "core/execution/transition.hpp"
#include "engine/batching/decide_batch.hpp"
#include "engine/batching/load_plan.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class HandOver : public testing::Test {
  protected:
    std::vector<ExecutionId> handed_to(const BatchDecision& decision, std::size_t waiting) {
        std::vector<ExecutionId> ids;
        for (const auto& execution : decision.handed_over[waiting].executions) ids.push_back(execution.execution_id);
        return ids;
    }
    static AdmittedCreate create_with_priority(std::uint64_t number, std::int32_t priority) {
        AdmittedCreate create = create_of(number);
        create.row.priority = priority;
        return create;
    }

    Batch batch;
};

TEST_F(HandOver, WhatIsCreatedGoesToWhoeverWaitsForItInTheSameTransaction) {
    AdmittedCreate create = create_of(1);
    create.input = "letter";
    batch = batch_of({create});
    let_wait(batch, claim_by("worker-a", 1));
    let_wait(batch, claim_by("worker-b", 2));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    EXPECT_EQ(decision.handed_over[0].executions[0].input_payload, "letter");
    EXPECT_THAT(handed_to(decision, 1), IsEmpty());
    ASSERT_THAT(decision.set.executions, SizeIs(1));
    EXPECT_EQ(decision.set.executions[0].change, RowChange::insert);
    EXPECT_EQ(decision.set.executions[0].row.vector, active_vector());
    EXPECT_THAT(decision.set.events.of<LeaseEvent>(), SizeIs(1));
    EXPECT_FALSE(decision.set.work_available) << "nobody else need look for it";
}

TEST_F(HandOver, GoesByPriorityAndUpToWhatWasAskedFor) {
    batch = batch_of({create_with_priority(1, 0), create_with_priority(2, 5), create_with_priority(3, 5),
                      create_with_priority(4, 9)});
    let_wait(batch, claim_by("worker-a", 1, 2));
    let_wait(batch, claim_by("worker-b", 2, 1));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), ElementsAre(execution(4), execution(2)));
    EXPECT_THAT(handed_to(decision, 1), ElementsAre(execution(3)));
    EXPECT_TRUE(decision.set.work_available) << "one is left";
}

TEST_F(HandOver, PassesOverWhoCannotDoIt) {
    AdmittedCreate create = create_of(1);
    create.row.required_capabilities = {"gpu"};
    batch = batch_of({create});
    AdmittedClaim elsewhere = claim_by("worker-a", 1);
    elsewhere.claim.lanes = {"another"};
    AdmittedClaim capable = claim_by("worker-c", 3);
    capable.claim.capabilities = {"disk", "gpu"};
    let_wait(batch, elsewhere);
    let_wait(batch, claim_by("worker-b", 2));
    let_wait(batch, capable);
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), IsEmpty());
    EXPECT_THAT(handed_to(decision, 1), IsEmpty());
    EXPECT_THAT(handed_to(decision, 2), ElementsAre(execution(1)));
}

TEST_F(HandOver, APausedLaneKeepsItsWork) {
    batch = batch_of({create_of(1)});
    batch.lane_states = {{"default", LaneState::paused}};
    let_wait(batch, claim_by("worker-a", 1));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), IsEmpty());
    EXPECT_TRUE(is_waiting(decision.set.executions[0].row));
}

TEST_F(HandOver, WhatIsReleasedNeedsItsInput) {
    batch = batch_of({promote(1), promote(2)});
    let_wait(batch, claim_by("worker-a", 1, 5));
    EXPECT_THAT(load_request(batch).inputs_of, ElementsAre(execution(1), execution(2)));
    Loaded loaded = loaded_with({delayed_row(now, 1), delayed_row(now, 2)});
    loaded.inputs = {{execution(2), "letter"}};
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(2)));
    EXPECT_EQ(decision.handed_over[0].executions[0].input_payload, "letter");
    EXPECT_TRUE(decision.set.work_available);
}

TEST_F(HandOver, WhatIsLeftByThoseWhoWaitGoesToClaimsOfTheBatchThatFoundNothing) {
    batch = batch_of({claim_by("worker-b", 2), create_of(1), create_of(2), claim_by("worker-c", 3, 2), create_of(3),
                      claim_by("worker-d", 4)});
    select_each_claim(batch);
    let_wait(batch, claim_by("worker-a", 1));
    Loaded loaded = loaded_with({});
    loaded.claims.resize(3);
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(2)));
    EXPECT_EQ(decision.verdicts[0].verdict, Verdict::answered);
    EXPECT_THAT(claimed_by(decision.verdicts[3]), ElementsAre(execution(3)));
    EXPECT_EQ(decision.verdicts[3].verdict, Verdict::answered);
    EXPECT_EQ(decision.verdicts[5].verdict, Verdict::empty_claim) << "there is nothing left";
    EXPECT_FALSE(decision.set.work_available);
}

TEST_F(HandOver, AClaimThatHasFoundWorkTakesNoMore) {
    batch = batch_of({claim_by("worker-a", 1, 2), create_of(1)});
    select_each_claim(batch);
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(9)}));
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(9)));
    EXPECT_TRUE(decision.set.work_available);
}

TEST_F(HandOver, AClaimOfTheBatchIsHandedTheInputAsWell) {
    batch = batch_of({claim_by("worker-a", 1), promote(1)});
    select_each_claim(batch);
    EXPECT_THAT(load_request(batch).inputs_of, ElementsAre(execution(1)));
    Loaded loaded = loaded_with({delayed_row(now, 1)});
    loaded.claims.emplace_back();
    loaded.inputs = {{execution(1), "letter"}};
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(1)));
    EXPECT_EQ(answer_of<Claimed>(decision.verdicts[0].answer).executions[0].input_payload, "letter");
}

TEST_F(HandOver, WhatIsReleasedBringsTheSignalsThatItHasAccepted) {
    batch = batch_of({promote(1)});
    let_wait(batch, claim_by("worker-a", 1));
    EXPECT_THAT(load_request(batch).signals_of, ElementsAre(execution(1)));
    ExecutionRow row = delayed_row(now, 1);
    row.signal_count = 1;
    Loaded loaded = loaded_with({row});
    loaded.inputs = {{execution(1), "letter"}};
    loaded.side.of<SignalRow>().load({.key = {execution(1), 0}, .signal_name = "approved"});
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    const auto& signals = decision.handed_over[0].executions[0].signals;
    ASSERT_EQ(signals.size(), 1U);
    EXPECT_EQ(signals[0].signal_name, "approved");
}

}  // namespace
}  // namespace flowfabric::test
