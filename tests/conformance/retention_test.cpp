#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const ConsumerKey trimmer{Channel::completion, "ff.retention"};

class Retention : public ApiTest {
  protected:
    void SetUp() override {
        ApiTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        keeper_ = another_engine({.overrides = {.execution_retention_ms = 24 * hour}});
    }
    void TearDown() override {
        keeper_.reset();
        ApiTest::TearDown();
    }

    void trim() {
        for (int i = 0; i < 4; ++i) keeper_->reconcile();
    }
    bool exists(const ExecutionId& id) { return snapshot().executions.contains(id); }
    ExecutionId completed(CreateExecution command = {}) {
        const auto id = create(std::move(command));
        value_of(complete(claim().handle, "result"));
        return id;
    }
    static ExecutionPolicy kept_for(std::uint64_t ms) {
        ExecutionPolicy policy;
        policy.stream_policy.emplace().retention_ttl_ms = ms;
        return policy;
    }
    ExecutionId completed_with(ExecutionPolicy policy) {
        CreateExecution command;
        command.policy = std::move(policy);
        return completed(std::move(command));
    }
    Simulation& keeper() { return *keeper_; }

  private:
    std::unique_ptr<Simulation> keeper_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Retention, all_stores(), name_of_param);

TEST_P(Retention, EveryOutcomeGoesWithAllItsRowsAtItsAge) {
    trim();
    const auto success = completed();
    const auto failed = create();
    value_of(fail(claim().handle));
    const auto cancelled = create();
    value_of(cancel_by("operator_override", cancelled));
    CreateExecution with_deadline;
    with_deadline.execution_deadline_at_ms = now() + 10;
    const auto expired = create(with_deadline);
    advance(10);
    reconcile();
    const auto waiting = create();
    const auto last = now();
    const auto all = {success, failed, cancelled, expired};

    advance(24 * hour - 11);
    trim();
    for (const auto& id : all) EXPECT_TRUE(exists(id));
    advance(11);
    trim();
    for (const auto& id : all) {
        EXPECT_FALSE(exists(id));
        EXPECT_EQ(value_of(api().describe_execution(id)), std::nullopt);
        EXPECT_THAT(value_of(api().list_attempts(id)), IsEmpty());
        EXPECT_EQ(value_of(api().get_execution_result(id)), std::nullopt);
        EXPECT_EQ(value_of(api().get_execution_input(id)), std::nullopt);
    }
    EXPECT_TRUE(exists(waiting));
    EXPECT_EQ(now(), last + 24 * hour);
    EXPECT_THAT(snapshot().completion_events, SizeIs(4)) << "outboxes have their own retention";
    expect_no_change([&] { trim(); });
}

TEST_P(Retention, WhatRunsAgainIsKept) {
    trim();
    const auto replayed = completed();
    const auto again = completed();
    advance(23 * hour);
    value_of(run(ReplayExecution{replayed}));
    value_of(run(ReplayExecution{again}));
    value_of(complete(claim().handle));
    const auto& [ended, open] =
        state(replayed) == PublicState::completed ? std::pair(replayed, again) : std::pair(again, replayed);
    advance(2 * hour);
    trim();
    EXPECT_TRUE(exists(ended)) << "it ended two hours ago";
    EXPECT_TRUE(exists(open));
    advance(22 * hour);
    trim();
    EXPECT_FALSE(exists(ended));
    EXPECT_TRUE(exists(open));
}

TEST_P(Retention, APolicyOfItsOwnIsHonouredEitherWay) {
    trim();
    const auto brief = completed_with(kept_for(1000));
    const auto lasting = completed_with(kept_for(static_cast<std::uint64_t>(48 * hour)));
    const auto ordinary = completed();
    advance(999);
    trim();
    EXPECT_TRUE(exists(brief));
    advance(1);
    trim();
    EXPECT_FALSE(exists(brief));
    EXPECT_TRUE(exists(ordinary));
    advance(24 * hour);
    trim();
    EXPECT_FALSE(exists(ordinary));
    EXPECT_TRUE(exists(lasting));
    advance(24 * hour);
    trim();
    EXPECT_FALSE(exists(lasting));
    EXPECT_THAT(snapshot().of<RetentionRow>(), IsEmpty());
}

