#include "conformance/api_test.hpp"
#include "conformance/flowing.hpp"

// Ended executions go before their time, one by one and all that match.
namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PurgeTest : public ApiTest {
  protected:
    Result<Purged> purge(const ExecutionId& id) { return run(PurgeExecution{.execution_id = id}); }
    bool exists(const ExecutionId& id) { return snapshot().executions.contains(id); }
    // Also of an execution that is not there.
    std::vector<AttemptRow> stored_attempts(const ExecutionId& id) {
        return *(*backend().open_reader())->attempts(id, std::nullopt, 100);
    }
    ExecutionId completed(CreateExecution command = {}) {
        const auto id = create(std::move(command));
        value_of(complete(claim().handle, "result"));
        return id;
    }
    ExecutionId failed() {
        const auto id = create();
        value_of(fail(claim().handle));
        return id;
    }
    void work() {
        for (int i = 0; i < 20; ++i) {
            advance(1000);
            reconcile();
        }
    }
    BulkOperationView purged_in_bulk(ExecutionCriteria filter) {
        StartBulkOperation command{.action = BulkAction::purge, .filter = std::move(filter)};
        const auto id = value_of(run(std::move(command))).operation_id;
        work();
        return value_of(api().read(GetBulkOperation{id})).value();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, PurgeTest, all_stores(), name_of_param);

TEST_P(PurgeTest, EveryOutcomeGoesWithAllItsRows) {
    CreateExecution tagged;
    tagged.tags["team.name"] = "ada";
    tagged.input_payload = "input";
    const auto success = completed(tagged);
    const auto sick = failed();
    const auto cancelled = create();
    value_of(cancel_by("operator_override", cancelled));
    CreateExecution with_deadline;
    with_deadline.execution_deadline_at_ms = now() + 10;
    const auto expired = create(with_deadline);
    advance(10);
    reconcile();
    const auto waiting = create();

    for (const auto& [id, state] :
         {std::pair(success, PublicState::completed), std::pair(sick, PublicState::failed),
          std::pair(cancelled, PublicState::cancelled), std::pair(expired, PublicState::expired)}) {
        EXPECT_EQ(value_of(purge(id)), (Purged{id, state}));
        const auto told = operator_events(id);
        ASSERT_FALSE(told.empty());
        EXPECT_EQ(told.back().event_type, OperatorEventType::execution_purged);
        EXPECT_THAT(told.back().details.text, testing::HasSubstr(to_string(state)));
        EXPECT_FALSE(exists(id));
        EXPECT_EQ(value_of(api().describe_execution(id)), std::nullopt);
        EXPECT_THAT(stored_attempts(id), IsEmpty());
        EXPECT_EQ(value_of(api().get_execution_result(id)), std::nullopt);
        EXPECT_EQ(value_of(api().get_execution_input(id)), std::nullopt);
    }
    const Dump left = snapshot();
    EXPECT_THAT(left.executions, SizeIs(1));
    EXPECT_TRUE(left.executions.contains(waiting));
    EXPECT_THAT(left.of<SearchTermRow>(), IsEmpty());
    EXPECT_THAT(left.completion_events, SizeIs(4)) << "outboxes have their own retention";
}

TEST_P(PurgeTest, WhatHasNotEndedStays) {
    const auto waiting = create();
    const auto stays = [&] {
        expect_no_change([&] { expect_error(purge(waiting), ErrorKind::execution_not_terminal); });
    };
    stays();
    const auto claimed = claim();
    stays();
    value_of(delay(claimed.handle, now() + 1000));
    stays();
}

TEST_P(PurgeTest, ASecondTimeThereIsNothing) {
    const auto id = completed();
    value_of(purge(id));
    expect_no_change([&] {
        expect_error(purge(id), ErrorKind::execution_not_found, id.to_string());
        expect_error(run(ReplayExecution{id}), ErrorKind::execution_not_found, id.to_string());
        expect_error(purge({300, id.uuid}), ErrorKind::invalid_input, "execution_id");
    });
}

TEST_P(PurgeTest, AMemberGoesWithItsFlow) {
    SubmitFlow flow = graph_of({"a"});
    flow.flow_id = flow_id(1);
    const auto member = value_of(run(flow)).members.front();
    Claim command = claim_by("w1");
    command.lanes = {"a"};
    value_of(complete(claim(command).handle));
    engine().settle();
    expect_no_change(
        [&] { expect_error(purge(member), ErrorKind::execution_already_in_flow, flow.flow_id->to_string()); });
}

TEST_P(PurgeTest, OfWhatEndsInTheSameBatch) {
    const auto id = create();
    const auto claimed = claim();
    const auto succeeds = [](const Result<Answer>& answer) { EXPECT_TRUE(answer); };
    engine().submit(Fail{.lease = claimed.handle, .reason = "broken", .category = "x"}, succeeds);
    engine().submit(PurgeExecution{.execution_id = id}, succeeds);
    engine().settle();
    const Dump left = snapshot();
    EXPECT_THAT(left.executions, IsEmpty());
    EXPECT_THAT(stored_attempts(id), IsEmpty());
    EXPECT_THAT(left.of<SearchTermRow>(), IsEmpty());
    EXPECT_THAT(left.completion_events, SizeIs(1));
}

TEST_P(PurgeTest, OfTwoAtTheSameTimeOneRemoves) {
    const auto id = completed();
    std::vector<Result<Answer>> answers;
    const auto keep = [&](const Result<Answer>& answer) { answers.push_back(answer); };
    engine().submit(PurgeExecution{.execution_id = id}, keep);
    engine().submit(PurgeExecution{.execution_id = id}, keep);
    engine().submit(ReplayExecution{.execution_id = id}, keep);
    engine().settle();
    ASSERT_THAT(answers, SizeIs(3));
    EXPECT_TRUE(answers[0]);
    expect_error(answers[1], ErrorKind::execution_not_found);
    expect_error(answers[2], ErrorKind::execution_not_found);
}

TEST_P(PurgeTest, WhatIsReplayedAtTheSameTimeStays) {
    const auto id = completed();
    std::vector<Result<Answer>> answers;
    const auto keep = [&](const Result<Answer>& answer) { answers.push_back(answer); };
    engine().submit(ReplayExecution{.execution_id = id}, keep);
    engine().submit(PurgeExecution{.execution_id = id}, keep);
    engine().settle();
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_TRUE(answers[0]);
    expect_error(answers[1], ErrorKind::execution_not_terminal);
    EXPECT_EQ(state(id), PublicState::waiting);
}

TEST_P(PurgeTest, RetentionFindsNothingMoreToRemove) {
    const auto keeper = another_engine({.overrides = {.execution_retention_ms = hour}});
    keeper->reconcile();
    CreateExecution brief;
    brief.policy.emplace();
    brief.policy->stream_policy.emplace().retention_ttl_ms = 1000;
    const auto early = completed(brief);
    const auto ordinary = completed();
    advance(1);
    keeper->reconcile();
    value_of(purge(early));
    value_of(purge(ordinary));
    EXPECT_THAT(snapshot().of<RetentionRow>(), IsEmpty());
    advance(2 * hour);
    for (int i = 0; i < 4; ++i) keeper->reconcile();
    EXPECT_THAT(snapshot().executions, IsEmpty());
}

TEST_P(PurgeTest, AnIdempotencyKeyStaysTakenForItsTime) {
    CreateExecution command;
    command.idempotency_key = "only once";
    const auto id = completed(command);
    value_of(purge(id));
    const auto again = value_of(run(command));
    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(again.execution_id, id);
    EXPECT_THAT(snapshot().executions, IsEmpty());
    // The id itself is free.
    command.idempotency_key = "another time";
    command.execution_id = id;
    EXPECT_FALSE(value_of(run(command)).duplicate);
}

TEST_P(PurgeTest, AllThatMatchesGoes) {
    CreateExecution mail;
    mail.execution_kind = "mail";
    std::vector<ExecutionId> ended;
    for (int i = 0; i < 5; ++i) ended.push_back(completed(mail));
    const auto other = completed();
    const auto waiting = create(mail);

    PreviewBulkOperation preview{.action = BulkAction::purge};
    preview.filter.execution_kind = "mail";
    EXPECT_EQ(value_of(api().read(preview)).count, 5U);

    const auto view = purged_in_bulk({.execution_kind = "mail"});
    EXPECT_EQ(view.state, BulkState::done);
    EXPECT_EQ(view.done_count, 5U);
    EXPECT_EQ(view.failed_count + view.skipped_count + view.open_count, 0U);
    for (const auto& id : ended) EXPECT_FALSE(exists(id));
    EXPECT_TRUE(exists(other));
    EXPECT_TRUE(exists(waiting));
    EXPECT_THAT(snapshot().of<BulkItemRow>(), IsEmpty());
    expect_error(run(StartBulkOperation{.action = BulkAction::purge}), ErrorKind::invalid_input, "filter");
}

TEST_P(PurgeTest, InBulkMembersRefuseAndWhatHasGoneOnIsSkipped) {
    SubmitFlow flow = graph_of({"mail"});
    value_of(run(flow));
    Claim command = claim_by("w1");
    command.lanes = {"mail"};
    value_of(complete(claim(command).handle));
    engine().settle();
    CreateExecution create_mail;
    create_mail.lane_id = "mail";
    std::vector<ExecutionId> ended;
    for (int i = 0; i < 3; ++i) {
        ended.push_back(create(create_mail));
        value_of(complete(claim(command).handle));
    }
    StartBulkOperation start{.action = BulkAction::purge};
    start.filter.lane_id = "mail";
    const auto id = value_of(run(start)).operation_id;
    reconcile();
    ASSERT_THAT(snapshot().of<BulkItemRow>(), SizeIs(4)) << "they are found and not dealt with";
    value_of(run(ReplayExecution{ended[0]}));
    value_of(purge(ended[1]));
    work();
    const auto view = value_of(api().read(GetBulkOperation{id})).value();
    EXPECT_EQ(view.state, BulkState::done);
    EXPECT_EQ(view.done_count, 1U);
    EXPECT_EQ(view.skipped_count, 2U);
    EXPECT_EQ(view.failed_count, 1U);
    EXPECT_TRUE(exists(ended[0]));
}

}  // namespace
}  // namespace flowfabric::test
