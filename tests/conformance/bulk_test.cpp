#include "conformance/api_test.hpp"
#include "conformance/flowing.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BulkTest : public ApiTest {
  protected:
    std::vector<ExecutionId> create_in(const std::string& lane, int count) {
        std::vector<ExecutionId> ids;
        for (int i = 0; i < count; ++i) {
            CreateExecution command;
            command.lane_id = lane;
            ids.push_back(create(std::move(command)));
        }
        return ids;
    }
    static StartBulkOperation on_lane(BulkAction action, std::string lane) {
        StartBulkOperation command{.action = action};
        command.filter.lane_id = std::move(lane);
        command.reason = "not needed";
        command.requester = "ada";
        return command;
    }
    BulkOperationId start(StartBulkOperation command) { return value_of(run(std::move(command))).operation_id; }
    BulkOperationView shown(const BulkOperationId& id) { return value_of(api().read(GetBulkOperation{id})).value(); }
    void work() {
        for (int i = 0; i < 20; ++i) {
            advance(1000);
            reconcile();
        }
    }
    BulkOperationView finished(StartBulkOperation command) {
        const BulkOperationId id = start(std::move(command));
        work();
        return shown(id);
    }
    ExecutionId failed_in(const std::string& lane) {
        const ExecutionId id = create_in(lane, 1).front();
        Claim command = claim_by("w1");
        command.lanes = {lane};
        value_of(fail(claim(std::move(command)).handle));
        return id;
    }
};

TEST_P(BulkTest, EverythingThatMatchesIsCancelledAndNothingElse) {
    const auto meant = create_in("mail", 7);
    const auto others = create_in("other", 2);
    const auto started = value_of(run(on_lane(BulkAction::cancel, "mail")));
    EXPECT_EQ(started.state, BulkState::running);
    EXPECT_EQ(started.done_count, 0U);
    EXPECT_FALSE(started.searched);
    work();
    const auto view = shown(started.operation_id);
    EXPECT_EQ(view.state, BulkState::done);
    EXPECT_EQ(view.requester, "ada");
    EXPECT_TRUE(view.ended_at_ms);
    EXPECT_TRUE(view.searched);
    EXPECT_EQ(view.open_count, 0U);
    EXPECT_EQ(view.done_count, meant.size());
    for (const auto& id : meant) {
        EXPECT_EQ(state(id), PublicState::cancelled);
        EXPECT_EQ(row(id).cancellation_reason, "not needed");
    }
    for (const auto& id : others) EXPECT_EQ(state(id), PublicState::waiting);
    EXPECT_THAT(snapshot().of<BulkItemRow>(), IsEmpty());
}

TEST_P(BulkTest, WhatComesLaterIsNotMeant) {
    create_in("mail", 1);
    const BulkOperationId id = start(on_lane(BulkAction::cancel, "mail"));
    advance(1);
    const auto later = create_in("mail", 1);
    work();
    EXPECT_EQ(shown(id).done_count, 1U);
    EXPECT_EQ(state(later.front()), PublicState::waiting);
}

TEST_P(BulkTest, FailuresAreReplayed) {
    const ExecutionId failed = failed_in("mail");
    CreateExecution once;
    once.lane_id = "mail";
    once.policy.emplace().max_replay_count = 0;
    const ExecutionId stubborn = create(once);
    Claim command = claim_by("w1");
    command.lanes = {"mail"};
    value_of(fail(claim(command).handle));
    const auto waiting = create_in("mail", 1);
    const auto view = finished(on_lane(BulkAction::replay, "mail"));
    EXPECT_EQ(view.state, BulkState::done);
    EXPECT_EQ(view.done_count, 1U);
    EXPECT_EQ(view.failed_count, 1U);
    EXPECT_EQ(view.skipped_count, 0U);
    EXPECT_EQ(state(failed), PublicState::waiting);
    EXPECT_EQ(state(stubborn), PublicState::failed);
    EXPECT_EQ(row(waiting.front()).replay_count, 0);
}

