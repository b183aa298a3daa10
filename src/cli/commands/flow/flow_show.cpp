#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>

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

boost::json::object json_of(const GroupPolicy& policy) {
    boost::json::object object{{"kind", to_string(policy.kind)}};
    if (policy.kind == GroupKind::quorum) object["k"] = policy.k;
    if (policy.kind != GroupKind::all_of) object["on_satisfied"] = to_string(policy.on_satisfied);
    return object;
}

boost::json::object json_of(const GroupSnapshot& group) {
    return {{"downstream", group.downstream.to_string()},
            {"policy", json_of(group.policy)},
            {"state", to_string(group.state)},
            {"total", group.total},
            {"satisfied", group.satisfied},
            {"failed", group.failed},
            {"skipped", group.skipped},
            {"running", group.running}};
}

boost::json::object json_of(const FlowSnapshot& flow) {
    boost::json::object tags;
    for (const auto& [key, value] : flow.tags) tags[key] = value;
    boost::json::array groups;
    for (const auto& group : flow.edge_groups) groups.push_back(json_of(group));
    boost::json::object object{{"id", flow.flow_id.to_string()},
                               {"flow_kind", flow.flow_kind},
                               {"namespace", flow.namespace_name},
                               {"state", to_string(flow.state)},
                               {"sealed", flow.sealed},
                               {"graph_revision", flow.graph_revision},
                               {"node_count", flow.node_count},
                               {"edge_count", flow.edge_count},
                               {"created_at_ms", flow.created_at_ms},
                               {"last_mutation_at_ms", flow.last_mutation_at_ms},
                               {"tags", std::move(tags)},
                               {"edge_groups", std::move(groups)}};
    if (flow.cancelled_at_ms) object["cancelled_at_ms"] = *flow.cancelled_at_ms;
    if (flow.cancel_reason) object["cancel_reason"] = *flow.cancel_reason;
    if (flow.cancellation_policy) object["cancellation_policy"] = to_string(*flow.cancellation_policy);
    return object;
}

std::string text_of(const GroupPolicy& policy) {
    std::string text(to_string(policy.kind));
    if (policy.kind == GroupKind::quorum) text += fmt::format(" {}", policy.k);
    if (policy.kind != GroupKind::all_of) text += fmt::format(", {}", to_string(policy.on_satisfied));
    return text;
}

void print_groups(const std::vector<GroupSnapshot>& groups) {
    Table table({"execution", "waits for", "state", "edges", "satisfied", "failed", "skipped", "running"});
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
    facts.add("id", flow.flow_id.to_string());
    facts.add("state", std::string(to_string(flow.state)));
    facts.add("kind", printable(flow.flow_kind));
    facts.add("namespace", printable(flow.namespace_name));
    facts.add("members", fmt::to_string(flow.node_count));
    facts.add("edges", fmt::to_string(flow.edge_count));
    facts.add("graph", flow.sealed ? "sealed" : fmt::format("open, revision {}", flow.graph_revision));
    facts.add("tags", printable(fmt::format("{}", fmt::join(tags, ", "))));
    facts.add("created", iso_time(flow.created_at_ms));
    facts.add("last change", iso_time(flow.last_mutation_at_ms));
    facts.add("cancelled", iso_time(flow.cancelled_at_ms));
    if (flow.cancellation_policy) facts.add("cancelled with", std::string(to_string(*flow.cancellation_policy)));
    facts.add("cancelled for", one_line(flow.cancel_reason.value_or("")));
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
        print_json(json_of(*flow));
    } else {
        print_flow(*flow);
    }
    return 0;
}

}  // namespace flowfabric::cli
