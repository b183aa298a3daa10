#include <boost/json/parse.hpp>

#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"
#include "api/type.hpp"
#include "core/base/names.hpp"
#include "flowfabric/ids.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;
using Form = RequestAlias::Form;

// A lane is a field of a type of its own here; where it is a plain string a wrong one gets 400.
std::optional<Problem> check_lane(const json::object& request) {
    const json::value* lane = request.if_contains("lane_id");
    if (lane == nullptr || !lane->is_string()) return std::nullopt;
    const auto checked = check_lane_id(std::string_view(lane->get_string()));
    return checked ? std::nullopt : std::optional(unreadable(422, checked.error()));
}

// Published clients mint the id and repeat its partition, or send 0.
std::optional<Problem> check_partition(const json::object& request) {
    const json::value* partition = request.if_contains("partition_id");
    const json::value* id = request.if_contains("execution_id");
    if (partition == nullptr || partition->is_null() || *partition == json::value(0)) return std::nullopt;
    const auto parsed = id != nullptr && id->is_string() ? ExecutionId::parse(std::string_view(id->get_string()))
                                                         : Result<ExecutionId>(EngineError{});
    if (parsed && *partition == json::value(parsed->partition)) return std::nullopt;
    return unreadable(400, invalid_input("partition_id", "must be 0 or the partition of execution_id"));
}

std::optional<Problem> check_creation(json::object& request) {
    if (auto problem = check_lane(request)) return problem;
    return check_partition(request);
}

ExecutionId id_in(const json::object& request) {
    return *ExecutionId::parse(std::string_view(request.at("execution_id").get_string()));
}

OrProblem<SentAnswer> input_bytes(const json::object& request, const std::any& answer) {
    const auto& found = std::any_cast<const GetExecutionInput::Answer&>(answer);
    if (!found) return problem_of({.kind = ErrorKind::execution_not_found, .detail = id_in(request).to_string()});
    return SentAnswer{.bytes = found->input};
}

Problem no_result(const json::object& request, ErrorKind kind) {
    return {.status = 404,
            .error = "execution result not found: " + id_in(request).to_string(),
            .kind = std::string(name_of(kind)),
            .retryable = std::nullopt,
            .details = {}};
}

OrProblem<SentAnswer> result_bytes(const json::object& request, const std::any& answer) {
    const auto& found = std::any_cast<const GetExecutionResult::Answer&>(answer);
    if (!found) return no_result(request, ErrorKind::execution_not_found);
    switch (found->public_state) {
        case PublicState::completed:
            if (!found->result) return SentAnswer{.status = 204, .bytes = ""};
            return SentAnswer{.bytes = found->result};
        case PublicState::failed:
        case PublicState::cancelled:
        case PublicState::expired:
        case PublicState::skipped:
            return problem_of(
                {.kind = ErrorKind::execution_not_active,
                 .detail = "it has no result: it ended as " + std::string(to_string(found->public_state))});
        default:
            return no_result(request, not_ended);
    }
}

OrProblem<SentAnswer> attempt_result_bytes(const json::object& request, const std::any& answer) {
    const auto& found = std::any_cast<const GetAttemptResult::Answer&>(answer);
    switch (found.outcome) {
        case AttemptOutcome::ended_success:
            if (found.superseded) {
                return refused(404, "not_found", "the execution was replayed since, and the result went with that");
            }
            if (!found.result) return SentAnswer{.status = 204, .bytes = ""};
            return SentAnswer{.bytes = found.result};
        case AttemptOutcome::started:
        case AttemptOutcome::suspended:
            return no_result(request, not_ended);
        default:
            return problem_of(
                {.kind = ErrorKind::execution_not_active,
                 .detail = "the attempt has no result: its outcome is " + std::string(to_string(found.outcome))});
    }
}

json::object raw_bytes_schema(Schemas&) {
    return {{"200", json::object{{"description", "The bytes as they were given; JSON as its text."},
                                 {"content", json::object{{"application/octet-stream", json::object{}}}}}},
            {"204", json::object{{"description", "There is no payload."}}}};
}

json::object attempt_result_schema(Schemas& schemas) {
    json::object answers = raw_bytes_schema(schemas);
    answers["409"] = json::object{{"$ref", "#/components/responses/Conflict"}};
    return answers;
}

