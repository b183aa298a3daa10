#include "conformance/flowing.hpp"
#include "conformance/waiting.hpp"

// The result of an upstream execution as the input of the one that waits for it.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class FlowData : public Flowing {
  protected:
    std::map<std::string, Bytes> slots(const ExecutionId& id) { return snapshot().executions.at(id).flow_inputs; }
    std::optional<Bytes> input(const ExecutionId& id) { return snapshot().executions.at(id).input; }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowData, all_stores(), name_of_param);

FlowEdge passing(std::string from, std::string to, std::string ref) {
    return {.from = std::move(from), .to = std::move(to), .data_passing_ref = std::move(ref)};
}

TEST_P(FlowData, TheResultBecomesTheInputBeforeTheChildCanBeClaimed) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    succeed(at("a"), "november");
    EXPECT_EQ(value_of(api().get_execution_input(at("b"))), "november");
    EXPECT_EQ(take(at("b")).input_payload, "november");
    EXPECT_THAT(slots(at("b")), ElementsAre(Pair("report", "november")));
}

TEST_P(FlowData, AClaimThatWaitsForTheChildGetsTheResultAsWell) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    std::vector<ClaimedExecution> claimed;
    wait_for_work(engine(), claimed, "b");
    succeed(at("a"), "november");
    engine().settle();
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_EQ(claimed[0].input_payload, "november");
}

TEST_P(FlowData, AClaimThatWaitsForTheChildGetsItsOwnInputWhereNoneIsPassed) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    std::vector<ClaimedExecution> claimed;
    wait_for_work(engine(), claimed, "b");
    succeed(at("a"), "november");
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_EQ(claimed[0].execution_id, at("b"));
    EXPECT_EQ(claimed[0].input_payload, "own");
}

TEST_P(FlowData, WithoutAResultTheChildKeepsItsOwnInput) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    succeed(at("a"));
    EXPECT_EQ(take(at("b")).input_payload, "own");
    EXPECT_THAT(slots(at("b")), IsEmpty());
}

TEST_P(FlowData, AnEmptyResultIsAResult) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    succeed(at("a"), "");
    EXPECT_EQ(take(at("b")).input_payload, "");
}

TEST_P(FlowData, WithoutAReferenceNothingIsPassed) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, passing("a", "c", "")});
    succeed(at("a"), "november");
    EXPECT_EQ(take(at("b")).input_payload, "own");
    EXPECT_EQ(take(at("c")).input_payload, "own");
}

TEST_P(FlowData, AResultOfAnyBytesArrivesAsItIs) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    Bytes bytes(1'048'576, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
    succeed(at("a"), bytes);
    EXPECT_TRUE(take(at("b")).input_payload == bytes);
}

TEST_P(FlowData, OfSeveralResultsTheOneOfTheLastEdgeIsTheInputWhateverTheirOrder) {
    for (const bool forwards : {true, false}) {
        create_flow(forwards ? 1 : 2);
        const ExecutionId a = member();
        const ExecutionId b = member();
        const ExecutionId child = member();
        auto first = staging(edge_id(1), a, child);
        first.data_passing_ref = "one";
        value_of(run(first));
        auto second = staging(edge_id(2), b, child);
        second.data_passing_ref = "two";
        value_of(run(second));
        apply(edge_id(1), a, child);
        apply(edge_id(2), b, child);
        succeed(forwards ? a : b, forwards ? "of a" : "of b");
        succeed(forwards ? b : a, forwards ? "of b" : "of a");
        EXPECT_THAT(slots(child), ElementsAre(Pair("one", "of a"), Pair("two", "of b")));
        EXPECT_EQ(take(child).input_payload, "of b");
    }
}

TEST_P(FlowData, OfAnAnyOfOnlyTheOneThatDecidesPasses) {
    submit({"a", "b", "c"}, {passing("a", "c", "one"), passing("b", "c", "two")},
           {{"c", any_policy(OnSatisfied::let_run)}});
    succeed(at("b"), "of b");
    succeed(at("a"), "of a");
    EXPECT_EQ(take(at("c")).input_payload, "of b");
    EXPECT_THAT(slots(at("c")), ElementsAre(Pair("two", "of b")));
}

TEST_P(FlowData, OfAQuorumOnlyTheOneThatDecidesPasses) {
    submit({"a", "b", "c", "d"}, {passing("a", "d", "one"), passing("b", "d", "two"), passing("c", "d", "three")},
           {{"d", quorum_policy(2, OnSatisfied::let_run)}});
    succeed(at("c"), "of c");
    EXPECT_EQ(input(at("d")), "own");
    succeed(at("a"), "of a");
    succeed(at("b"), "of b");
    EXPECT_EQ(take(at("d")).input_payload, "of a");
    EXPECT_THAT(slots(at("d")), ElementsAre(Pair("one", "of a")));
}

TEST_P(FlowData, OfTwoThatArriveTogetherOneDecides) {
    submit({"a", "b", "c"}, {passing("a", "c", "one"), passing("b", "c", "two")},
           {{"c", any_policy(OnSatisfied::let_run)}});
    value_of(complete(take(at("a")).handle, "of a"));
    engine().crash();
    value_of(complete(take(at("b")).handle, "of b"));
    engine().crash();
    recover();
    EXPECT_TRUE(claimable(at("c")));
    EXPECT_THAT(slots(at("c")), SizeIs(1));
}

TEST_P(FlowData, AChildThatWasCancelledKeepsItsInput) {
    submit({"a", "b"}, {passing("a", "b", "report")});
    cancel_one(at("b"));
    succeed(at("a"), "november");
    EXPECT_EQ(input(at("b")), "own");
    EXPECT_THAT(slots(at("b")), IsEmpty());
}

TEST_P(FlowData, AnUpstreamThatFailedPassesNothing) {
    submit({"a", "b", "c"}, {passing("a", "c", "one"), passing("b", "c", "two")}, {{"c", any_policy()}});
    lose(at("a"));
    EXPECT_EQ(input(at("c")), "own");
    succeed(at("b"), "of b");
    EXPECT_EQ(take(at("c")).input_payload, "of b");
}

TEST_P(FlowData, AnEdgeThatIsAppliedAfterTheEndPassesAtOnce) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId child = member({.input_payload = "own"});
    succeed(a, "november");
    auto command = staging(edge_id(1), a, child);
    command.data_passing_ref = "report";
    value_of(run(command));
    value_of(run(applying(edge_id(1), a, child)));
    EXPECT_EQ(take(child).input_payload, "november");
}

TEST_P(FlowData, AnOpenAnyOfTakesNoDataFromAnEdgeThatIsAppliedAfterItsDecision) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    const ExecutionId child = member({.input_payload = "own"});
    value_of(run(policy_for(child, any_policy(OnSatisfied::let_run))));
    auto first = staging(edge_id(1), a, child);
    first.data_passing_ref = "one";
    value_of(run(first));
    auto second = staging(edge_id(2), b, child);
    second.data_passing_ref = "two";
    value_of(run(second));
    apply(edge_id(1), a, child);
    succeed(a, "of a");
    succeed(b, "of b");
    apply(edge_id(2), b, child);
    EXPECT_EQ(take(child).input_payload, "of a");
}

}  // namespace
}  // namespace flowfabric::test
