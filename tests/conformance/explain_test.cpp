#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ExplainTest : public ApiTest {
  protected:
    std::vector<Obstacle> obstacles(const ExecutionId& id) {
        const auto explained = value_of(api().explain_execution(id));
        if (!explained) throw std::runtime_error("no explanation of " + id.to_string());
        EXPECT_EQ(explained->execution_id, id);
        EXPECT_EQ(explained->public_state, state(id));
        for (const Obstacle& obstacle : explained->obstacles) {
            EXPECT_FALSE(obstacle.predicate.empty() || obstacle.detail.empty() || obstacle.remedy.empty());
        }
        return explained->obstacles;
    }

    void expect_obstacle(const Obstacle& obstacle, std::string_view predicate, std::int64_t since,
                         std::optional<std::int64_t> until = {}) {
        EXPECT_EQ(obstacle.predicate, predicate) << obstacle.detail;
        EXPECT_EQ(obstacle.since_ms, since) << predicate;
        EXPECT_EQ(obstacle.until_ms, until) << predicate;
    }

    Obstacle only_obstacle(const ExecutionId& id) {
        const auto found = obstacles(id);
        if (found.size() != 1) throw std::runtime_error(std::to_string(found.size()) + " obstacles");
        return found.front();
    }
};

TEST_P(ExplainTest, NothingOfAnUnknownExecution) {
    EXPECT_FALSE(value_of(api().explain_execution(ExecutionId{86, Uuid{}})));
}

TEST_P(ExplainTest, AWaitingExecutionWaitsForAWorker) {
    const ExecutionId id = create();
    const std::int64_t since = now();
    advance(5);
    value_of(run(SetExecutionTags{.execution_id = id, .tags = {{"app.team", "blue"}}}));
    const Obstacle obstacle = only_obstacle(id);
    expect_obstacle(obstacle, "waiting_for_worker", since);
    EXPECT_THAT(obstacle.remedy, HasSubstr("lane default"));
}

TEST_P(ExplainTest, WorkThatNeedsCapabilitiesNamesThem) {
    const ExecutionId id = create_with(requiring({"gpu", "eu"}));
    const Obstacle obstacle = only_obstacle(id);
    expect_obstacle(obstacle, "waiting_for_capable_worker", now());
    EXPECT_THAT(obstacle.remedy, HasSubstr("eu,gpu"));
}

TEST_P(ExplainTest, ADelayedExecutionTellsUntilWhen) {
    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId id = create(command);
    const std::int64_t since = now();
    advance(5);
    expect_obstacle(only_obstacle(id), "delay", since, command.delay_until_ms);
    advance(995);
    reconcile();
    expect_obstacle(only_obstacle(id), "waiting_for_worker", now());
}

TEST_P(ExplainTest, ABackoffTellsWhichRetryAndWhen) {
    const ExecutionId id = create_with(retries(3, 1000));
    advance(5);
    fail_with_retry(claim().handle);
    const std::int64_t failed = now();
    advance(5);
    const Obstacle obstacle = only_obstacle(id);
    expect_obstacle(obstacle, "retry_backoff", failed, failed + 1000);
    EXPECT_THAT(obstacle.detail, HasSubstr("retry 1 of 3"));
}

TEST_P(ExplainTest, AnAttemptThatPutItselfOff) {
    const ExecutionId id = create();
    value_of(delay(claim().handle, now() + 1000));
    const std::int64_t since = now();
    expect_obstacle(only_obstacle(id), "delay", since, since + 1000);
    advance(1000);
    reconcile();
    expect_obstacle(only_obstacle(id), "waiting_for_worker", now());
}