TEST_P(BulkTest, MembersOfFlowsAreReplayedWithTheirFlows) {
    SubmitFlow flow = graph_of({"a", "b"}, {{.from = "a", .to = "b"}});
    flow.flow_id = flow_id(1);
    const auto members = value_of(run(flow)).members;
    Claim command = claim_by("w1");
    command.lanes = {"a"};
    value_of(fail(claim(command).handle));
    for (int i = 0; i < 3; ++i) {
        advance(20'000);
        reconcile();
    }
    ASSERT_EQ(state(members[1]), PublicState::skipped);
    StartBulkOperation replay{.action = BulkAction::replay};
    replay.filter.flow_id = flow_id(1);
    replay.filter.states = {PublicState::failed};
    EXPECT_EQ(finished(replay).done_count, 1U);
    EXPECT_EQ(state(members[0]), PublicState::waiting);
    replay.filter.states = {PublicState::skipped};
    EXPECT_EQ(finished(replay).done_count, 1U);
    EXPECT_EQ(state(members[1]), PublicState::waiting_children);
}

TEST_P(BulkTest, WhatGoesOnMeanwhileIsSkipped) {
    create_in("mail", 2);
    const BulkOperationId id = start(on_lane(BulkAction::cancel, "mail"));
    reconcile();
    ASSERT_EQ(snapshot().of<BulkItemRow>().size(), 2U) << "they are found and not dealt with";
    EXPECT_TRUE(shown(id).searched);
    EXPECT_EQ(shown(id).open_count, 2U);
    Claim command = claim_by("w1");
    command.lanes = {"mail"};
    value_of(complete(claim(command).handle));
    work();
    const auto view = shown(id);
    EXPECT_EQ(view.done_count, 1U);
    EXPECT_EQ(view.skipped_count, 1U);
    EXPECT_EQ(view.state, BulkState::done);
}

TEST_P(BulkTest, ManyAreWorkedOffPieceByPieceByAnyEngines) {
    constexpr int many = 620;
    create_in("mail", many);
    const BulkOperationId id = start(on_lane(BulkAction::cancel, "mail"));
    const auto other = another_engine();
    for (int i = 0; i < 10; ++i) {
        advance(1000);
        reconcile();
        if (i == 2) engine().crash();
        other->advance_steady(1000);
        other->reconcile();
    }
    work();
    const auto view = shown(id);
    EXPECT_EQ(view.state, BulkState::done);
    EXPECT_EQ(view.done_count, static_cast<std::uint64_t>(many));
    EXPECT_EQ(view.skipped_count, 0U);
    EXPECT_THAT(snapshot().of<BulkItemRow>(), IsEmpty());
}

TEST_P(BulkTest, ACancelledOperationDoesNoMore) {
    create_in("mail", 3);
    const BulkOperationId id = start(on_lane(BulkAction::cancel, "mail"));
    EXPECT_EQ(value_of(run(CancelBulkOperation{id})).state, BulkState::cancelled);
    work();
    EXPECT_EQ(shown(id).done_count, 0U);
    EXPECT_EQ(value_of(run(CancelBulkOperation{id})).state, BulkState::cancelled);
    expect_error(run(CancelBulkOperation{BulkOperationId{}}), ErrorKind::bulk_operation_not_found);
    EXPECT_THAT(snapshot().of<BulkItemRow>(), IsEmpty());
}

TEST_P(BulkTest, TheSameIdIsTheSameOperation) {
    StartBulkOperation command = on_lane(BulkAction::cancel, "mail");
    command.operation_id = BulkOperationId{flow_id(7).uuid};
    const auto first = value_of(run(command));
    EXPECT_EQ(value_of(run(command)), first);
    command.filter.lane_id = "other";
    expect_error(run(command), ErrorKind::idempotency_conflict, first.operation_id.to_string());
}

TEST_P(BulkTest, TheSameKeyInTheSameNamespaceIsTheSameOperation) {
    StartBulkOperation command = on_lane(BulkAction::cancel, "mail");
    command.idempotency_key = "clean up";
    const auto first = value_of(run(command));
    EXPECT_EQ(value_of(run(command)), first);
    EXPECT_EQ(shown(first.operation_id), first);
    command.action = BulkAction::replay;
    expect_error(run(command), ErrorKind::idempotency_conflict, first.operation_id.to_string());
    command.filter.namespace_name = "shop";
    const BulkOperationId in_shop = start(command);
    EXPECT_NE(in_shop, first.operation_id);
    command.idempotency_key = "clean up again";
    EXPECT_NE(start(command), in_shop);
}

TEST_P(BulkTest, AnEmptyFilterIsRefused) {
    expect_no_change([&] {
        expect_error(run(StartBulkOperation{.action = BulkAction::cancel}), ErrorKind::invalid_input, "filter");
        expect_error(api().read(PreviewBulkOperation{.action = BulkAction::replay}), ErrorKind::invalid_input,
                     "filter");
    });
}

TEST_P(BulkTest, APreviewCountsAndShowsSome) {
    create_in("mail", 5);
    const ExecutionId failed = failed_in("sick");
    PreviewBulkOperation preview{.action = BulkAction::cancel, .limit = 2};
    preview.filter.lane_id = "mail";
    const auto seen = value_of(api().read(preview));
    EXPECT_EQ(seen.count, 5U);
    EXPECT_TRUE(seen.complete);
    EXPECT_EQ(seen.sample.size(), 2U);
    preview.filter.lane_id = "sick";
    EXPECT_EQ(value_of(api().read(preview)).count, 0U) << "it has ended";
    preview.action = BulkAction::replay;
    const auto to_replay = value_of(api().read(preview));
    ASSERT_EQ(to_replay.sample.size(), 1U);
    EXPECT_EQ(to_replay.sample.front().execution_id, failed);
}

TEST_P(BulkTest, AreListedForAMonth) {
    const BulkOperationId first = start(on_lane(BulkAction::cancel, "mail"));
    const BulkOperationId second = start(on_lane(BulkAction::replay, "mail"));
    work();
    auto page = value_of(api().read(ListBulkOperations{.limit = 1}));
    ASSERT_EQ(page.operations.size(), 1U);
    ASSERT_TRUE(page.next);
    std::vector<BulkOperationId> seen{page.operations.front().operation_id};
    page = value_of(api().read(ListBulkOperations{.after = page.next, .limit = 5}));
    ASSERT_EQ(page.operations.size(), 1U);
    EXPECT_FALSE(page.next);
    seen.push_back(page.operations.front().operation_id);
    EXPECT_THAT(seen, ElementsAre(std::max(first, second), std::min(first, second)));
    advance(std::int64_t{30} * 24 * 60 * 60 * 1000);
    reconcile();
    EXPECT_THAT(value_of(api().read(ListBulkOperations{})).operations, IsEmpty());
    EXPECT_EQ(value_of(api().read(GetBulkOperation{first})), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Stores, BulkTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
