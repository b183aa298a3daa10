#include <functional>
#include <map>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using enum LeaseEventType;

// The operations that give a lease back or write under it climb the same ladder as renew, complete and fail.
class FenceLadderTest : public StoreTest {
  protected:
    using Refusal = std::optional<EngineError>;
    using Operation = std::function<Refusal(const LeaseRef&)>;

    std::map<std::string, Operation> operations() {
        return {
            {"progress", [&](const LeaseRef& lease) { return refusal_of(progress(lease, 10, "stolen")); }},
            {"delay", [&](const LeaseRef& lease) { return refusal_of(delay(lease, now() + 1000)); }},
            {"release", [&](const LeaseRef& lease) { return refusal_of(release(lease)); }},
            {"cancel", [&](const LeaseRef& lease) { return refusal_of(cancel(lease)); }},
            {"wait_children", [&](const LeaseRef& lease) { return refusal_of(run(WaitChildren{.lease = lease})); }},
        };
    }
    Refusal cancel_as_holder(const Fence& fence) {
        return refusal_of(run(CancelExecution{.execution = fence, .reason = "stolen", .source = "lease_holder"}));
    }

    static void expect_refusal(const std::string& name, const Refusal& refusal, ErrorKind kind,
                               std::string_view in_detail = "") {
        SCOPED_TRACE(name);
        if (!refusal) {
            ADD_FAILURE() << "succeeded instead of answering " << name_of(kind);
            return;
        }
        EXPECT_EQ(name_of(refusal->kind), name_of(kind)) << to_string(*refusal);
        EXPECT_THAT(refusal->detail, ::testing::HasSubstr(std::string(in_detail)));
    }

    // Every operation answers the same error and changes nothing.
    void expect_all_refused(const LeaseRef& lease, ErrorKind kind, std::string_view in_detail = "") {
        expect_no_change([&] {
            for (const auto& [name, operation] : operations()) expect_refusal(name, operation(lease), kind, in_detail);
            if (const auto* fence = std::get_if<Fence>(&lease)) {
                expect_refusal("cancel_execution", cancel_as_holder(*fence), kind, in_detail);
            }
        });
    }

  private:
    template <class T>
    static Refusal refusal_of(const Result<T>& result) {
        return result ? std::nullopt : std::optional(result.error());
    }
};

TEST_P(FenceLadderTest, AnUnknownExecutionIsNotFound) {
    create();
    Fence fence = fence_of(claim());
    fence.execution_id.uuid = Uuid{};
    expect_all_refused(fence, ErrorKind::execution_not_found);
    fence.lease_id.reset();
    expect_all_refused(fence, ErrorKind::execution_not_found);
}

TEST_P(FenceLadderTest, TheThreeFencesAreGivenTogether) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    for (int given = 1; given < 7; ++given) {
        Fence partial{.execution_id = id};
        if (given & 1) partial.lease_id = claimed.lease_id;
        if (given & 2) partial.lease_epoch = claimed.lease_epoch;
        if (given & 4) partial.attempt_id = claimed.attempt_id;
        expect_all_refused(partial, ErrorKind::invalid_input, "partial_fence_triple");
    }
}

TEST_P(FenceLadderTest, ALeaseHolderMustShowItsFence) {
    const ExecutionId id = create();
    claim();
    expect_all_refused(Fence{.execution_id = id}, ErrorKind::invalid_input, "fence_required");
}

TEST_P(FenceLadderTest, AFenceIsAskedForBeforeTheStateIsLookedAt) {
    const ExecutionId id = create();
    expect_no_change([&] {
        for (const auto& [name, operation] : operations()) {
            expect_refusal(name, operation(Fence{.execution_id = id}), ErrorKind::invalid_input, "fence_required");
        }
    });
}

TEST_P(FenceLadderTest, AWaitingExecutionIsNotActive) {
    create();
    Fence fence = fence_of(claim());
    fence.execution_id = create();
    expect_no_change([&] {
        for (const auto& [name, operation] : operations()) {
            const Refusal refusal = operation(fence);
            expect_refusal(name, refusal, ErrorKind::execution_not_active);
            ASSERT_TRUE(refusal);
            EXPECT_EQ(
                refusal->not_active,
                (NotActiveFacts{
                    .terminal_outcome = "none", .lease_epoch = 0, .lifecycle_phase = "runnable", .attempt_id = ""}))
                << name;
        }
    });
}

TEST_P(FenceLadderTest, ACompletedExecutionTellsItsFacts) {
    create();
    const ClaimedExecution claimed = claim();
    value_of(complete(claimed.handle));
    expect_no_change([&] {
        for (const auto& [name, operation] : operations()) {
            const Refusal refusal = operation(claimed.handle);
            expect_refusal(name, refusal, ErrorKind::execution_not_active);
            ASSERT_TRUE(refusal);
            EXPECT_EQ(refusal->not_active, (NotActiveFacts{.terminal_outcome = "success",
                                                           .lease_epoch = 1,
                                                           .lifecycle_phase = "terminal",
                                                           .attempt_id = claimed.attempt_id.to_string()}))
                << name;
        }
    });
}

