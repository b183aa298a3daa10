#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using enum LeaseEventType;

class FencingTest : public StoreTest {
  protected:
    // Every operation of a lease holder answers the same error and changes nothing.
    void expect_all_refused(const LeaseRef& lease, ErrorKind kind, std::string_view in_detail = "") {
        expect_no_change([&] {
            expect_error(run(Renew{.lease = lease, .lease_ttl_ms = 5000}), kind, in_detail);
            expect_error(run(Complete{.lease = lease, .result = "stolen"}), kind, in_detail);
            expect_error(run(Fail{.lease = lease, .reason = "stolen"}), kind, in_detail);
        });
    }

    // A leased execution of w2 that w1 lost.
    struct Reclaimed {
        ClaimedExecution lost;
        ClaimedExecution current;
    };
    Reclaimed reclaimed_execution() {
        create();
        ClaimedExecution lost = claim("w1");
        advance(30'000);
        reconcile();
        return {std::move(lost), claim("w2")};
    }
};

TEST_P(FencingTest, AnUnknownExecutionIsNotFound) {
    create();
    Fence fence = fence_of(claim());
    fence.execution_id.uuid = Uuid{};
    expect_all_refused(fence, ErrorKind::execution_not_found);
    // Existence comes first: a partial fence to nowhere is not found.
    fence.lease_id.reset();
    expect_all_refused(fence, ErrorKind::execution_not_found);
}

TEST_P(FencingTest, TheThreeFencesAreGivenTogether) {
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

TEST_P(FencingTest, APartialFenceIsRefusedBeforeTheStateIsLookedAt) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(complete(claimed.handle));
    expect_all_refused(Fence{.execution_id = id, .lease_id = claimed.lease_id}, ErrorKind::invalid_input,
                       "partial_fence_triple");
}

TEST_P(FencingTest, ALeaseHolderMustShowItsFence) {
    const ExecutionId id = create();
    claim();
    expect_all_refused(Fence{.execution_id = id}, ErrorKind::invalid_input, "fence_required");
}

TEST_P(FencingTest, AnOperatorMayCompleteAndFailWithoutAFence) {
    const ExecutionId completed = create();
    claim();
    value_of(run(Complete{.lease = Fence{.execution_id = completed}, .source = Source::operator_override}));
    EXPECT_EQ(state(completed), PublicState::completed);

    const ExecutionId failed = create();
    claim();
    value_of(run(Fail{.lease = Fence{.execution_id = failed}, .source = Source::operator_override}));
    EXPECT_EQ(state(failed), PublicState::failed);
}

TEST_P(FencingTest, AnOperatorCannotOverrideAMissingOrLapsedLease) {
    const ExecutionId id = create();
    const Complete by_operator{.lease = Fence{.execution_id = id}, .source = Source::operator_override};
    expect_error(run(by_operator), ErrorKind::execution_not_active);
    claim();
    advance(30'000);
    expect_error(run(by_operator), ErrorKind::lease_expired);
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
}

TEST_P(FencingTest, AnExecutionThatIsNotActiveTellsItsFacts) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(complete(claimed.handle));
    const auto refused = renew(claimed.handle);
    expect_error(refused, ErrorKind::execution_not_active);
    EXPECT_EQ(refused.error().not_active, (NotActiveFacts{.terminal_outcome = "success",
                                                          .lease_epoch = 1,
                                                          .lifecycle_phase = "terminal",
                                                          .attempt_id = claimed.attempt_id.to_string()}));
    const auto failed = fail(claimed.handle);
    expect_error(failed, ErrorKind::execution_not_active);
    EXPECT_EQ(failed.error().not_active, refused.error().not_active);
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(FencingTest, AWaitingExecutionIsNotActive) {
    const ExecutionId other = create();
    Fence fence = fence_of(claim());
    fence.execution_id = create();
    expect_all_refused(fence, ErrorKind::execution_not_active);
    EXPECT_EQ(state(other), PublicState::active);
}

TEST_P(FencingTest, StaleWorkerCannotCompleteAfterReclaim) {
    const auto [lost, current] = reclaimed_execution();
    expect_all_refused(lost.handle, ErrorKind::stale_lease);
    expect_all_refused(fence_of(lost), ErrorKind::stale_lease);
    value_of(complete(current.handle, "by w2"));
    EXPECT_EQ(result(current.execution_id), "by w2");
    expect_all_refused(lost.handle, ErrorKind::execution_not_active);
}

TEST_P(FencingTest, EveryPartOfTheTripleMustMatch) {
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
    const Handle wrong_index = forged(claimed.handle, [](HandleContent& content) { content.attempt_index = 7; });
    expect_all_refused(wrong_index, ErrorKind::stale_lease);
}

TEST_P(FencingTest, TheHandleOfAnotherExecutionIsStale) {
    create();
    create();
    const ClaimedExecution mine = claim("w1");
    const ClaimedExecution other = claim("w2");
    const Handle crossed =
        forged(mine.handle, [&](HandleContent& content) { content.execution_id = other.execution_id; });
    expect_all_refused(crossed, ErrorKind::stale_lease);
}

TEST_P(FencingTest, ASuspendedHandleIsStale) {
    create();
    Handle handle = claim().handle;
    handle.kind = HandleKind::suspended;
    expect_all_refused(handle, ErrorKind::stale_lease);
}

TEST_P(FencingTest, AWorkerWhoseAttemptFailedCannotCompleteTheNextOne) {
    const ExecutionId id = create_with(retries(3, 0));
    const ClaimedExecution first = claim("w1");
    fail_with_retry(first.handle);
    expect_error(complete(first.handle), ErrorKind::execution_not_active);
    const ClaimedExecution second = claim("w2");
    EXPECT_EQ(second.attempt_index, 1U);
    expect_all_refused(first.handle, ErrorKind::stale_lease);
    value_of(complete(second.handle));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(FencingTest, ALapsedLeaseIsNoticedByItsHoldersOwnCall) {
    for (const std::string_view operation : {"renew", "complete", "fail"}) {
        const ExecutionId id = create_with(retries(3, 0));
        const ClaimedExecution claimed = claim("w1");
        advance(30'000);
        if (operation == "renew") expect_error(renew(claimed.handle), ErrorKind::lease_expired);
        if (operation == "complete") expect_error(complete(claimed.handle), ErrorKind::lease_expired);
        if (operation == "fail") expect_error(fail(claimed.handle), ErrorKind::lease_expired);
        const ExecutionRow after = row(id);
        EXPECT_EQ(after.vector.ownership_state, OwnershipState::lease_expired_reclaimable) << operation;
        EXPECT_EQ(after.lease_epoch, 2U) << operation;
        EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired)) << operation;
        // Told again, noticed once.
        expect_all_refused(claimed.handle, ErrorKind::lease_expired);
        value_of(complete(claim("w2").handle));
    }
}

TEST_P(FencingTest, ALeaseLivesUntilJustBeforeItsExpiry) {
    create();
    const ClaimedExecution claimed = claim();
    advance(29'999);
    value_of(complete(claimed.handle));
}

TEST_P(FencingTest, AForeignHandleOfALapsedLeaseAlsoNoticesIt) {
    const auto [lost, current] = reclaimed_execution();
    advance(30'000);
    expect_error(complete(lost.handle), ErrorKind::lease_expired);
    EXPECT_THAT(lease_event_types(current.execution_id),
                ElementsAre(acquired, expired, LeaseEventType::reclaimed, expired));
}

TEST_P(FencingTest, HandlesOfOtherStoresAreRefused) {
    create();
    const Handle handle = claim().handle;
    const BackendTag other = handle.backend == BackendTag::postgres ? BackendTag::sqlite : BackendTag::postgres;
    Handle outer = handle;
    outer.backend = other;
    expect_all_refused(outer, ErrorKind::handle_from_other_backend);
    Handle inner = handle;
    inner.opaque[2] = static_cast<char>(other);
    expect_all_refused(inner, ErrorKind::handle_from_other_backend);
    Handle legacy = handle;
    legacy.opaque[0] = '\x01';
    expect_all_refused(legacy, ErrorKind::handle_from_other_backend);
}

TEST_P(FencingTest, DamagedHandlesAreRefused) {
    create();
    const Handle handle = claim().handle;
    expect_no_change([&] {
        for (std::size_t size = 0; size < handle.opaque.size(); ++size) {
            Handle truncated = handle;
            truncated.opaque.resize(size);
            expect_error(complete(truncated), ErrorKind::corruption);
        }
    });
    Handle longer = handle;
    longer.opaque += '\0';
    expect_all_refused(longer, ErrorKind::corruption);
    Handle unknown_version = handle;
    unknown_version.opaque[1] = '\x09';
    expect_all_refused(unknown_version, ErrorKind::corruption);
    Handle unknown_tag = handle;
    unknown_tag.opaque[2] = '\x77';
    expect_all_refused(unknown_tag, ErrorKind::corruption);
    Handle not_text = handle;
    not_text.opaque[8] = '\xff';
    expect_all_refused(not_text, ErrorKind::corruption);
}

TEST_P(FencingTest, AHandleToAPartitionThatDoesNotExistIsRefused) {
    create();
    const Handle handle = forged(claim().handle, [](HandleContent& content) { content.execution_id.partition = 256; });
    expect_all_refused(handle, ErrorKind::invalid_input, "execution_id");
}

INSTANTIATE_TEST_SUITE_P(Stores, FencingTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
