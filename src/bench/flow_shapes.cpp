#include "bench/flow_shapes.hpp"

#include <ranges>

#include <fmt/format.h>

#include "bench/support.hpp"

namespace flowfabric::bench {
namespace {

SubmitFlow flow_on(const std::string& lane, std::uint64_t number, std::uint32_t members) {
    SubmitFlow flow;
    flow.flow_kind = "ff-bench";
    flow.nodes.reserve(members);
    for (std::uint32_t i = 0; i < members; ++i) {
        FlowNode node{.name = fmt::to_string(i), .execution = {}, .policy = {}};
        node.execution.lane_id = lane;
        node.execution.execution_kind = "noop";
        node.execution.creator_identity = "ff-bench";
        node.execution.input_payload = fmt::format("{}:{}", number, i);
        flow.nodes.push_back(std::move(node));
    }
    return flow;
}

void add_edge(SubmitFlow& flow, std::uint32_t from, std::uint32_t to) {
    flow.edges.push_back({.from = flow.nodes[from].name, .to = flow.nodes[to].name, .data_passing_ref = std::nullopt});
}

// Behind which the next possible id is this one.
FlowId id_before(FlowId id) {
    for (auto& byte : std::views::reverse(id.uuid.bytes)) {
        if (byte-- != 0) break;
    }
    return id;
}

}  // namespace

FlowPosition position_in(std::string_view payload) {
    const auto colon = payload.find(':');
    return {.flow = static_cast<std::uint64_t>(number_in(payload.substr(0, colon))),
            .member = static_cast<std::uint32_t>(number_in(payload.substr(colon + 1)))};
}

SubmitFlow chain_flow(const std::string& lane, std::uint64_t number, std::uint32_t members) {
    SubmitFlow flow = flow_on(lane, number, members);
    for (std::uint32_t i = 1; i < members; ++i) add_edge(flow, i - 1, i);
    return flow;
}

SubmitFlow fan_flow(const std::string& lane, std::uint32_t width) {
    const std::uint32_t sink = width + 1;
    SubmitFlow flow = flow_on(lane, 0, width + 2);
    for (std::uint32_t i = 1; i < sink; ++i) {
        add_edge(flow, 0, i);
        add_edge(flow, i, sink);
    }
    return flow;
}

Result<FlowStatus> stored_status(Engine& engine, std::uint16_t partition, const FlowId& id) {
    const auto page = engine.list_flows({.partition = partition, .after = id_before(id), .limit = 1});
    if (!page) return page.error();
    const bool found = !page->flows.empty() && page->flows.front().flow_id == id;
    return found ? page->flows.front().status : FlowStatus::unknown;
}

}  // namespace flowfabric::bench
