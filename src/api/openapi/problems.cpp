#include "api/openapi/problems.hpp"

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::string_view problem = R"({
    "type": "object", "required": ["error", "kind"],
    "description": "Why a request failed. Callers whose `Accept` asks for application/problem+json get it as RFC 9457 has it, with the other fields beside.",
    "properties": {
        "error": {"type": "string", "description": "What went wrong, for people."},
        "kind": {"type": "string", "description": "What went wrong, for programs.", "examples": [
            "invalid_input", "not_found", "stale_lease", "execution_not_active", "contention", "cursor_expired"]},
        "retryable": {"type": "boolean",
            "description": "Whether the same request may succeed later. Only with 409, 429 and 5xx."},
        "details": {"type": "array", "description": "The fields that are to blame.", "items": {
            "type": "object", "required": ["field", "reason"], "properties": {
                "field": {"type": "string", "examples": ["nodes[3].execution.lane_id"]},
                "reason": {"type": "string"}}}},
        "terminal_outcome": {"type": "string", "description": "With execution_not_active: how the execution ended, or `none`."},
        "lease_epoch": {"type": "integer", "format": "int64", "minimum": 0, "description": "With execution_not_active: the epoch now in force."},
        "lifecycle_phase": {"type": "string", "description": "With execution_not_active: the phase that the execution is in."},
        "attempt_id": {"type": "string", "format": "uuid", "description": "With execution_not_active: the execution's last attempt."},
        "request_id": {"type": "string", "description": "The request's id, as X-Request-Id and the server's log have it."},
        "type": {"type": "string", "format": "uri-reference", "description": "In application/problem+json: names the kind."},
        "title": {"type": "string", "description": "In application/problem+json: the kind in words."},
        "status": {"type": "integer", "format": "int32", "description": "In application/problem+json, and in an item of several: the status."},
        "detail": {"type": "string", "description": "In application/problem+json: the same as `error`."},
        "instance": {"type": "string", "format": "uri-reference", "description": "In application/problem+json: the request's id."}}
})";

struct Refusal {
    std::string_view status;
    std::string_view name;
    std::string_view summary;
    bool MayRefuse::* when = nullptr;  // null: every route may
    bool later = false;                // it says after how long to try again
};

constexpr Refusal all[] = {
    {"400", "BadRequest", "The request is wrong; `details` names the field."},
    {"401", "Unauthorized", "There is no valid token.", &MayRefuse::token},
    {"403", "Forbidden", "The token does not reach this far.", &MayRefuse::token},
    {"404", "NotFound", "There is no such thing.", &MayRefuse::absence},
    {"409", "Conflict", "It is in another state than the request needs; `kind` says which.", &MayRefuse::state},
    {"413", "PayloadTooLarge", "The body is larger than the route takes.", &MayRefuse::body},
    {"415", "UnsupportedMediaType", "The body is not application/json.", &MayRefuse::body},
    {"422", "Unprocessable", "A field is missing, of another type or out of its limits; `details` names it.",
     &MayRefuse::body},
    {"429", "TooManyRequests", "Too much at once; later, after Retry-After seconds.", nullptr, true},
    {"500", "Failure", "The server failed."},
    {"503", "Unavailable", "The server or its store is not ready; later, after Retry-After seconds.", nullptr, true},
    {"504", "TimedOut",
     "The store did not answer in time, or the time that Request-Timeout gives is over. What was asked for may have "
     "happened."},
};

json::object reference(std::string_view place, std::string_view name) {
    return {{"$ref", "#/components/" + std::string(place) + '/' + std::string(name)}};
}

}  // namespace

json::object problem_item(Schemas& schemas) {
    return schemas.refer("Problem", [] { return json::parse(problem).as_object(); });
}

json::object problem_answers(const MayRefuse& refusals) {
    json::object answers;
    for (const Refusal& refusal : all) {
        const bool may = refusal.when == nullptr || refusals.*refusal.when;
        if (may) answers[refusal.status] = reference("responses", refusal.name);
    }
    return answers;
}

json::object problem_components(Schemas& schemas) {
    json::object components;
    for (const Refusal& refusal : all) {
        json::object content;
        for (const std::string_view type : {"application/json", "application/problem+json"}) {
            content[type] = json::object{{"schema", problem_item(schemas)}};
        }
        json::object answer{{"description", refusal.summary}, {"content", std::move(content)}};
        if (refusal.later) {
            answer["headers"] = json::parse(R"({"Retry-After": {"description": "After how many seconds to try again.",
                "schema": {"type": "integer"}}})");
        }
        components[refusal.name] = std::move(answer);
    }
    return components;
}

}  // namespace flowfabric::api
