#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"
#include "flowfabric/ids.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;
using Form = RequestAlias::Form;

// A waitpoint is found by its id and the partition of its execution.
std::optional<Problem> find_partition(json::object& request) {
    const auto id = ExecutionId::parse(std::string_view(request.at("execution_id").as_string()));
    if (!id) return unreadable(400, id.error());
    request["partition"] = id->partition;
    return std::nullopt;
}

OrProblem<SentAnswer> token_of(const json::object&, const std::any& answer) {
    const auto& found = std::any_cast<const ReadWaitpointToken::Answer&>(answer);
    if (!found) {
        return Problem{.status = 404,
                       .error = "waitpoint token not found (consumed, expired, or unknown id)",
                       .kind = "not_found",
                       .retryable = std::nullopt,
                       .details = {}};
    }
    return SentAnswer{.body = json::object{{"token", found->token}}, .headers = {{"Cache-Control", "no-store"}}};
}

json::object token_schema(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["token"], "properties": {
        "token": {"type": "string", "format": "password", "description": "Its holder may signal the waitpoint."}}})");
}

constexpr std::pair<std::string_view, std::string_view> waitpoint_times[] = {
    {"created_at_ms", "created_at"}, {"activated_at_ms", "activated_at"}, {"expires_at_ms", "expires_at"}};

// Published clients read an array; what follows it stands in a header.
SentAnswer waitpoint_array(const json::object&, json::value answer) {
    SentAnswer sent{.body = answer.at("waitpoints")};
    for (json::value& waitpoint : sent.body.as_array()) {
        json::object& fields = waitpoint.as_object();
        for (const auto& [from, to] : waitpoint_times) {
            const auto time = fields.find(from);
            if (time == fields.end()) continue;
            json::value value = std::move(time->value());
            fields.stable_erase(time);
            fields[to] = std::move(value);
        }
    }
    const json::value& next = answer.at("next_cursor");
    if (next.is_string()) sent.headers.emplace_back("x-next-cursor", std::string_view(next.as_string()));
    return sent;
}

json::object waitpoint_array_schema(Schemas& schemas) {
    json::object items = renamed(list_items("list_pending_waitpoints", "waitpoints"), waitpoint_times, schemas);
    json::object answers = answered(200, json::object{{"type", "array"}, {"items", std::move(items)}});
    answers["200"].as_object()["headers"] = json::parse(R"({"x-next-cursor": {
        "description": "The next page's `after`; absent at the end.", "schema": {"type": "string"}}})");
    return answers;
}

}  // namespace

std::vector<Route> suspension_routes() {
    const std::vector<RequestAlias> signal_aliases = {{"payload", "payload", Form::bytes},
                                                      {"created_at", "created_at_ms"}};
    return {
        {.method = "GET",
         .path = "/v1/executions/{id}/pending-waitpoints",
         .operation = "list_pending_waitpoints",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .aliases = {{"after", "cursor"}},
         .send = waitpoint_array,
         .sent = waitpoint_array_schema},
        {.method = "GET",
         .path = "/v1/executions/{id}/waitpoints/{waitpoint_id}/token",
         .operation = "read_waitpoint_token",
         .scope = Scope::admin,
         .audited = true,
         .belongs_to = {{.to = To::execution, .field = "execution_id", .is_required = true}},
         .subject = "waitpoint_id",
         .id_field = "execution_id",
         .prepare = find_partition,
         .prepared = {"partition"},
         .send_raw = token_of,
         .sent = token_schema},
        {.method = "POST",
         .path = "/v1/executions/{id}/waitpoints/{waitpoint_id}/close",
         .operation = "close_waitpoint",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "POST",
         .path = "/v1/executions/{id}/signal",
         .operation = "deliver_signal",
         .scope = Scope::signal,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id",
         .limit = BodyLimit::medium,
         .aliases = signal_aliases},
        {.method = "POST",
         .path = "/v1/signals",
         .operation = "deliver_signal",
         .scope = Scope::signal,
         .belongs_to = {{To::execution, "execution_id"}},
         .limit = BodyLimit::medium,
         .batched = true,
         .aliases = signal_aliases},
        {.method = "POST",
         .path = "/v1/executions/{id}/approve",
         .operation = "deliver_approval_signal",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "POST",
         .path = "/v1/executions/{id}/resume",
         .operation = "resume_execution",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
        {.method = "GET", .path = "/v1/suspended", .operation = "list_suspended", .scope = Scope::read},
    };
}

}  // namespace flowfabric::api
