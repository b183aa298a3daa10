#include "cli/text/flow_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>

#include "cli/text/json_fields.hpp"
#include "cli/text/submission.hpp"

namespace flowfabric::cli {
namespace {

namespace json = boost::json;

// ---- fields; each is read into the member that belongs to it, or the error says where it stands -------------------

template <class T>
struct Field {
    std::string_view name;
    Result<void> (*read)(const json::value& value, const std::string& path, T& out);
};

template <class T, std::size_t count>
Result<void> read_fields(const json::value& value, const std::string& path, const std::array<Field<T>, count>& fields,
                         T& out) {
    if (!value.is_object()) return invalid_input(path, "expected an object");
    for (const auto& [key, field_value] : value.get_object()) {
        const std::string_view name(key);
        const auto field_path = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
        const auto field = std::ranges::find(fields, name, &Field<T>::name);
        if (field == fields.end()) return invalid_input(field_path, "is not a known field");
        if (auto done = field->read(field_value, field_path, out); !done) return done;
    }
    return {};
}

template <auto member, class T>
Result<void> plain(const json::value& value, const std::string& path, T& out) {
    const auto complaint = read(value, out.*member);
    return complaint == accepted ? Result<void>{} : invalid_input(path, complaint);
}

template <auto member, class T>
Result<void> choice(const json::value& value, const std::string& path, T& out) {
    using Choice = std::remove_reference_t<decltype(out.*member)>;
    const auto chosen = value.is_string() ? parse_enum<Choice>(value.get_string()) : std::nullopt;
    if (!chosen) return invalid_input(path, fmt::format("expected one of {}", fmt::join(enum_names<Choice>, ", ")));
    out.*member = *chosen;
    return {};
}

template <class T>
Result<void> each(const json::value& value, const std::string& path, T read_item) {
    if (!value.is_array()) return invalid_input(path, "expected an array");
    const auto& items = value.get_array();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (auto done = read_item(items[i], fmt::format("{}[{}]", path, i)); !done) return done;
    }
    return {};
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

constexpr auto policy_fields = std::to_array<Field<GroupPolicy>>({
    {"kind", choice<&GroupPolicy::kind>},
    {"k", plain<&GroupPolicy::k>},
    {"on_satisfied", choice<&GroupPolicy::on_satisfied>},
});

Result<GroupPolicy> group_policy_of(const json::value& value) {
    GroupPolicy policy;
    if (auto done = read_fields(value, "policy", policy_fields, policy); !done) return done.error();
    const bool quorum = policy.kind == GroupKind::quorum;
    const bool has_k = value.get_object().contains("k");
    if (quorum && !has_k) return invalid_input("policy.k", "is required with a quorum");
    if (!quorum && has_k) return invalid_input("policy.k", "belongs to a quorum");
    return policy;
}

// The names under which an execution's fields stand in a node: its policy is the one of its edges.
std::string_view submission_field(std::string_view name) {
    if (name == "input") return "payload";
    if (name == "execution_policy") return "policy";
    return name;
}

Result<FlowNode> node_of(const json::object& object, const SubmitOptions& defaults) {
    FlowNode node;
    SubmitOptions execution = defaults;
    if (object.contains("input") && object.contains("payload")) {
        return invalid_input("input", "is another name for payload; give one of them");
    }
    for (const auto& [key, value] : object) {
        const std::string_view name(key);
        if (name == "policy") {
            auto policy = group_policy_of(value);
            if (!policy) return policy.error();
            node.policy = *policy;
            continue;
        }
        const auto complaint =
            name == "name" ? read(value, node.name) : read_submission_field(submission_field(name), value, execution);
        if (complaint != accepted) return invalid_input(name, complaint);
    }
    if (execution.kind.empty()) execution.kind = node.name;
    auto command = command_of(execution);
    if (!command) return command.error();
    node.execution = *std::move(command);
    return node;
}

std::string name_in(const json::object& object) {
    const auto* name = object.if_contains("name");
    return name != nullptr && name->is_string() ? fmt::format(" '{}'", std::string_view(name->get_string())) : "";
}

Result<std::vector<FlowNode>> nodes_of(const json::value& value, const SubmitOptions& defaults) {
    std::vector<FlowNode> nodes;
    auto done = each(value, "nodes", [&](const json::value& item, const std::string& path) -> Result<void> {
        if (!item.is_object()) return invalid_input(path, "expected an object");
        auto node = node_of(item.get_object(), defaults);
        if (!node) {
            auto error = std::move(node).error();
            error.detail = fmt::format("{}{}: {}", path, name_in(item.get_object()), error.detail);
            return error;
        }
        nodes.push_back(*std::move(node));
        return {};
    });
    if (!done) return done.error();
    return nodes;
}

// ---- edges, and the whole -------------------------------------------------------------------------------------------

constexpr auto edge_fields = std::to_array<Field<FlowEdge>>({
    {"from", plain<&FlowEdge::from>},
    {"to", plain<&FlowEdge::to>},
    {"dependency_kind", plain<&FlowEdge::dependency_kind>},
    {"data_passing_ref", plain<&FlowEdge::data_passing_ref>},
});

Result<void> read_edges(const json::value& value, const std::string& path, SubmitFlow& flow) {
    return each(value, path, [&](const json::value& item, const std::string& item_path) {
        return read_fields(item, item_path, edge_fields, flow.edges.emplace_back());
    });
}

Result<void> read_flow_id(const json::value& value, const std::string& path, SubmitFlow& flow) {
    if (!value.is_string()) return invalid_input(path, "expected a string");
    const auto id = FlowId::parse(value.get_string());
    if (!id) return invalid_input(path, "expected a UUID");
    flow.flow_id = *id;
    return {};
}

// They need the flow's namespace and are read behind everything else.
Result<void> leave_nodes(const json::value&, const std::string&, SubmitFlow&) {
    return {};
}

constexpr auto flow_fields = std::to_array<Field<SubmitFlow>>({
    {"flow_kind", plain<&SubmitFlow::flow_kind>},
    {"flow_id", read_flow_id},
    {"namespace", plain<&SubmitFlow::namespace_name>},
    {"tags", plain<&SubmitFlow::tags>},
    {"nodes", leave_nodes},
    {"edges", read_edges},
});

}  // namespace

Result<SubmitFlow> parse_flow(std::string_view text) {
    auto object = parse_object(text);
    if (!object) return object.error();
    const json::value value = *std::move(object);
    SubmitFlow flow;
    if (auto done = read_fields(value, "", flow_fields, flow); !done) return done.error();
    if (flow.flow_kind.empty()) return invalid_input("flow_kind", "is required");
    const auto* nodes = value.get_object().if_contains("nodes");
    if (nodes == nullptr) return invalid_input("nodes", "is required");
    auto read = nodes_of(*nodes, {.namespace_name = flow.namespace_name});
    if (!read) return read.error();
    flow.nodes = *std::move(read);
    return flow;
}

}  // namespace flowfabric::cli
