#include "conformance/with_key.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;

ClaimForWorker asks(std::string lane = "default", std::vector<std::string> capabilities = {}) {
    return {.lane_id = std::move(lane),
            .worker_id = "w1",
            .worker_instance_id = "w1-1",
            .capabilities = std::move(capabilities)};
}

// Grants for whatever comes first.
class GrantsOfWork : public WithKey<ApiTest> {
  protected:
    std::optional<ExecutionId> granted(ClaimForWorker command = asks()) {
        const auto grant = value_of(run(std::move(command)));
        return grant ? std::optional(grant->execution_id) : std::nullopt;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, GrantsOfWork, all_stores(), name_of_param);

TEST_P(GrantsOfWork, GoByClaimOrderAndGiveEachExecutionOnce) {
    const auto first = create();
    const auto second = create();
    CreateExecution urgent;
    urgent.priority = 9;
    const auto third = create(urgent);
    const StateVector before = row(first).vector;
    EXPECT_EQ(granted(), third);
    EXPECT_EQ(granted(), first);
    EXPECT_EQ(row(first).vector, before);
    EXPECT_EQ(granted(), second);
    EXPECT_EQ(granted(), std::nullopt);
    advance(5000);
    EXPECT_EQ(granted(), third) << "the grants have lapsed";
}

TEST_P(GrantsOfWork, AreRedeemedLikeAnyOther) {
    const auto id = create();
    const ClaimGrant grant = value_of(run(asks())).value();
    EXPECT_EQ(grant.expires_at_ms, now() + 5000);
    EXPECT_EQ(grant.lane_id, "default");
    const GrantRedemption redemption{
        .execution_id = id, .worker_id = "w1", .worker_instance_id = "w1-1", .grant_key = grant.grant_key};
    EXPECT_EQ(value_of(run(ClaimExecution{redemption})).execution_id, id);
}

TEST_P(GrantsOfWork, PassOverWhatTheWorkerCannotDoAndWhatADeadOneHasLeft) {
    CreateExecution needing;
    needing.policy.emplace().routing_requirements = RoutingRequirements{{"gpu"}};
    const auto beyond = create(needing);
    const auto lost = create();
    claim();
    let_lease_lapse();
    EXPECT_EQ(granted(), std::nullopt);
    const auto waiting = create();
    EXPECT_EQ(granted(), waiting);
    EXPECT_EQ(granted(asks("default", {"cpu", "gpu"})), beyond);
    EXPECT_EQ(claim().execution_id, lost) << "which any claim still takes";
}

TEST_P(GrantsOfWork, AreNotGivenInALaneThatIsPaused) {
    create();
    value_of(run(SetLaneState{.lane_id = "default", .state = LaneState::paused}));
    EXPECT_EQ(granted(), std::nullopt);
    value_of(run(SetLaneState{.lane_id = "default", .state = LaneState::active}));
    EXPECT_TRUE(granted());
}

class GrantsWithoutAKey : public ApiTest {};
INSTANTIATE_TEST_SUITE_P(Stores, GrantsWithoutAKey, all_stores(), name_of_param);

TEST_P(GrantsWithoutAKey, AreRefusedAndNothingIsWritten) {
    create();
    expect_no_change([&] { expect_error(run(asks()), unavailable); });
}

}  // namespace
}  // namespace flowfabric::test
