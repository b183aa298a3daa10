#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/commands/flow/flow_members.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct ShownFlow {
    FlowSnapshot flow;
    std::vector<ExecutionSummary> members;
};

Result<ShownFlow> find(const CommonOptions& common, const std::string& text) {
    const auto id = flow_argument(text);
    if (!id) return id.error();
    const auto client = open_client(common);
    if (!client) return client.error();
    auto flow = (*client)->describe_flow(*id);
    if (!flow) return flow.error();
    if (!*flow) return flow_not_found(text);
    auto members = members_of(**client, *id);
    if (!members) return members.error();
    return ShownFlow{**std::move(flow), *std::move(members)};
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

void print_members(const std::vector<ExecutionSummary>& members) {
    Table table({"name", "public_state", "execution_id", "execution_kind", "lane_id", "started_at", "terminal_at"});
    for (const auto& member : members) {
        table.add({printable(member.node_name.value_or("")), std::string(to_string(member.public_state)),
                   member.execution_id.to_string(), printable(member.execution_kind), printable(member.lane_id),
                   iso_time(member.started_at_ms), iso_time(member.terminal_at_ms)});
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
}

int run_flow_show(const CommonOptions& common, const std::string& id) {
    const auto shown = find(common, id);
    if (!shown) return fail_with(shown.error(), common.json);
    if (common.json) {
        auto object = api::to_json(shown->flow);
        const std::optional page(FlowMemberPage{shown->members, std::nullopt});
        object.as_object()["members"] = api::to_json(page).at("members");
        print_json(object);
        return 0;
    }
    print_flow(shown->flow);
    if (!shown->members.empty()) {
        print_line("");
        print_members(shown->members);
    }
    if (!shown->flow.edge_groups.empty()) {
        print_line("");
        print_groups(shown->flow.edge_groups);
    }
    return 0;
}

}  // namespace

void add_flow_show(CommandTable& table, CLI::App& flow) {
    auto [command, id] = table.add_to(flow, "show", "Show a flow, its members, and what they wait for", run_flow_show);
    add_id(command, id, "The flow's id");
    add_examples(command, {"ff flow show 01a1edbe-befe-7ebd-86bb-ebfe6d1737a0"});
}

}  // namespace flowfabric::cli
