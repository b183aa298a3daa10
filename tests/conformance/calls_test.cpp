#include <array>

#include "conformance/api_test.hpp"
#include "core/base/partition.hpp"
#include "flowfabric/submit_flow.hpp"

namespace flowfabric::test {
namespace {

using ::testing::SizeIs;

// Every command through the engine that callers use; what it does is told by the command's own tests.
class CallsTest : public ApiTest {
  protected:
    ClaimedExecution claim_new() {
        value_of(api().create_execution({.policy = retries(1, 60'000)}));
        return value_of(api().claim(claim_by("w1"))).executions.at(0);
    }
};

TEST_P(CallsTest, AWorkersCalls) {
    ClaimedExecution held = claim_new();
    EXPECT_EQ(value_of(api().release_unstarted({.lease = held.handle})).public_state, PublicState::waiting);
    held = value_of(api().claim(claim_by("w1"))).executions.at(0);
    EXPECT_EQ(value_of(api().renew({.lease = held.handle})).lease_epoch, LeaseEpoch{2});
    EXPECT_EQ(value_of(api().progress({.lease = held.handle, .percent = 5})).progress_updated_at_ms, now());
    EXPECT_EQ(value_of(api().delay({.lease = held.handle, .delay_until_ms = 0})).public_state, PublicState::resumable);
    held = value_of(api().claim(claim_by("w1"))).executions.at(0);
    EXPECT_EQ(value_of(api().complete({.lease = held.handle})).public_state, PublicState::completed);

    held = claim_new();
    const Failed failed = value_of(api().fail({.lease = held.handle, .reason = "it broke"}));
    EXPECT_EQ(std::get<RetryScheduled>(failed).next_attempt_index, 1U);

    held = claim_new();
    EXPECT_EQ(value_of(api().cancel({.lease = held.handle, .reason = "not needed"})).public_state,
              PublicState::cancelled);
    EXPECT_EQ(row(held.execution_id).cancelled_by, "worker");
}

TEST_P(CallsTest, OtherPeoplesCalls) {
    const ExecutionId id = value_of(api().create_execution({})).execution_id;
    EXPECT_EQ(value_of(api().set_execution_tags({.execution_id = id, .tags = {{"app.team", "blue"}}})), TagsSet{1});
    EXPECT_EQ(value_of(api().get_execution_tag(id, "app.team")), "blue");
    EXPECT_EQ(value_of(api().set_lane_state({.lane_id = "default", .state = LaneState::disabled})),
              (LaneChanged{"default", LaneState::active, LaneState::disabled}));
    expect_error(api().create_execution({}), ErrorKind::invalid_input, "lane_not_accepting");
    EXPECT_EQ(value_of(api().cancel_execution({.execution = {.execution_id = id}})),
              (Cancelled{id, PublicState::cancelled}));
}

TEST_P(CallsTest, CallsThatBuildAFlow) {
    const FlowId flow = value_of(api().create_flow({.flow_kind = "test"})).flow_id;
    std::array<ExecutionId, 2> members;
    for (ExecutionId& id : members) {
        const Uuid uuid{{static_cast<std::uint8_t>(&id - members.data() + 1)}};
        const CreateExecution command{.execution_id = flow_execution_id(flow, uuid)};
        id = value_of(api().create_execution(command)).execution_id;
        value_of(api().add_execution_to_flow({.flow_id = flow, .execution_id = id}));
    }
    EXPECT_FALSE(value_of(api().set_edge_group_policy({.flow_id = flow,
                                                       .downstream = members[1],
                                                       .policy = {.kind = GroupKind::any_of},
                                                       .expected_edges = {}}))
                     .already_there);
    const EdgeId edge{Uuid{{1}}};
    EXPECT_EQ(value_of(api().stage_dependency_edge({.flow_id = flow,
                                                    .edge_id = edge,
                                                    .upstream = members[0],
                                                    .downstream = members[1],
                                                    .expected_graph_revision = 2}))
                  .graph_revision,
              3);
    EXPECT_EQ(value_of(api().apply_dependency_to_child(
                  {.flow_id = flow, .edge_id = edge, .upstream = members[0], .downstream = members[1]})),
              (DependencyApplied{1, false}));
    EXPECT_EQ(value_of(api().set_flow_tag({flow, "app.team", "blue"})), FlowTagSet{});
    EXPECT_FALSE(value_of(api().seal_flow({flow})).already_there);
    const ClaimedExecution held = value_of(api().claim(claim_by("w1"))).executions.at(0);
    EXPECT_EQ(held.execution_id, members[0]);
    EXPECT_EQ(value_of(api().wait_children({.lease = held.handle, .flow_id = flow})).public_state,
              PublicState::resumable);
    EXPECT_EQ(value_of(api().cancel_flow({.flow_id = flow, .max_wait_ms = 60'000})).members.size(), 2U);
    EXPECT_EQ(value_of(api().ack_cancel_member({.flow_id = flow, .execution_id = members[0]})), MemberAcknowledged{});
    for (const ExecutionId& id : members) EXPECT_EQ(state(id), PublicState::cancelled);
}

TEST_P(CallsTest, ACallThatSubmitsAFlow) {
    SubmitFlow command;
    command.nodes = {{.name = "a", .execution = {}, .policy = {}}, {.name = "b", .execution = {}, .policy = {}}};
    command.edges = {{.from = "a", .to = "b"}};
    const FlowSubmitted flow = value_of(api().submit_flow(command));
    for (const ExecutionId& id : flow.members) {
        Claim claim = claim_by("w1");
        claim.max_wait_ms = 60'000;  // the engine dispatches what has ended
        const ClaimedExecution held = value_of(api().claim(std::move(claim))).executions.at(0);
        EXPECT_EQ(held.execution_id, id);
        value_of(api().complete({.lease = held.handle}));
    }
}

TEST_P(CallsTest, ManyOfAKindAreAnsweredInTheirOrder) {
    std::vector<ExecutionId> ids;
    for (const auto& created : api().run_all(std::vector<CreateExecution>(5))) {
        ids.push_back(value_of(created).execution_id);
    }
    std::vector<SetExecutionTags> tags;
    std::vector<CancelExecution> cancels;
    for (const ExecutionId& id : ids) {
        tags.push_back({.execution_id = id, .tags = {{"app.id", id.to_string()}}});
        cancels.push_back({.execution = {.execution_id = id}});
    }
    cancels[2].execution.execution_id.uuid = Uuid{};
    for (const auto& set : api().run_all(tags)) EXPECT_EQ(value_of(set), TagsSet{1});
    const auto answers = api().run_all(cancels);
    ASSERT_THAT(answers, SizeIs(5));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (i == 2) {
            expect_error(answers[i], ErrorKind::execution_not_found);
        } else {
            EXPECT_EQ(value_of(answers[i]).execution_id, ids[i]);
        }
        EXPECT_EQ(view(ids[i]).tags.at("app.id"), ids[i].to_string());
        EXPECT_EQ(state(ids[i]), i == 2 ? PublicState::waiting : PublicState::cancelled);
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, CallsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