SentAnswer ids_of(const json::object&, json::value answer) {
    json::array ids;
    for (const json::value& execution : answer.at("executions").as_array()) ids.push_back(execution.at("execution_id"));
    return {.body = json::object{{"executions", std::move(ids)}, {"next_cursor", answer.at("next_cursor")}}};
}

json::object ids_schema(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["executions", "next_cursor"], "properties": {
        "executions": {"type": "array", "items": {"type": "string"}, "description": "Ids, ascending."},
        "next_cursor": {"type": ["string", "null"], "description": "Where the next page begins; null at the end."}}})");
}

json::object exported_schema(Schemas& schemas) {
    json::object answers = json::parse(R"({"200": {"description":
        "A line for each execution; behind those of a page {\"next_cursor\": …}, which is null at the end and nowhere else. What ends without it is continued with the last cursor.",
        "content": {"application/x-ndjson": {}}}})")
                               .as_object();
    json::object schema{{"description", "One of the lines that hold an execution."}};
    schema["allOf"] = json::array{type_of<ExportedExecution>().schema(schemas)};
    answers["200"].at("content").at("application/x-ndjson").as_object()["schema"] = std::move(schema);
    return answers;
}

// Beside the view's own fields those that published clients read: times as strings, and never absent ones.
SentAnswer execution_info(const json::object&, json::value answer) {
    constexpr std::pair<std::string_view, std::string_view> times[] = {
        {"created_at_ms", "created_at"}, {"started_at_ms", "started_at"}, {"terminal_at_ms", "completed_at"}};
    json::object& info = answer.as_object();
    for (const auto& [from, to] : times) {
        if (const json::value* time = info.if_contains(from)) info[to] = json::serialize(*time);
    }
    if (!info.contains("flow_id")) info["flow_id"] = nullptr;
    if (!info.contains("blocking_detail")) info["blocking_detail"] = "";
    return {.body = std::move(answer)};
}

json::object execution_info_schema(Schemas& schemas) {
    return answered(200, with_fields("describe_execution", schemas, R"({
        "required": ["created_at", "flow_id", "blocking_detail"], "properties": {
        "created_at": {"type": "string", "description": "created_at_ms in decimal digits."},
        "started_at": {"type": "string", "description": "started_at_ms in decimal digits."},
        "completed_at": {"type": "string", "description": "terminal_at_ms in decimal digits."},
        "flow_id": {"type": ["string", "null"], "description": "The flow that it belongs to."}}})"));
}

// The epoch as published clients read it: a string.
SentAnswer revocation(const json::object&, json::value answer) {
    if (auto* revoked = answer.as_object().if_contains("Revoked")) {
        json::value& epoch = revoked->as_object()["lease_epoch"];
        epoch = json::serialize(epoch);
    }
    return {.body = std::move(answer)};
}

std::optional<Problem> say_operator_revokes(json::object& request) {
    request["reason"] = "operator_revoke";
    return std::nullopt;
}

json::object revocation_schema(Schemas&) {
    return answered(200, R"({"oneOf": [
        {"type": "object", "required": ["Revoked"], "properties": {"Revoked": {
            "type": "object", "required": ["lease_id", "lease_epoch"], "properties": {
            "lease_id": {"type": "string", "format": "uuid", "description": "The lease that is no more."},
            "lease_epoch": {"type": "string", "description": "The epoch that is now in force, in decimal digits."}}}}},
        {"type": "object", "required": ["AlreadySatisfied"], "properties": {"AlreadySatisfied": {
            "type": "object", "required": ["reason"], "properties": {
            "reason": {"type": "string", "description": "Why there was nothing to revoke."}}}}}]})");
}

}  // namespace

