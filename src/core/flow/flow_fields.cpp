#include "core/flow/flow_fields.hpp"

#include <boost/json.hpp>

#include "core/flow/edge_group.hpp"

namespace flowfabric {
namespace {

namespace json = boost::json;

json::object object_of(const Json& stored) {
    boost::system::error_code failure;
    auto value = json::parse(stored.text, failure);
    return !failure && value.is_object() ? std::move(value.get_object()) : json::object{};
}

std::optional<std::string> text(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string())) : std::nullopt;
}

std::optional<std::int64_t> number(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    boost::system::error_code inexact;
    const auto exact = value->to_number<std::int64_t>(inexact);
    return inexact ? std::nullopt : std::optional(exact);
}

template <class Enum>
std::optional<Enum> literal(const json::object& object, std::string_view key) {
    const auto name = text(object, key);
    return name ? parse_enum<Enum>(*name) : std::nullopt;
}

}  // namespace

Json json_of(const FlowFields& fields) {
    json::object object{{"flow_kind", fields.flow_kind},
                        {"namespace", fields.namespace_name},
                        {"node_count", fields.node_count},
                        {"edge_count", fields.edge_count}};
    if (fields.last_mutation_at_ms) object["last_mutation_at_ms"] = *fields.last_mutation_at_ms;
    if (fields.cancellation_policy) object["cancellation_policy"] = to_string(*fields.cancellation_policy);
    if (fields.cancel_reason) object["cancel_reason"] = *fields.cancel_reason;
    if (!fields.cancelled_members.empty()) object["cancelled_members"] = json::value_from(fields.cancelled_members);
    if (fields.removing) object["removing"] = true;
    if (fields.request_digest) object["request_digest"] = *fields.request_digest;
    return {json::serialize(object)};
}

FlowFields fields_of(const FlowRow& row) {
    const auto object = object_of(row.raw_fields);
    FlowFields fields{.flow_kind = text(object, "flow_kind").value_or(""),
                      .namespace_name = text(object, "namespace").value_or("default"),
                      .node_count = number(object, "node_count").value_or(0),
                      .edge_count = number(object, "edge_count").value_or(0),
                      .last_mutation_at_ms = number(object, "last_mutation_at_ms"),
                      .cancellation_policy = literal<CancellationPolicy>(object, "cancellation_policy"),
                      .cancel_reason = text(object, "cancel_reason"),
                      .cancelled_members = {},
                      .removing = object.contains("removing"),
                      .request_digest = text(object, "request_digest")};
    if (const auto* members = object.if_contains("cancelled_members"); members != nullptr && members->is_array()) {
        for (const auto& member : members->get_array()) {
            if (member.is_string()) fields.cancelled_members.emplace_back(member.get_string());
        }
    }
    return fields;
}

Json json_of(const EdgeFields& fields) {
    json::object object{{"dependency_kind", fields.dependency_kind},   {"satisfaction_condition", "all_required"},
                        {"data_passing_ref", fields.data_passing_ref}, {"edge_state", to_string(fields.edge_state)},
                        {"created_at_ms", fields.created_at_ms},       {"created_by", fields.created_by},
                        {"staged_at_ms", fields.staged_at_ms},         {"applied_at_ms", nullptr}};
    if (fields.applied_at_ms) object["applied_at_ms"] = *fields.applied_at_ms;
    return {json::serialize(object)};
}

EdgeFields fields_of(const EdgeRow& row) {
    const auto object = object_of(row.policy);
    return {.dependency_kind = text(object, "dependency_kind").value_or("success_only"),
            .data_passing_ref = text(object, "data_passing_ref").value_or(""),
            .edge_state = literal<EdgeState>(object, "edge_state").value_or(EdgeState::pending),
            .created_at_ms = number(object, "created_at_ms").value_or(0),
            .created_by = text(object, "created_by").value_or("engine"),
            .staged_at_ms = number(object, "staged_at_ms").value_or(0),
            .applied_at_ms = number(object, "applied_at_ms")};
}

EdgeSnapshot snapshot_of(const EdgeRow& row) {
    EdgeFields fields = fields_of(row);
    const std::uint16_t partition = row.key.flow.partition;
    return {.edge_id = row.key.edge_id,
            .flow_id = row.key.flow.flow_id,
            .upstream = {partition, row.upstream},
            .downstream = {partition, row.downstream},
            .dependency_kind = std::move(fields.dependency_kind),
            .data_passing_ref = fields.data_passing_ref.empty() ? std::nullopt : std::optional(fields.data_passing_ref),
            .edge_state = fields.edge_state,
            .dependency_state = row.dependency_state,
            .created_at_ms = fields.created_at_ms,
            .created_by = std::move(fields.created_by)};
}

GroupSnapshot snapshot_of(const EdgeGroupRow& row) {
    const auto count = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
    return {.downstream = row.key.execution(),
            .policy = group_policy(row.policy),
            .total = count(row.n),
            .satisfied = count(row.success_count),
            .failed = count(row.fail_count),
            .skipped = count(row.skip_count),
            .running = count(row.running_count),
            .state = row.group_state};
}

}  // namespace flowfabric