TEST_P(Retention, AReplayedExecutionWithItsOwnTimeIsKept) {
    trim();
    const auto id = completed_with(kept_for(1000));
    value_of(run(ReplayExecution{id}));
    advance(1000);
    trim();
    EXPECT_TRUE(exists(id));
    EXPECT_THAT(snapshot().of<RetentionRow>(), IsEmpty()) << "noted again when it ends";
    value_of(complete(claim().handle));
    advance(1000);
    trim();
    EXPECT_FALSE(exists(id));
}

TEST_P(Retention, WhatEndedBeforeAnyoneKeptTrackIsFoundToo) {
    const auto old = completed();
    advance(20 * hour);
    const auto young = completed();
    advance(5 * hour);
    trim();
    EXPECT_FALSE(exists(old));
    EXPECT_TRUE(exists(young));
    EXPECT_TRUE(snapshot().of<ConsumerRow>().contains(trimmer));
    advance(20 * hour);
    trim();
    EXPECT_FALSE(exists(young));
}

TEST_P(Retention, ForEverKeepsAllAndHoldsNothingBack) {
    trim();
    ASSERT_TRUE(snapshot().of<ConsumerRow>().contains(trimmer));
    const auto id = completed();
    auto keeps_all = another_engine({.overrides = {.execution_retention_ms = 0}});
    keeps_all->reconcile();
    EXPECT_FALSE(snapshot().of<ConsumerRow>().contains(trimmer)) << "events would be kept for it";
    advance(1000 * hour);
    keeps_all->reconcile();
    EXPECT_TRUE(exists(id));
}

TEST_P(Retention, WorksThroughMoreThanOnePage) {
    trim();
    std::vector<ExecutionId> ids;
    for (int i = 0; i < 600; ++i) ids.push_back(create());
    for (const auto& id : ids) value_of(cancel_by("operator_override", id));
    advance(24 * hour);
    trim();
    EXPECT_THAT(snapshot().executions, IsEmpty());
    EXPECT_EQ(snapshot().of<ConsumerRow>().at(trimmer).event_id, 600);
}

TEST_P(Retention, TwoEnginesRemoveEachOnce) {
    trim();
    for (int i = 0; i < 20; ++i) completed();
    advance(24 * hour);
    auto other = another_engine({.overrides = {.execution_retention_ms = 24 * hour}});
    for (int i = 0; i < 3; ++i) {
        keeper().reconcile();
        other->reconcile();
    }
    EXPECT_THAT(snapshot().executions, IsEmpty());
}

TEST_P(Retention, ALateCallAboutAGoneExecutionSaysSo) {
    trim();
    const auto id = create();
    const auto claimed = claim();
    value_of(complete(claimed.handle));
    advance(24 * hour);
    trim();
    expect_error(complete(claimed.handle), ErrorKind::execution_not_found);
    expect_error(run(ReplayExecution{id}), ErrorKind::execution_not_found);
    EXPECT_FALSE(value_of(run(FireTimer{id, Timer::retention})).changed);
}

TEST_P(Retention, LapsedIdempotencyKeysGoToo) {
    trim();
    CreateExecution command;
    command.idempotency_key = "once";
    completed(command);
    EXPECT_THAT(snapshot().idempotency_keys, SizeIs(1));
    advance(24 * hour - 1);
    trim();
    EXPECT_THAT(snapshot().idempotency_keys, SizeIs(1));
    advance(1);
    trim();
    EXPECT_THAT(snapshot().idempotency_keys, IsEmpty());
}

TEST_P(Retention, AYearPassesInMilliseconds) {
    trim();
    for (int day = 0; day < 365; ++day) {
        if (day % 30 == 0) completed();
        advance(24 * hour);
    }
    for (int i = 0; i < 3; ++i) trim();
    EXPECT_THAT(snapshot().executions, IsEmpty());
}

}  // namespace
}  // namespace flowfabric::test