TEST_P(ExplainTest, ALeaseIsHeldByWhomUntilWhen) {
    const ExecutionId id = create();
    advance(5);
    const ClaimedExecution claimed = claim("w1");
    const std::int64_t acquired = now();
    advance(5);
    const Obstacle obstacle = only_obstacle(id);
    expect_obstacle(obstacle, "lease_held", acquired, claimed.lease_expires_at_ms);
    EXPECT_THAT(obstacle.detail, HasSubstr("w1/w1-1"));
    const Renewed renewed = value_of(renew(claimed.handle));
    expect_obstacle(only_obstacle(id), "lease_held", acquired, renewed.lease_expires_at_ms);
}

TEST_P(ExplainTest, ALapsedLeaseIsLapsedWhetherNoticedOrNot) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    advance(30'005);
    expect_obstacle(only_obstacle(id), "lease_expired", claimed.lease_expires_at_ms);
    reconcile();
    const Obstacle noticed = only_obstacle(id);
    expect_obstacle(noticed, "lease_expired", now());
    EXPECT_THAT(noticed.detail, HasSubstr("w1/w1-1"));
}

TEST_P(ExplainTest, AnEndedExecutionTellsHow) {
    const ExecutionId completed = create();
    value_of(complete(claim().handle));
    const ExecutionId failed = create();
    value_of(fail(claim().handle));
    const ExecutionId cancelled = create();
    value_of(cancel_by("operator_override", cancelled, "too late"));
    const std::int64_t ended = now();
    advance(5);
    for (const ExecutionId& id : {completed, failed, cancelled}) {
        expect_obstacle(only_obstacle(id), "terminal", ended);
    }
    EXPECT_THAT(only_obstacle(completed).detail, HasSubstr("success"));
    EXPECT_THAT(only_obstacle(failed).detail, HasSubstr("it broke"));
    EXPECT_THAT(only_obstacle(cancelled).detail, HasSubstr("operator_override: too late"));
}

TEST_P(ExplainTest, AClosedLaneComesFirst) {
    const ExecutionId waiting = create();
    CreateExecution later;
    later.delay_until_ms = now() + 100'000;
    const ExecutionId delayed = create(later);
    const std::int64_t created = now();
    for (const LaneState closed : {LaneState::paused, LaneState::disabled}) {
        advance(5);
        value_of(set_lane("default", closed));
        const std::string predicate = "lane_" + std::string(to_string(closed));
        const auto of_waiting = obstacles(waiting);
        ASSERT_THAT(of_waiting, SizeIs(2));
        expect_obstacle(of_waiting[0], predicate, now());
        expect_obstacle(of_waiting[1], "waiting_for_worker", created);
        const auto of_delayed = obstacles(delayed);
        ASSERT_THAT(of_delayed, SizeIs(2));
        expect_obstacle(of_delayed[0], predicate, now());
        expect_obstacle(of_delayed[1], "delay", created, later.delay_until_ms);
    }
    value_of(set_lane("default", LaneState::draining));
    expect_obstacle(only_obstacle(waiting), "waiting_for_worker", created);
}

TEST_P(ExplainTest, AnExecutionIsHeldByItsLaneSinceItExists) {
    create();
    value_of(set_lane("default", LaneState::paused));
    advance(5);
    const ExecutionId id = create();
    expect_obstacle(obstacles(id).at(0), "lane_paused", now());
}

TEST_P(ExplainTest, RunningAndEndedWorkIsNotHeldByItsLane) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(set_lane("default", LaneState::disabled));
    EXPECT_EQ(only_obstacle(id).predicate, "lease_held");
    value_of(complete(claimed.handle));
    EXPECT_EQ(only_obstacle(id).predicate, "terminal");
}

TEST_P(ExplainTest, LostWorkIsHeldByItsLane) {
    const ExecutionId id = create();
    claim();
    value_of(set_lane("default", LaneState::paused));
    let_lease_lapse();
    const auto found = obstacles(id);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].predicate, "lane_paused");
    EXPECT_EQ(found[1].predicate, "lease_expired");
}

INSTANTIATE_TEST_SUITE_P(Stores, ExplainTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
