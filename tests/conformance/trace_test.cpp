#include "conformance/api_test.hpp"

// The trace that an execution belongs to.
namespace flowfabric::test {
namespace {

using enum ErrorKind;

const std::string a_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string another_trace = "00-0af7651916cd43dd8448eb211c80319c-0000000000000001-00";

class TraceTest : public ApiTest {};
INSTANTIATE_TEST_SUITE_P(Stores, TraceTest, all_stores(), name_of_param);

TEST_P(TraceTest, ComesWithTheClaimAndIsShown) {
    CreateExecution command;
    command.traceparent = a_trace;
    command.tracestate = "shop=1";
    const ExecutionId id = create(command);
    EXPECT_EQ(view(id).traceparent, a_trace);
    EXPECT_EQ(view(id).tracestate, "shop=1");
    const auto claimed = claim("w1");
    EXPECT_EQ(claimed.traceparent, a_trace);
    EXPECT_EQ(claimed.tracestate, "shop=1");
    value_of(release(claimed.handle));
    const auto leased = value_of(run(IssueGrantAndClaim{.execution_id = id}));
    EXPECT_EQ(leased.traceparent, a_trace);

    EXPECT_EQ(view(create()).traceparent, std::nullopt) << "none is made up";
}

TEST_P(TraceTest, MembersHaveTheirOwnOrTheirFlows) {
    SubmitFlow flow{.flow_kind = "k"};
    for (const std::string name : {"a", "b"}) {
        flow.nodes.push_back({.name = name, .execution = {.execution_kind = "test"}});
    }
    flow.traceparent = a_trace;
    flow.tracestate = "shop=1";
    flow.nodes[1].execution.traceparent = another_trace;
    const auto members = value_of(run(flow)).members;
    EXPECT_EQ(view(members[0]).traceparent, a_trace);
    EXPECT_EQ(view(members[0]).tracestate, "shop=1");
    EXPECT_EQ(view(members[1]).traceparent, another_trace);
    EXPECT_EQ(view(members[1]).tracestate, std::nullopt);
}

TEST_P(TraceTest, AMalformedOneIsRefusedByName) {
    CreateExecution command{.execution_kind = "test"};
    command.traceparent = "00-a_trace";
    expect_error(run(command), invalid_input, "traceparent");
    command.traceparent = a_trace;
    command.tracestate = "nothing";
    expect_error(run(command), invalid_input, "tracestate");
    SubmitFlow flow{.flow_kind = "k", .nodes = {{.name = "a", .execution = {.execution_kind = "test"}}}};
    flow.tracestate = "shop=1";
    expect_error(run(flow), invalid_input, "tracestate");
}

}  // namespace
}  // namespace flowfabric::test
