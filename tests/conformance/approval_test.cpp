#include <map>

#include "conformance/suspending.hpp"
#include "conformance/waiting.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A handler that asks for an approval under a key, and whatever becomes of its attempt behind it.
class Approvals : public Suspending {
  protected:
    static Suspend ask(const Handle& handle) {
        return keyed(until(handle, single("a", ByName{"approved"}), {fresh("a")}), "approval");
    }
    Suspended approve(const ExecutionId& id, const Handle& handle) {
        Suspended asked = suspend(ask(handle));
        EXPECT_EQ(effect_of(signal(id, asked.details.primary, "considered")), SignalEffect::no_op);
        EXPECT_EQ(effect_of(signal(id, asked.details.primary, "approved")), SignalEffect::resume_condition_satisfied);
        return asked;
    }
    // The attempt is told of the approval that was given, and keeps its lease.
    void expect_known(const ExecutionId& id, const Handle& handle, const Suspended& asked) {
        ConditionAlreadyMet met;
        expect_no_change([&] { met = already_met(ask(handle)); });
        EXPECT_EQ(met.details, asked.details);
        EXPECT_FALSE(met.more_signals);
        expect_approved(met.signals, asked);
        EXPECT_EQ(state(id), PublicState::active);
        EXPECT_TRUE(renew(handle));
    }
    static void expect_approved(const std::vector<ResumeSignal>& signals, const Suspended& asked) {
        ASSERT_THAT(signals, SizeIs(2));
        EXPECT_EQ(signals[0].signal_name, "considered");
        EXPECT_FALSE(signals[0].satisfied);
        EXPECT_EQ(signals[1].signal_name, "approved");
        EXPECT_TRUE(signals[1].satisfied);
        for (const ResumeSignal& signal : signals) {
            EXPECT_EQ(signal.suspension_id, asked.details.suspension_id);
            EXPECT_EQ(signal.waitpoint_id, asked.details.primary.waitpoint_id);
            EXPECT_EQ(signal.waitpoint_key, "a");
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Approvals, all_stores(), name_of_param);

// ---- the next attempt -----------------------------------------------------------------------------------------------

TEST_P(Approvals, AreKnownToTheResumedAttempt) {
    const auto id = create();
    const Suspended asked = approve(id, claim().handle);
    const auto resumed = claim("w2");
    EXPECT_EQ(resumed.attempt_index, 0U);
    expect_approved(resumed.signals, asked);
    expect_known(id, resumed.handle, asked);
}

TEST_P(Approvals, AreNotAskedForAgainAfterACrash) {
    const auto id = create();
    const Suspended asked = approve(id, claim().handle);
    claim("w2");
    for (std::uint32_t attempt = 1; attempt < 4; ++attempt) {
        let_lease_lapse();
        const auto next = claim("w3");
        EXPECT_EQ(next.attempt_index, attempt);
        expect_approved(next.signals, asked);
        expect_known(id, next.handle, asked);
    }
}

TEST_P(Approvals, AreNotAskedForAgainAfterAFailure) {
    const auto id = create_with(retries(3, 0));
    const Suspended asked = approve(id, claim().handle);
    fail_with_retry(claim("w2").handle);
    reconcile();
    const auto next = claim("w3");
    EXPECT_EQ(next.attempt_type, AttemptType::retry);
    expect_approved(next.signals, asked);
    expect_known(id, next.handle, asked);
}

TEST_P(Approvals, AreGivenToAnOperatorAndToHoldersOfGrants) {
    const auto id = create();
    const Suspended asked = approve(id, claim().handle);
    const auto resumed = value_of(run(IssueGrantAndClaim{.execution_id = id, .lease_ttl_ms = 30'000}));
    expect_approved(resumed.signals, asked);
    let_lease_lapse();
    const GrantRequest request{.execution_id = id, .worker_id = "w3", .worker_instance_id = "w3-1"};
    value_of(run(IssueReclaimGrant{request, {}}));
    const GrantRedemption redemption{.execution_id = id, .worker_id = "w3", .worker_instance_id = "w3-1"};
    const auto outcome = value_of(run(ReclaimExecution{redemption, {}}));
    const auto& reclaimed = std::get<LeasedExecution>(outcome);
    expect_approved(reclaimed.signals, asked);
    expect_known(id, reclaimed.handle, asked);
}

TEST_P(Approvals, ArriveWithTheClaimThatWaitsForThem) {
    const auto id = create();
    const Suspended asked = suspend(ask(claim().handle));
    value_of(signal(id, asked.details.primary, "considered"));
    std::vector<ClaimedExecution> claimed;
    wait_for_work(engine(), claimed);
    value_of(signal(id, asked.details.primary, "approved"));
    ASSERT_THAT(claimed, SizeIs(1));
    expect_approved(claimed[0].signals, asked);
}

TEST_P(Approvals, ThatWereNeverAskedForCostAClaimNothing) {
    create();
    const auto claimed = claim();
    EXPECT_THAT(claimed.signals, IsEmpty());
    EXPECT_FALSE(claimed.more_signals);
}

// ---- the key -------------------------------------------------------------------------------------------------------

TEST_P(Approvals, AreKnownForTheExecutionsLife) {
    const auto id = create();
    const Suspended asked = approve(id, claim().handle);
    advance(100 * week);
    reconcile();
    expect_known(id, claim("w2").handle, asked);
}

TEST_P(Approvals, AreKnownWhenTheKeyThatSignedTheirTokenIsGone) {
    const auto id = create();
    const Suspended asked = approve(id, claim().handle);
    for (const char* kid : {"k2", "k3", "k4"}) {
        rotate_to(kid, 'b', 0);
        advance(week);
    }
    const ConditionAlreadyMet met = already_met(ask(claim("w2").handle));
    EXPECT_EQ(met.details.suspension_id, asked.details.suspension_id);
    expect_approved(met.signals, asked);
}

TEST_P(Approvals, AreToldToWhoeverHoldsTheLeaseAndToNobodyElse) {
    const auto id = create();
    const auto first = claim();
    approve(id, first.handle);
    expect_suspend_refused(ask(first.handle), execution_not_active);
    const auto resumed = claim("w2");
    expect_suspend_refused(ask(first.handle), stale_lease);
    EXPECT_TRUE(complete(resumed.handle));
}

TEST_P(Approvals, AreKnownWithADeadlineThatHasPassed) {
    const auto id = create();
    const std::int64_t deadline = now() + 1000;
    const Suspended asked = suspend(with_timeout(ask(claim().handle), deadline));
    value_of(signal(id, asked.details.primary, "approved"));
    advance(5000);
    const auto met = already_met(with_timeout(ask(claim("w2").handle), deadline));
    EXPECT_EQ(met.details.suspension_id, asked.details.suspension_id);
}

TEST_P(Approvals, ThatWereKeptAheadOfTheSuspensionAreKnownAfterACrash) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    DeliverSignal early{.execution_id = id,
                        .waitpoint_id = ahead.waitpoint_id,
                        .waitpoint_token = ahead.token,
                        .signal_name = "approved",
                        .source_type = "user",
                        .source_identity = "ada"};
    early.payload = "by mail";
    value_of(run(early));
    const auto kept = value_of(api().observe_signals(claimed.handle));
    ASSERT_THAT(kept, SizeIs(1));
    EXPECT_EQ(kept[0].suspension_id, std::nullopt) << "not yet";
    const Suspend command = keyed(until(claimed.handle, single("a"), {pending(ahead.waitpoint_id)}), "approval");
    const ConditionAlreadyMet met = already_met(command);
    ASSERT_THAT(met.signals, SizeIs(1));
    EXPECT_EQ(met.signals[0].payload, "by mail");
    EXPECT_EQ(met.signals[0].suspension_id, met.details.suspension_id);
    EXPECT_TRUE(met.signals[0].satisfied);
    let_lease_lapse();
    EXPECT_EQ(already_met(ask(claim("w2").handle)), met);
}

TEST_P(Approvals, ByAnOperatorsResumeAreNotAskedForAgain) {
    const auto id = create();
    const Suspended asked = suspend(ask(claim().handle));
    resume(id);
    claim("w2");
    let_lease_lapse();
    const auto met = already_met(ask(claim("w3").handle));
    EXPECT_EQ(met.details, asked.details);
    EXPECT_THAT(met.signals, IsEmpty());
}

TEST_P(Approvals, ThatNeverCameAreAskedForAgain) {
    const auto id = create();
    Suspend command = with_timeout(ask(claim().handle), now() + 1000);
    command.timeout_behavior = TimeoutBehavior::auto_resume_with_timeout_signal;
    const Suspended first = suspend(command);
    advance(1000);
    reconcile();
    const auto resumed = claim("w2");
    ASSERT_THAT(resumed.signals, SizeIs(1));
    EXPECT_EQ(resumed.signals[0].signal_name, "timeout");
    EXPECT_FALSE(resumed.signals[0].satisfied);
    const Suspended second = suspend(ask(resumed.handle));
    EXPECT_NE(second.details.suspension_id, first.details.suspension_id);
    EXPECT_EQ(suspend(ask(resumed.handle)), second) << "the key is the new one's";
    EXPECT_EQ(effect_of(signal(id, second.details.primary, "approved")), SignalEffect::resume_condition_satisfied);
    EXPECT_EQ(already_met(ask(claim("w3").handle)).details, second.details);
}

TEST_P(Approvals, ATimeThatWasWaitedForIsNotWaitedForAgain) {
    create();
    const auto sleep = [&](const Handle& handle) {
        Suspend command = with_timeout(keyed(until(handle, {TimeoutOnly{}}, {fresh("a")}), "nap"), now() + 1000);
        command.timeout_behavior = TimeoutBehavior::auto_resume_with_timeout_signal;
        return command;
    };
    const Suspended asleep = suspend(sleep(claim().handle));
    advance(1000);
    reconcile();
    claim("w2");
    let_lease_lapse();
    const auto met = already_met(sleep(claim("w3").handle));
    EXPECT_EQ(met.details.suspension_id, asleep.details.suspension_id);
    ASSERT_THAT(met.signals, SizeIs(1));
    EXPECT_TRUE(met.signals[0].satisfied);
}

TEST_P(Approvals, OfAnEarlierRunAreNotThoseOfAReplay) {
    const auto id = create();
    const Suspended first = approve(id, claim().handle);
    value_of(complete(claim("w2").handle));
    value_of(run(ReplayExecution{.execution_id = id}));
    const auto replayed = claim("w3");
    EXPECT_THAT(replayed.signals, IsEmpty());
    EXPECT_THAT(value_of(api().observe_signals(replayed.handle)), IsEmpty());
    const Suspended second = suspend(ask(replayed.handle));
    EXPECT_NE(second.details.suspension_id, first.details.suspension_id);
    EXPECT_EQ(effect_of(signal(id, second.details.primary, "approved")), SignalEffect::resume_condition_satisfied);
    const auto resumed = claim("w4");
    ASSERT_THAT(resumed.signals, SizeIs(1));
    EXPECT_EQ(resumed.signals[0].suspension_id, second.details.suspension_id);
    EXPECT_EQ(already_met(ask(resumed.handle)).signals, resumed.signals);
    EXPECT_THAT(snapshot().of<SignalRow>(), SizeIs(3)) << "all stay on record";
}

// ---- how many ------------------------------------------------------------------------------------------------------

TEST_P(Approvals, AreGivenUpToALimitAndObservedWhole) {
    const auto id = create();
    const Suspended asked = suspend(ask(claim().handle));
    DeliverSignal command{.execution_id = id,
                          .waitpoint_id = asked.details.primary.waitpoint_id,
                          .waitpoint_token = asked.details.primary.token,
                          .signal_name = "considered",
                          .source_type = "user",
                          .source_identity = "ada"};
    command.payload = std::string(max_given_signal_bytes / 2, 'x');
    for (int i = 0; i < 3; ++i) value_of(run(command));
    command.signal_name = "approved";
    command.payload.reset();
    value_of(run(command));
    const auto resumed = claim("w2");
    EXPECT_TRUE(resumed.more_signals);
    const auto all = value_of(api().observe_signals(resumed.handle));
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_TRUE(all[3].satisfied);
    EXPECT_EQ(resumed.signals, (std::vector{all[0], all[1], all[3]})) << "the approval is not what is left out";
    const auto met = already_met(ask(resumed.handle));
    EXPECT_EQ(met.signals, resumed.signals);
    EXPECT_TRUE(met.more_signals);
}

TEST_P(Approvals, ThatAnOperatorDidNotWaitForSatisfiedNothing) {
    const auto id = create();
    const auto ask_for_two = [](const Handle& handle) {
        Suspend command = ask(handle);
        command.resume_condition = {Count{2, CountKind::distinct_signals, std::nullopt, {"a"}}};
        return command;
    };
    const Suspended asked = suspend(ask_for_two(claim().handle));
    EXPECT_EQ(effect_of(signal(id, asked.details.primary, "approved")), SignalEffect::appended_to_waitpoint);
    value_of(run(ResumeExecution{.execution_id = id}));
    const auto resumed = claim("w2");
    ASSERT_THAT(resumed.signals, SizeIs(1));
    EXPECT_FALSE(resumed.signals[0].satisfied);
    EXPECT_EQ(already_met(ask_for_two(resumed.handle)).signals, resumed.signals) << "it is not asked for again";
}

TEST_P(Approvals, OfManyExecutionsGoToTheirOwn) {
    std::map<ExecutionId, SuspensionDetails> asked;
    for (int i = 0; i < 3; ++i) {
        const auto id = create();
        asked[id] = suspend(ask(claim().handle)).details;
    }
    for (const auto& [id, details] : asked) value_of(signal(id, details.primary, "approved"));
    Claim command = claim_by("w2");
    command.max_count = 5;
    create();
    for (const ClaimedExecution& one : value_of(run(command)).executions) {
        ASSERT_THAT(one.signals, SizeIs(asked.contains(one.execution_id) ? 1 : 0));
        if (one.signals.empty()) continue;
        EXPECT_EQ(one.signals[0].suspension_id, asked.at(one.execution_id).suspension_id);
    }
}

}  // namespace
}  // namespace flowfabric::test
