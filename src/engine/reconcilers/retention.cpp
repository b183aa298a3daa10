#include <algorithm>
#include <iterator>

#include "core/execution/retention.hpp"
#include "core/flow/flow_fields.hpp"
#include "core/flow/flow_retention.hpp"
#include "engine/flows/lookup.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// What is to go next of a flow that is being removed: edges, then members, then the flow.
StoreResult<std::vector<Command>> next_pieces(StoreReader& reader, const FlowKey& flow, std::uint32_t limit) {
    auto edges = reader.edges(flow, limit);
    if (!edges) return edges.error();
    if (!edges->empty()) return std::vector{remove_edges(flow, std::move(*edges))};
    const auto members = reader.members(flow, limit);
    if (!members) return members.error();
    if (members->empty()) return std::vector{finish_removal(flow)};
    std::vector<Command> pieces;
    pieces.reserve(members->size());
    for (const FlowMember& member : *members) pieces.push_back(remove_member(member.id, flow.flow_id));
    return pieces;
}

StoreResult<Lookup<FlowRow>> read_flows(StoreReader& reader, std::vector<FlowKey> keys) {
    std::ranges::sort(keys);
    return look_up<FlowRow>(reader, std::move(keys));
}

// Only flows that may begin to go have their members counted. One that cannot be read stays.
StoreResult<std::vector<Command>> look_at(StoreReader& reader, const std::vector<FlowKey>& flows, std::uint32_t limit) {
    const auto rows = read_flows(reader, flows);
    if (!rows) return rows.error();
    std::vector<Command> commands;
    std::vector<FlowRow> to_be_counted;
    for (const FlowKey& flow : flows) {
        if (rows->damaged.contains(flow)) continue;
        const FlowRow* row = rows->rows.find(flow);
        if (row != nullptr && !fields_of(*row).removing) {
            to_be_counted.push_back(*row);
        } else if (commands.size() < limit) {
            auto pieces = next_pieces(reader, flow, limit - static_cast<std::uint32_t>(commands.size()));
            if (!pieces) return pieces.error();
            std::ranges::move(*pieces, std::back_inserter(commands));
        }
    }
    auto keys = countable(to_be_counted);
    std::ranges::sort(keys);
    auto tallies = reader.tallies(keys);
    if (!tallies) return tallies.error();
    for (FlowTally& flow : *tallies) commands.push_back(remove_flow(std::move(flow)));
    return commands;
}

StoreResult<Findings> look_for_ended(StoreReader& reader, const LookArguments& arguments) {
    auto found =
        find_due(reader, arguments, due_rows<RetentionRow>, [](const ExecutionId& id) { return remove_ended(id, {}); });
    if (!found) return found;
    const auto due = reader.select_due(due_rows<FlowRetentionRow>, arguments.batch, arguments.filter);
    if (!due) return due.error();
    const auto earlier = [](std::optional<std::int64_t>& time, const std::optional<std::int64_t>& other) {
        if (other) time = std::min(time.value_or(*other), *other);
    };
    earlier(found->oldest_at_ms, due->oldest_at_ms);
    earlier(found->next_at_ms, due->next_at_ms);
    if (due->flows.empty()) return found;
    auto commands = look_at(reader, due->flows, arguments.batch);
    if (!commands) return commands.error();
    std::ranges::move(*commands, std::back_inserter(found->commands));
    found->more = true;  // each goes in several steps
    return found;
}

}  // namespace

// Ended executions that go at a time of their own, and flows.
ReconcilerSpec retention() {
    return {.name = "retention", .interval_ms = 60'000, .batch = 500, .look = look_for_ended};
}

}  // namespace flowfabric
