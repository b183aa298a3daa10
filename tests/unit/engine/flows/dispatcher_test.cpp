#include "engine/flows/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/flow/dispatch.hpp"
#include "store/memory/backend.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::SizeIs;

struct DispatcherTest : testing::Test {
    const FlowKey flow{execution(0).partition, FlowId{execution(0).uuid}};
    WorkingSet set;
    std::shared_ptr<Backend> backend = memory::make_backend({});
    std::unique_ptr<StoreReader> reader = std::move(*backend->open_reader());
    Dispatcher dispatcher;
    const Result<Answer> done = Answer::of<DispatchFinished>({});
    const Result<Answer> failed{EngineError{}};

    void save() {
        const auto writer = std::move(*backend->open_writer());
        ASSERT_TRUE(writer->load({}));
        ASSERT_TRUE(writer->save(set));
    }
};

class DispatcherOfAnEnd : public DispatcherTest {
  protected:
    // Of an execution that two others wait for: two resolutions, and the end's own job.
    void SetUp() override {
        for (const std::uint64_t child : {2, 3}) {
            set.side.of<EdgeRow>().put({.key = {flow, EdgeId{uuid_of(child)}},
                                        .upstream = execution(1).uuid,
                                        .downstream = execution(child).uuid,
                                        .dependency_state = DependencyState::unsatisfied});
        }
        save();
        dispatcher.on_committed({}, {{.event_id = 1, .execution_id = execution(1), .flow_id = flow.flow_id}});
        jobs = *dispatcher.look(*reader);
        ASSERT_THAT(jobs, SizeIs(3));
        ASSERT_EQ(jobs[2].command->traits().name, "finish_dispatch");
    }

    std::vector<Dispatcher::Job> jobs;
    const Result<Answer> resolved = Answer::of<EdgesResolved>({});
    const Result<Answer> not_done = Answer::of<DispatchFinished>({.done = false});
};

TEST_F(DispatcherOfAnEnd, IsDoneWhenTheEndIs) {
    for (const Dispatcher::Job& job : jobs) {
        EXPECT_FALSE(dispatcher.on_answer(job, job.end ? done : resolved));
    }
    EXPECT_TRUE(dispatcher.idle());
}

TEST_F(DispatcherOfAnEnd, LooksAgainOnceEveryResolutionIsAnswered) {
    EXPECT_FALSE(dispatcher.on_answer(jobs[2], not_done));
    EXPECT_FALSE(dispatcher.on_answer(jobs[0], resolved));
    EXPECT_TRUE(dispatcher.idle()) << "the other may wait for a row that somebody holds";
    EXPECT_FALSE(dispatcher.on_answer(jobs[1], resolved));
    EXPECT_FALSE(dispatcher.idle());
    EXPECT_THAT(*dispatcher.look(*reader), SizeIs(3));
}

TEST_F(DispatcherOfAnEnd, LeavesItToTheReconcilerWhenAnEdgeCannotBeResolved) {
    EXPECT_FALSE(dispatcher.on_answer(jobs[0], failed));
    EXPECT_FALSE(dispatcher.on_answer(jobs[1], resolved));
    EXPECT_FALSE(dispatcher.on_answer(jobs[2], not_done));
    EXPECT_TRUE(dispatcher.idle());
}

class DispatcherOfACancelledFlow : public DispatcherTest {
  protected:
    static constexpr std::size_t count = 300;

    void SetUp() override {
        CancelBacklogRow backlog;
        backlog.key = flow;
        backlog.reason = "why";
        set.side.of<CancelBacklogRow>().put(backlog);
        for (std::size_t i = 0; i < count; ++i) {
            set.side.of<CancelMemberRow>().put({.key = {flow, execution(i).to_string()}});
            members.insert(execution(i));
        }
    }

