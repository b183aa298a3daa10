#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;

// Beside the status's own fields those that published clients read: times as strings, null where there is none.
SentAnswer budget_status(const json::object&, json::value answer) {
    constexpr std::pair<std::string_view, std::string_view> times[] = {{"last_breach_at_ms", "last_breach_at"},
                                                                       {"next_reset_at_ms", "next_reset_at"},
                                                                       {"created_at_ms", "created_at"}};
    json::object& status = answer.as_object();
    for (const auto& [from, to] : times) {
        const json::value* time = status.if_contains(from);
        status[to] = time == nullptr ? json::value() : json::value(json::serialize(*time));
    }
    if (!status.contains("last_breach_dim")) status["last_breach_dim"] = nullptr;
    return {.body = std::move(answer)};
}

json::object budget_status_schema(Schemas& schemas) {
    return answered(200, with_fields("get_budget_status", schemas, R"({
        "required": ["last_breach_at", "last_breach_dim", "next_reset_at", "created_at"], "properties": {
        "last_breach_at": {"type": ["string", "null"], "description": "last_breach_at_ms in decimal digits."},
        "last_breach_dim": {"type": ["string", "null"], "description": "The dimension for which that was so."},
        "next_reset_at": {"type": ["string", "null"], "description": "next_reset_at_ms in decimal digits."},
        "created_at": {"type": ["string", "null"], "description": "created_at_ms in decimal digits."}}})"));
}

SentAnswer budget_reset(const json::object&, json::value answer) {
    const json::value* next = answer.as_object().if_contains("next_reset_at_ms");
    const json::object fields{{"next_reset_at", next == nullptr ? json::value(0) : *next}};
    return {.body = json::object{{"Reset", fields}}};
}

json::object budget_reset_schema(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["Reset"], "properties": {"Reset": {
        "type": "object", "required": ["next_reset_at"], "properties": {
        "next_reset_at": {"type": "integer", "format": "int64",
                          "description": "When it is reset again; 0: only by hand."}}}}})");
}

}  // namespace

// A budget belongs to no namespace: a caller that is held to namespaces only charges what its own executions spend, and
// gives that back.
std::vector<Route> budget_routes() {
    constexpr std::string_view id = "budget_id";
    return {
        {.method = "GET", .path = "/v1/budgets", .operation = "list_budgets", .scope = Scope::read},
        {.method = "POST",
         .path = "/v1/budgets",
         .operation = "create_budget",
         .scope = Scope::admin,
         .subject = id,
         .answers = {{.variant = "AlreadySatisfied", .when = "already_there", .fields = {{id}}},
                     {.variant = "Created", .status = 201, .fields = {{id}}}}},
        {.method = "GET",
         .path = "/v1/budgets/{id}",
         .operation = "get_budget_status",
         .scope = Scope::read,
         .id_field = id,
         .send = budget_status,
         .sent = budget_status_schema},
        {.method = "PUT",
         .path = "/v1/budgets/{id}",
         .operation = "update_budget",
         .scope = Scope::admin,
         .id_field = id},
        {.method = "DELETE",
         .path = "/v1/budgets/{id}",
         .operation = "delete_budget",
         .scope = Scope::admin,
         .id_field = id},
        {.method = "POST",
         .path = "/v1/budgets/{id}/usage",
         .operation = "report_usage_admin",
         .scope = Scope::worker,
         .id_field = id},
        {.method = "POST",
         .path = "/v1/budgets/{id}/spends",
         .operation = "record_spend",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = id},
        {.method = "POST",
         .path = "/v1/budgets/{id}/release",
         .operation = "release_budget",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = id},
        {.method = "POST",
         .path = "/v1/budgets/{id}/reset",
         .operation = "reset_budget",
         .scope = Scope::admin,
         .id_field = id,
         .without_body = true,
         .send = budget_reset,
         .sent = budget_reset_schema},
    };
}

}  // namespace flowfabric::api
