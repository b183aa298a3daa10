#include "engine/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "store/memory/backend.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::SizeIs;

class DispatcherOfACancelledFlow : public testing::Test {
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
            const auto& cancel = std::get<CancelMembers>(job.command);
            EXPECT_EQ(cancel.flow, flow);
            EXPECT_EQ(cancel.reason, "why");
            named.insert(cancel.members.begin(), cancel.members.end());
        }
        return named;
    }

    const FlowKey flow{execution(0).partition, FlowId{execution(0).uuid}};
    WorkingSet set;
    std::set<ExecutionId> members;
    std::shared_ptr<Backend> backend = memory::make_backend({});
    std::unique_ptr<StoreReader> reader = std::move(*backend->open_reader());
    Dispatcher dispatcher;
    const Result<Answer> done{Answer{DispatchFinished{}}};
    const Result<Answer> failed{EngineError{}};
};

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
    EXPECT_EQ(std::get<DropBacklog>(last->command).flow, flow);
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
    const auto writer = std::move(*backend->open_writer());
    ASSERT_TRUE(writer->load({}));
    ASSERT_TRUE(writer->save(set));
    const auto jobs = look_for_members(*reader, flow);
    ASSERT_TRUE(jobs);
    EXPECT_THAT(*jobs, SizeIs(count));
    EXPECT_EQ(members_in(*jobs), members);
}

}  // namespace
}  // namespace flowfabric::test
