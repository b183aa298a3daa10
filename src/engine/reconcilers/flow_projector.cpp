#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// Goes round all flows that have members which live or have not been counted since they ended. What a claim or a
// suspension changes leaves no trace on the flow, so that nothing cheaper tells which of them have changed; those that
// have not cost a count and no write.
StoreResult<Findings> look_for_summaries(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto rows = reader.unsummarised(arguments.after<FlowKey>(), arguments.batch);
    if (!rows) return rows.error();
    Findings found{.now_ms = *now};
    const auto keys = countable(*rows);
    if (keys.empty()) return found;
    auto tallies = reader.tallies(keys);
    if (!tallies) return tallies.error();
    for (FlowTally& flow : *tallies) found.commands.push_back(store_flow_summary(std::move(flow), *now));
    const bool round = rows->size() < arguments.batch && keys.size() == rows->size();
    if (!round) found.walked_to = keys.back();
    return found;
}

}  // namespace

// What dashboards show of flows.
ReconcilerSpec flow_projector() {
    return {.name = "flow_projector", .interval_ms = 15'000, .batch = 500, .look = look_for_summaries};
}

}  // namespace flowfabric
