#include <deque>

#include "support/fixture.hpp"
#include "support/invariants.hpp"

namespace flowfabric::test {
namespace {

using memory::Fault;
using memory::FaultPoint;
using ::testing::ElementsAre;

// ---- faults on demand, which only the memory store has ----------------------------------------------------------

class FaultsTest : public ::testing::Test {
  protected:
    void TearDown() override { expect_invariants(*store_.backend()); }

    // The faults to come at `point`, one per visit; afterwards `then`.
    void inject(FaultPoint point, std::deque<Fault> faults, Fault then = Fault::none) {
        point_ = point;
        faults_ = std::move(faults);
        then_ = then;
        visits_ = 0;
    }
    int visits() const { return visits_; }

    Simulation& engine() { return engine_; }
    Dump snapshot() { return dump(*store_.backend()); }
    ClaimedExecution claimed_execution() {
        value_of(engine().run(CreateExecution{}));
        return value_of(engine().run(claim_by("w1"))).executions.at(0);
    }

  private:
    Fault next_fault(FaultPoint point) {
        if (point != point_) return Fault::none;
        ++visits_;
        if (faults_.empty()) return then_;
        const Fault fault = faults_.front();
        faults_.pop_front();
        return fault;
    }

    std::optional<FaultPoint> point_;
    std::deque<Fault> faults_;
    Fault then_ = Fault::none;
    int visits_ = 0;
    TestStore store_{StoreKind::memory, [this](FaultPoint point) { return next_fault(point); }};
    Simulation engine_{store_.backend(), {}};
};

TEST_F(FaultsTest, ContentionThatPassesIsNotSeenByTheCaller) {
    inject(FaultPoint::before_commit, {Fault::contention, Fault::contention});
    value_of(engine().run(CreateExecution{}));
    EXPECT_EQ(visits(), 3);
}

TEST_F(FaultsTest, ContentionThatStaysExhaustsTheBatchAndThenEachCommandAlone) {
    inject(FaultPoint::before_commit, {}, Fault::contention);
    std::vector<ErrorKind> errors;
    for (int i = 0; i < 2; ++i) {
        engine().submit(CreateExecution{},
                        [&](const Result<Answer>& answer) { errors.push_back(answer.error().kind); });
    }
    engine().settle();
    EXPECT_THAT(errors, ElementsAre(ErrorKind::retry_exhausted, ErrorKind::retry_exhausted));
    EXPECT_EQ(visits(), 3 + 2 * 3);
    EXPECT_TRUE(snapshot().executions.empty());
}

TEST_F(FaultsTest, ARefusalIsAnAnswerAndIsNotTriedAgain) {
    const ClaimedExecution claimed = claimed_execution();
    Fence stale = fence_of(claimed);
    stale.lease_epoch = LeaseEpoch{9};
    inject(FaultPoint::load, {});
    expect_error(engine().run(Complete{.lease = stale}), ErrorKind::stale_lease);
    EXPECT_EQ(visits(), 1);
}

TEST_F(FaultsTest, BusyRowsAreMetAgainLaterAndPatientlyInTheEnd) {
    const ClaimedExecution claimed = claimed_execution();
    inject(FaultPoint::load, {}, Fault::busy_rows);
    value_of(engine().run(Complete{.lease = claimed.handle}));
    EXPECT_EQ(visits(), 4);  // three rounds, then alone and patient, which this fault does not touch
}

TEST_F(FaultsTest, AConnectionLostBeforeTheCommitIsTriedAgainOnAnother) {
    const ClaimedExecution claimed = claimed_execution();
    inject(FaultPoint::before_commit, {Fault::disconnect, Fault::disconnect});
    value_of(engine().run(Complete{.lease = claimed.handle, .result = "once"}));
    EXPECT_EQ(snapshot().completion_events.size(), 1U);
}

TEST_F(FaultsTest, ALostReplyIsLookedUpAndNotRepeated) {
    inject(FaultPoint::after_commit, {Fault::disconnect, Fault::disconnect, Fault::disconnect});
    const Created created = value_of(engine().run(CreateExecution{}));
    EXPECT_FALSE(created.duplicate);
    const ClaimedExecution claimed = value_of(engine().run(claim_by("w1"))).executions.at(0);
    EXPECT_EQ(claimed.execution_id, created.execution_id);
    value_of(engine().run(Complete{.lease = claimed.handle}));
    EXPECT_EQ(visits(), 3);
    const Dump after = snapshot();
    EXPECT_EQ(after.executions.size(), 1U);
    EXPECT_EQ(after.lease_events.size(), 2U);
    EXPECT_EQ(after.completion_events.size(), 1U);
}

TEST_F(FaultsTest, EndsOfMembersWhoseCommitWasNotAnsweredAreCarriedOnAtOnce) {
    SubmitFlow graph{.flow_kind = "test"};
    graph.nodes = {{.name = "a", .execution = {}, .policy = {}}, {.name = "b", .execution = {}, .policy = {}}};
    graph.edges = {{.from = "a", .to = "b"}};
    value_of(engine().run(std::move(graph)));
    const auto end_next = [&] {
        const Claimed claimed = value_of(engine().run(claim_by("w1")));
        ASSERT_EQ(claimed.executions.size(), 1U);
        inject(FaultPoint::after_commit, {Fault::disconnect});
        value_of(engine().run(Complete{.lease = claimed.executions[0].handle}));
        engine().settle();
    };
    end_next();
    end_next();
    const Dump after = snapshot();
    for (const CompletionEvent& event : after.completion_events) EXPECT_TRUE(event.dispatched_at_ms);
    EXPECT_EQ(after.of<FlowRow>().begin()->second.public_flow_state, FlowState::completed);
}

TEST_F(FaultsTest, AStoreThatStaysAwayTimesTheCommandOut) {
    inject(FaultPoint::load, {}, Fault::disconnect);
    const auto timed_out = engine().run(CreateExecution{});
    expect_error(timed_out, ErrorKind::timeout, "create_execution");
    EXPECT_THAT(timed_out.error().detail, ::testing::HasSubstr("last store fault: "));
}

// ---- crashes, on every store ------------------------------------------------------------------------------------

class CrashTest : public StoreTest {
  protected:
    // Crashes after every number of store calls that the command may take: all of it happened, or nothing.
    template <class C>
    void expect_all_or_nothing(const C& command) {
        const Dump before = snapshot();
        for (int calls = 0;; ++calls) {
            bool answered = false;
            engine().submit(command, [&](const Result<Answer>& answer) { answered = answer.has_value(); });
            for (int i = 0; i < calls; ++i) engine().step();
            engine().crash();
            const Dump after = snapshot();
            EXPECT_EQ(answered, !(before == after)) << "after " << calls << " calls:\n" << difference(before, after);
            if (answered) return;
            ASSERT_LT(calls, 10);
        }
    }
};

TEST_P(CrashTest, ACreateHappensWhollyOrNotAtAll) {
    create();  // the lane and its class stay by themselves
    CreateExecution command;
    command.idempotency_key = "order-1";
    command.input_payload = "in";
    expect_all_or_nothing(command);
}

TEST_P(CrashTest, AClaimHappensWhollyOrNotAtAll) {
    create();
    expect_all_or_nothing(claim_by("w1"));
}

TEST_P(CrashTest, ACompleteHappensWhollyOrNotAtAll) {
    create();
    expect_all_or_nothing(Complete{.lease = claim().handle, .result = "out"});
}

TEST_P(CrashTest, AFailHappensWhollyOrNotAtAll) {
    create_with(retries(2, 500));
    expect_all_or_nothing(Fail{.lease = claim().handle, .reason = "it broke"});
}

TEST_P(CrashTest, AnotherEngineTakesOverWhereOneDied) {
    const ExecutionId id = create();
    engine().submit(claim_by("w1"), [](const Result<Answer>&) { FAIL() << "answered after the crash"; });
    engine().step();  // its rows are locked now
    engine().crash();
    const auto other = another_engine();
    const Claimed claimed = value_of(other->run(claim_by("w2")));
    ASSERT_EQ(claimed.executions.size(), 1U);
    EXPECT_EQ(claimed.executions[0].execution_id, id);
    value_of(other->run(Complete{.lease = claimed.executions[0].handle}));
    EXPECT_EQ(state(id), PublicState::completed);
}

INSTANTIATE_TEST_SUITE_P(Stores, CrashTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