    std::set<ExecutionId> members_in(const std::vector<Dispatcher::Job>& jobs) {
        std::set<ExecutionId> named;
        for (const Dispatcher::Job& job : jobs) {
            const auto cancelled = job.command->executions();
            expect_to_cancel(job.command, cancelled);
            named.insert(cancelled.begin(), cancelled.end());
        }
        return named;
    }
    // The first of them is there to be cancelled; all are taken off the flow's list.
    void expect_to_cancel(const Command& command, std::span<const ExecutionId> cancelled) {
        ASSERT_EQ(command->traits().name, "cancel_members");
        ASSERT_FALSE(cancelled.empty());
        ExecutionRow row = waiting_row();
        row.id = cancelled.front();
        Desk desk(row);
        for (const ExecutionId& id : cancelled) {
            desk.set.side.of<CancelMemberRow>().load({.key = {flow, id.to_string()}});
        }
        EXPECT_TRUE(desk.decide(command));
        EXPECT_EQ(desk.row().cancellation_reason, "why");
        EXPECT_TRUE(desk.set.side.of<CancelMemberRow>().rows().empty());
    }

    std::set<ExecutionId> members;
};

TEST_F(DispatcherOfACancelledFlow, LeavesTheEndsThatCameWithTheListUntilItIsWorkedOff) {
    dispatcher.on_committed(set, {{.event_id = 1, .execution_id = execution(count), .flow_id = flow.flow_id}});
    const auto jobs = dispatcher.look(*reader);
    ASSERT_TRUE(jobs);
    EXPECT_THAT(*jobs, SizeIs(3)) << "the members, and nothing of the end";
    EXPECT_TRUE(dispatcher.idle());
}

TEST_F(DispatcherOfACancelledFlow, CancelsItsMembersManyAtATime) {
    dispatcher.on_committed(set, {});
    const auto jobs = dispatcher.look(*reader);
    ASSERT_TRUE(jobs);
    EXPECT_THAT(*jobs, SizeIs(3));
    EXPECT_EQ(members_in(*jobs), members);
    EXPECT_TRUE(dispatcher.idle());
}

TEST_F(DispatcherOfACancelledFlow, DropsTheBacklogBehindTheLast) {
    dispatcher.on_committed(set, {});
    const auto jobs = dispatcher.look(*reader);
    EXPECT_FALSE(dispatcher.on_answer((*jobs)[2], done));
    EXPECT_FALSE(dispatcher.on_answer((*jobs)[0], done));
    const auto last = dispatcher.on_answer((*jobs)[1], done);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->command->traits().name, "drop_backlog");
    EXPECT_EQ(last->command->subject(), "flow " + flow.flow_id.to_string());
    EXPECT_EQ(last->drops, flow);
    EXPECT_TRUE(dispatcher.cancels(flow));
    EXPECT_FALSE(dispatcher.on_answer(*last, done));
    EXPECT_FALSE(dispatcher.cancels(flow));
}

TEST_F(DispatcherOfACancelledFlow, LeavesItToTheReconcilerWhenSomeCannotBeCancelled) {
    dispatcher.on_committed(set, {});
    const auto jobs = dispatcher.look(*reader);
    EXPECT_FALSE(dispatcher.on_answer((*jobs)[0], done));
    EXPECT_FALSE(dispatcher.on_answer((*jobs)[1], failed));
    EXPECT_TRUE(dispatcher.cancels(flow));
    EXPECT_FALSE(dispatcher.on_answer((*jobs)[2], done));
    EXPECT_FALSE(dispatcher.cancels(flow));
}

TEST_F(DispatcherOfACancelledFlow, EndsOfItsMembersWaitUntilAllAreCancelled) {
    dispatcher.on_committed(set, {});
    const auto jobs = dispatcher.look(*reader);
    dispatcher.on_committed({}, {{.event_id = 1, .execution_id = execution(1), .flow_id = flow.flow_id}});
    EXPECT_TRUE(dispatcher.idle());
    std::optional<Dispatcher::Job> next;
    for (const Dispatcher::Job& job : *jobs) next = dispatcher.on_answer(job, done);
    EXPECT_TRUE(dispatcher.idle());
    EXPECT_FALSE(dispatcher.on_answer(*next, done));
    EXPECT_FALSE(dispatcher.idle());
}

TEST_F(DispatcherOfACancelledFlow, WhatTheReconcilerFindsIsCancelledOneByOne) {
    save();
    const auto jobs = look_for_members(*reader, flow);
    ASSERT_TRUE(jobs);
    EXPECT_THAT(*jobs, SizeIs(count));
    EXPECT_EQ(members_in(*jobs), members);
}

}  // namespace
}  // namespace flowfabric::test