TEST_P(FenceLadderTest, ALapsedLeaseIsNoticedByItsHoldersOwnCallOnce) {
    for (const auto& [name, operation] : operations()) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim("w1");
        advance(30'000);
        expect_refusal(name, operation(claimed.handle), ErrorKind::lease_expired);

        const ExecutionRow after = row(id);
        EXPECT_EQ(after.vector.ownership_state, OwnershipState::lease_expired_reclaimable) << name;
        EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::active) << name;
        EXPECT_EQ(after.lease_epoch, 2U) << name;
        EXPECT_EQ(after.reclaimable_since_ms, now()) << name;
        EXPECT_FALSE(after.progress_pct || after.last_release || after.cancelled_by) << name;
        EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired)) << name;
        expect_all_refused(claimed.handle, ErrorKind::lease_expired);
        value_of(complete(claim("w2").handle));
    }
}

TEST_P(FenceLadderTest, ALeaseLivesUntilJustBeforeItsExpiry) {
    for (const auto& [name, operation] : operations()) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim();
        advance(29'999);
        EXPECT_EQ(operation(claimed.handle), std::nullopt) << name;
        if (state(id) != PublicState::cancelled) value_of(cancel_by("operator_override", id));
    }
}

TEST_P(FenceLadderTest, TheLoserOfALeaseIsStale) {
    create();
    const ClaimedExecution lost = claim("w1");
    let_lease_lapse();
    const ClaimedExecution current = claim("w2");
    expect_all_refused(lost.handle, ErrorKind::stale_lease);
    expect_all_refused(fence_of(lost), ErrorKind::stale_lease);
    value_of(complete(current.handle));
}

TEST_P(FenceLadderTest, EveryPartOfTheTripleMustMatch) {
    create();
    const ClaimedExecution claimed = claim();
    Fence wrong_lease = fence_of(claimed);
    wrong_lease.lease_id = LeaseId{};
    Fence wrong_epoch = fence_of(claimed);
    wrong_epoch.lease_epoch = LeaseEpoch{2};
    Fence wrong_attempt = fence_of(claimed);
    wrong_attempt.attempt_id = AttemptId{};
    for (const Fence& fence : {wrong_lease, wrong_epoch, wrong_attempt}) {
        expect_all_refused(fence, ErrorKind::stale_lease);
    }
    expect_all_refused(forged(claimed.handle, [](HandleContent& content) { content.attempt_index = 7; }),
                       ErrorKind::stale_lease);
}

TEST_P(FenceLadderTest, ASuspendedHandleIsStale) {
    create();
    Handle handle = claim().handle;
    handle.kind = HandleKind::suspended;
    expect_all_refused(handle, ErrorKind::stale_lease);
}

TEST_P(FenceLadderTest, ForeignAndDamagedHandlesAreRefused) {
    create();
    const Handle handle = claim().handle;
    Handle foreign = handle;
    foreign.backend = handle.backend == BackendTag::postgres ? BackendTag::sqlite : BackendTag::postgres;
    expect_all_refused(foreign, ErrorKind::handle_from_other_backend);
    Handle truncated = handle;
    truncated.opaque.resize(handle.opaque.size() / 2);
    expect_all_refused(truncated, ErrorKind::corruption);
}

TEST_P(FenceLadderTest, AFenceDoesWhatTheHandleDoes) {
    for (const auto& [name, operation] : operations()) {
        const ExecutionId id = create();
        EXPECT_EQ(operation(fence_of(claim())), std::nullopt) << name;
        if (state(id) != PublicState::cancelled) value_of(cancel_by("operator_override", id));
    }
    const ExecutionId id = create();
    EXPECT_EQ(cancel_as_holder(fence_of(claim())), std::nullopt);
    EXPECT_EQ(row(id).cancelled_by, "lease_holder");
}

TEST_P(FenceLadderTest, OnlyTheLastHolderMayRepeat) {
    const ExecutionId id = create();
    const ClaimedExecution first = claim("w1");
    const std::int64_t until = now() + 1000;
    value_of(delay(first.handle, until));
    advance(1000);
    reconcile();
    const ClaimedExecution second = claim("w2");
    value_of(delay(second.handle, until));
    expect_error(delay(first.handle, until), ErrorKind::execution_not_active);
    value_of(delay(second.handle, until));
    EXPECT_EQ(state(id), PublicState::resumable);
}

INSTANTIATE_TEST_SUITE_P(Stores, FenceLadderTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
