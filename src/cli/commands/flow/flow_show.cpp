#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<FlowSnapshot> find(const StoreOptions& store, const std::string& text) {
    const auto id = flow_argument(text);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    auto flow = (*engine)->describe_flow(*id);
    if (!flow) return flow.error();
    if (!*flow) return flow_not_found(text);
    return **std::move(flow);
}

std::string text_of(const GroupPolicy& policy) {
    std::string text(to_string(policy.kind));
    if (policy.kind == GroupKind::quorum) text += fmt::format(" {}", policy.k);
    if (policy.kind != GroupKind::all_of) text += fmt::format(", {}", to_string(policy.on_satisfied));
    return text;
}

void print_groups(const std::vector<GroupSnapshot>& groups) {
    Table table({"downstream_execution_id", "policy", "state", "total", "satisfied", "failed", "skipped", "running"});
    for (const auto& group : groups) {
        table.add({group.downstream.to_string(), text_of(group.policy), std::string(to_string(group.state)),
                   fmt::to_string(group.total), fmt::to_string(group.satisfied), fmt::to_string(group.failed),
                   fmt::to_string(group.skipped), fmt::to_string(group.running)});
    }
    table.print();
}

void print_flow(const FlowSnapshot& flow) {
    std::vector<std::string> tags;
    tags.reserve(flow.tags.size());
    for (const auto& [key, value] : flow.tags) tags.push_back(fmt::format("{}={}", key, value));
    Facts facts;
    facts.add("flow_id", flow.flow_id.to_string());
    facts.add("state", std::string(to_string(flow.state)));
    facts.add("flow_kind", printable(flow.flow_kind));
    facts.add("namespace", printable(flow.namespace_name));
    facts.add("node_count", fmt::to_string(flow.node_count));
    facts.add("edge_count", fmt::to_string(flow.edge_count));
    facts.add("sealed", flow.sealed ? "true" : "false");
    facts.add("graph_revision", fmt::to_string(flow.graph_revision));
    facts.add("tags", printable(fmt::format("{}", fmt::join(tags, ", "))));
    facts.add("created_at", iso_time(flow.created_at_ms));
    facts.add("last_mutation_at", iso_time(flow.last_mutation_at_ms));
    facts.add("cancelled_at", iso_time(flow.cancelled_at_ms));
    if (flow.cancellation_policy) facts.add("cancellation_policy", std::string(to_string(*flow.cancellation_policy)));
    facts.add("cancellation_reason", one_line(flow.cancel_reason.value_or("")));
    facts.print();
    if (flow.edge_groups.empty()) return;
    print_line("");
    print_groups(flow.edge_groups);
}

}  // namespace

int run_flow_show(const CommonOptions& common, const std::string& id) {
    const auto flow = find(common.store, id);
    if (!flow) return fail_with(flow.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*flow));
    } else {
        print_flow(*flow);
    }
    return 0;
}

}  // namespace flowfabric::cli
