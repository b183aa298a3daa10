#pragma once

#include "flowfabric/commands.hpp"
#include "flowfabric/flow.hpp"

// A whole graph at once: the normal way to make a flow.
namespace flowfabric {

// A flow that is submitted at once is one transaction, which has a limit; one that is built in pieces has none.
inline constexpr std::size_t max_submitted_nodes = 10'000;
inline constexpr std::size_t max_submitted_edges = 50'000;

struct FlowNode {
    std::string name;  // unique in its flow; edges refer to it
    CreateExecution execution;
    GroupPolicy policy;  // of the edges into it
};

struct FlowEdge {
    std::string from;
    std::string to;
    std::string dependency_kind = "success_only";
    std::optional<std::string> data_passing_ref;
};

struct FlowSubmitted {
    FlowId flow_id;
    std::vector<ExecutionId> members;  // in the order of the nodes
    bool already_there = false;

    bool operator==(const FlowSubmitted&) const = default;
};

// Flow, members, edges and policies in one transaction, or nothing of it. The flow is sealed. With a flow id of the
// caller's own it is safe to repeat: the ids of members and edges follow from it.
struct SubmitFlow {
    using Answer = FlowSubmitted;

    std::optional<FlowId> flow_id;  // absent: minted
    std::string flow_kind;
    std::string namespace_name = "default";
    Tags tags;
    std::vector<FlowNode> nodes;
    std::vector<FlowEdge> edges;
};

}  // namespace flowfabric
