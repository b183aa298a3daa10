#include "concurrency/engine_test.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

// Another session of the database, not an engine's, that holds rows.
class ForeignLocks : public EngineTest {
  protected:
    void hold(const std::vector<ExecutionId>& ids) {
        std::string list;
        for (const ExecutionId& id : ids) list += (list.empty() ? "'" : ", '") + id.uuid.to_string() + "'";
        foreign_.emplace(store().url());
        foreign_->run("BEGIN");
        foreign_->run("SELECT 1 FROM ff_exec_core WHERE execution_id IN (" + list + ") ORDER BY 1 FOR UPDATE");
    }
    void let_go() { foreign_->run("ROLLBACK"); }
    void TearDown() override {
        foreign_.reset();
        EngineTest::TearDown();
    }

    static std::vector<ClaimedExecution> claim(Engine& engine, std::uint32_t count) {
        Claim command = claim_by("w1");
        command.max_count = count;
        return value_of(engine.claim(command)).executions;
    }

    static std::vector<Pending<Complete>> complete(Engine& engine, const std::vector<ClaimedExecution>& claimed) {
        std::vector<Pending<Complete>> pending;
        for (const auto& one : claimed) pending.push_back(start(engine, Complete{.lease = one.handle}));
        return pending;
    }

    static PublicState state(Engine& engine, const ClaimedExecution& claimed) {
        return value_of(engine.describe_execution(claimed.execution_id))->vector.public_state;
    }

  private:
    std::optional<SqlSession> foreign_;
};
INSTANTIATE_TEST_SUITE_P(Stores, ForeignLocks, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(ForeignLocks, DelayOnlyTheCommandsForTheHeldRows) {
    Engine& engine = open();
    create(engine, 40);
    auto free = claim(engine, 40);
    ASSERT_EQ(free.size(), 40U);
    const std::vector held(free.begin(), free.begin() + 2);
    free.erase(free.begin(), free.begin() + 2);
    hold({held[0].execution_id, held[1].execution_id});

    auto held_back = complete(engine, held);
    for (auto& one : complete(engine, free)) EXPECT_TRUE(answer_of(one));
    EXPECT_EQ(create(engine, 5).size(), 5U);
    EXPECT_EQ(claim(engine, 10).size(), 5U);
    for (const auto& one : held) EXPECT_EQ(state(engine, one), PublicState::active);
    let_go();

    for (auto& one : held_back) EXPECT_TRUE(answer_of(one));
    for (const auto& one : held) EXPECT_EQ(state(engine, one), PublicState::completed);
}

TEST_P(ForeignLocks, EndInContentionWhenNobodyLetsGo) {
    Engine& engine = open();
    create(engine, 2);
    const auto claimed = claim(engine, 2);
    hold({claimed[0].execution_id});

    auto held_back = complete(engine, {claimed[0]});
    EXPECT_TRUE(engine.complete({.lease = claimed[1].handle}));
    expect_error(answer_of(held_back.front()), ErrorKind::retry_exhausted);
    let_go();

    EXPECT_TRUE(engine.complete({.lease = claimed[0].handle})) << "it was refused, so it had not happened";
}

TEST_P(ForeignLocks, ClaimsPassOverHeldRows) {
    Engine& engine = open();
    const auto created = create(engine, 6);
    hold({*created.begin(), *std::next(created.begin())});

    EXPECT_EQ(claim(engine, 10).size(), 4U);

    let_go();
    EXPECT_EQ(claim(engine, 10).size(), 2U);
}

TEST_P(ForeignLocks, AFlowIsCancelledAroundTheMembersThatAreHeld) {
    Engine& engine = open();
    SubmitFlow command;
    command.flow_kind = "test";
    for (const char* name : {"a", "b", "c"}) {
        command.nodes.push_back(
            {.name = name, .execution = {.lane_id = "default", .execution_kind = "test"}, .policy = {}});
    }
    const auto flow = value_of(engine.submit_flow(command));
    hold({flow.members[1]});

    const auto cancelled = value_of(engine.cancel_flow({.flow_id = flow.flow_id}));
    EXPECT_EQ(cancelled.members.size(), 3U);
    EXPECT_TRUE(cancelled.members_pending);
    EXPECT_EQ(value_of(engine.read_execution_state(flow.members[0])), PublicState::cancelled);
    EXPECT_EQ(value_of(engine.read_execution_state(flow.members[1])), PublicState::waiting);
    EXPECT_EQ(value_of(engine.read_execution_state(flow.members[2])), PublicState::cancelled);
    let_go();

    const auto repeated = value_of(engine.cancel_flow({.flow_id = flow.flow_id, .max_wait_ms = 120'000}));
    EXPECT_TRUE(repeated.already_terminal);
    EXPECT_FALSE(repeated.members_pending);
    EXPECT_EQ(value_of(engine.read_execution_state(flow.members[1])), PublicState::cancelled);
}

}  // namespace
}  // namespace flowfabric::test
