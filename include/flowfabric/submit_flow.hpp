#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/commands.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/flow.hpp"

// A whole graph at once: the normal way to make a flow.
namespace flowfabric {

// Limits of one submission, which is one transaction. A flow that is built in pieces has none.
inline constexpr std::size_t max_submitted_nodes = 10'000;
inline constexpr std::size_t max_submitted_edges = 50'000;

struct FlowNode {
    static constexpr std::string_view type_name = "FlowNode";

    std::string name;
    CreateExecution execution;
    GroupPolicy policy;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &FlowNode::name, field::required(field::text(max_label_bytes)),
              "What edges call it; unique in its flow.");
        visit("execution", &FlowNode::execution, field::required(),
              "The execution, without an idempotency key: that is the flow's id.");
        visit("policy", &FlowNode::policy, field::optional, "When the edges into it are satisfied.");
    }
};

struct FlowEdge {
    static constexpr std::string_view type_name = "FlowEdge";

    std::string from;
    std::string to;
    DependencyKind dependency_kind = DependencyKind::success_only;
    std::optional<std::string> data_passing_ref;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("from", &FlowEdge::from, field::required(), "The name of the node that comes first.");
        visit("to", &FlowEdge::to, field::required(), "The name of the node that waits for it.");
        visit("dependency_kind", &FlowEdge::dependency_kind, field::optional, "What the edge asks of its upstream.");
        visit("data_passing_ref", &FlowEdge::data_passing_ref, field::text(max_label_bytes),
              "Set: the upstream's result becomes the downstream's input.");
    }
};

struct FlowSubmitted {
    static constexpr std::string_view type_name = "FlowSubmitted";

    FlowId flow_id;
    std::vector<ExecutionId> members;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &FlowSubmitted::flow_id, field::optional, "The flow's id, a UUID.");
        visit("members", &FlowSubmitted::members, field::optional, "Its members, in the order of the nodes.");
        visit("already_there", &FlowSubmitted::already_there, field::optional, "True: an earlier call submitted it.");
    }

    bool operator==(const FlowSubmitted&) const = default;
};

// Creates a sealed flow. With a flow id from the caller it is safe to repeat: the ids of members and edges follow from
// the flow's.
struct SubmitFlow {
    using Answer = FlowSubmitted;
    static constexpr std::string_view type_name = "SubmitFlow";
    static constexpr Operation operation{"submit_flow",
                                         "Creates a flow with its members, edges and policies, or nothing of it."};

    std::optional<FlowId> flow_id;
    std::string flow_kind;
    std::string namespace_name = "default";
    Tags tags;
    std::vector<FlowNode> nodes;
    std::vector<FlowEdge> edges;
    std::string idempotency_key;
    std::optional<std::string> request_digest;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &SubmitFlow::flow_id, field::optional,
              "The flow's id; absent: it follows from the idempotency key, or is minted.");
        visit("flow_kind", &SubmitFlow::flow_kind, field::required(field::text(max_label_bytes)),
              "What kind of flow it is.");
        visit("namespace", &SubmitFlow::namespace_name, field::identity, "The namespace that it belongs to.");
        visit("tags", &SubmitFlow::tags, field::text(max_tag_bytes), "Tags by key, such as owner.name.");
        visit("nodes", &SubmitFlow::nodes, field::required(field::list(1, max_submitted_nodes)),
              "The members that it begins with.");
        visit("edges", &SubmitFlow::edges, field::list(0, max_submitted_edges), "What waits for what.");
        visit("idempotency_key", &SubmitFlow::idempotency_key, field::text(max_idempotency_key_bytes),
              "Under the same key of a namespace there is only one flow; empty: none.");
        visit("request_digest", &SubmitFlow::request_digest, field::line(max_label_bytes),
              "Tells requests for one flow apart: one with another digest is refused, one with the same gets the first "
              "answer.");
        visit("traceparent", &SubmitFlow::traceparent, field::line(max_traceparent_bytes),
              "The trace of the members that name none of their own.");
        visit("tracestate", &SubmitFlow::tracestate, field::line(max_tracestate_bytes),
              "What vendors keep with that trace; only beside a traceparent.");
    }
};

}  // namespace flowfabric