std::vector<Route> execution_routes() {
    return {
        {.method = "POST",
         .path = "/v1/executions",
         .operation = "create_execution",
         .scope = Scope::submit,
         .belongs_to = {{To::name, "namespace"}, {To::execution, "execution_id", true}, {To::flow, "flow_id", true}},
         .limit = BodyLimit::large,
         .batched = true,
         .status = 201,
         .aliases = {{"input_payload", "input", Form::bytes},
                     {"input_payload_b64", "input", Form::base64},
                     {"delay_until", "delay_until_ms"},
                     {"execution_deadline_at", "execution_deadline_at_ms"}},
         .answers = {{.variant = "Duplicate", .when = "duplicate", .fields = {{"execution_id"}}},
                     {.variant = "Created", .status = 201, .fields = {{"execution_id"}, {"public_state"}}}},
         .prepare = check_creation},
        {.method = "GET",
         .path = "/v1/executions",
         .operation = "list_executions",
         .scope = Scope::read,
         .send = ids_of,
         .sent = ids_schema},
        {.method = "GET",
         .path = "/v1/executions/search",
         .operation = "search_executions",
         .scope = Scope::read,
         .belongs_to = {{To::name, "namespace"}, {To::flow, "flow_id"}}},
        {.method = "GET",
         .path = "/v1/executions/export",
         .operation = "export_executions",
         .scope = Scope::read,
         .belongs_to = {{To::name, "namespace"}, {To::flow, "flow_id"}},
         .sent = exported_schema,
         .lines = "executions"},
        {.method = "GET",
         .path = "/v1/executions/{id}",
         .operation = "describe_execution",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .send = execution_info,
         .sent = execution_info_schema},
        {.method = "GET",
         .path = "/v1/executions/{id}/state",
         .operation = "read_execution_state",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "GET",
         .path = "/v1/executions/{id}/input",
         .operation = "get_execution_input",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .send_raw = input_bytes,
         .sent = raw_bytes_schema},
        {.method = "GET",
         .path = "/v1/executions/{id}/result",
         .operation = "get_execution_result",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .send_raw = result_bytes,
         .sent = raw_bytes_schema,
         .waits_for_end = true},
        {.method = "GET",
         .path = "/v1/find/{uuid}",
         .operation = "find_executions",
         .scope = Scope::read,
         .belongs_to = {{To::uuid, "uuid"}}},
        {.method = "GET",
         .path = "/v1/executions/{id}/attempts",
         .operation = "list_attempts",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "GET",
         .path = "/v1/executions/{id}/attempts/{attempt_index}",
         .operation = "get_attempt",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "GET",
         .path = "/v1/executions/{id}/attempts/{attempt_index}/result",
         .operation = "get_attempt_result",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .send_raw = attempt_result_bytes,
         .sent = attempt_result_schema},
        {.method = "GET",
         .path = "/v1/executions/{id}/explain",
         .operation = "explain_execution",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "GET",
         .path = "/v1/executions/{id}/context",
         .operation = "read_execution_context",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "PUT",
         .path = "/v1/executions/{id}/tags",
         .operation = "set_execution_tags",
         .scope = Scope::submit,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .limit = BodyLimit::large},
        {.method = "GET",
         .path = "/v1/executions/{id}/tags/{key}",
         .operation = "get_execution_tag",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "POST",
         .path = "/v1/executions/{id}/cancel",
         .operation = "cancel_execution",
         .scope = Scope::submit,
         .audited = true,
         .belongs_to = {{To::execution, "execution.execution_id"}},
         .id_field = "execution_id",
         .aliases = {{"execution_id", "execution.execution_id"},
                     {"lease_id", "execution.lease_id"},
                     {"lease_epoch", "execution.lease_epoch"},
                     {"attempt_id", "execution.attempt_id"}},
         .answers = {{.variant = "Cancelled", .fields = {{"execution_id"}, {"public_state"}}}}},
        {.method = "PUT",
         .path = "/v1/executions/{id}/priority",
         .operation = "change_priority",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .answers = {{.variant = "Changed", .fields = {{"execution_id"}}}}},
        {.method = "POST",
         .path = "/v1/executions/{id}/replay",
         .operation = "replay_execution",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .without_body = true,
         .answers = {{.variant = "Replayed", .fields = {{"public_state"}}}}},
        {.method = "DELETE",
         .path = "/v1/executions/{id}",
         .operation = "purge_execution",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "POST",
         .path = "/v1/executions/{id}/revoke-lease",
         .operation = "revoke_lease",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .without_body = true,
         .prepare = say_operator_revokes,
         .prepared = {"reason"},
         .send = revocation,
         .sent = revocation_schema},
        {.method = "GET",
         .path = "/v1/leases/expired",
         .operation = "list_expired_leases",
         .scope = Scope::read,
         .belongs_to = {{To::name, "namespace"}}},
    };
}

}  // namespace flowfabric::api
