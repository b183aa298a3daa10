#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;

constexpr std::int64_t longest_grant_ms = 60'000;

std::optional<Problem> check_ttl(const json::value* ttl) {
    if (ttl == nullptr || ttl->is_null()) return unreadable(422, invalid_input("grant_ttl_ms", "is required"));
    boost::system::error_code failure;
    const auto milliseconds = ttl->to_number<std::int64_t>(failure);
    if (!failure && milliseconds >= 1 && milliseconds <= longest_grant_ms) return std::nullopt;
    // A larger one than a number holds is out of range as well.
    const bool is_integer = !failure || ttl->is_uint64();
    return unreadable(is_integer ? 400 : 422, invalid_input("grant_ttl_ms", "must be an integer in 1..=60000"));
}

std::optional<Problem> check_claim_ttl(json::object& request) {
    return check_ttl(request.if_contains("grant_ttl_ms"));
}
std::optional<Problem> check_reclaim_ttl(json::object& request) {
    const json::value* grant = request.if_contains("grant");
    return check_ttl(grant == nullptr ? nullptr : grant->as_object().if_contains("grant_ttl_ms"));
}

std::string partition_key_of(std::string_view execution_id) {
    return std::string(execution_id.substr(0, execution_id.find('}') + 1));
}

// Nothing at all where no work waits.
SentAnswer claim_outcome(const json::object&, json::value answer) {
    if (answer.is_null()) return {.status = 204, .body = {}, .bytes = ""};
    answer.as_object()["partition_key"] = partition_key_of(answer.at("execution_id").as_string());
    return {.body = std::move(answer)};
}

json::object claim_schema(Schemas& schemas) {
    json::object answers = answered(200, with_fields("claim_for_worker", schemas, R"({
        "required": ["partition_key"], "properties": {
        "partition_key": {"type": "string", "description": "The execution's partition, {fp:N}."}}})"));
    answers["204"] = json::object{{"description", "No work that the worker can do waits in the lane."}};
    return answers;
}

// One object whose `status` says which of the outcomes it is.
SentAnswer reclaim_outcome(const json::object& request, json::value answer) {
    constexpr std::pair<std::string_view, std::string_view> states[] = {{"ClaimGrant", "granted"},
                                                                        {"NotReclaimable", "not_reclaimable"},
                                                                        {"ReclaimCapExceeded", "reclaim_cap_exceeded"}};
    const json::value& execution_id = request.at("grant").at("execution_id");
    json::object sent;
    for (const auto& [variant, status] : states) {
        const json::value* fields = answer.as_object().if_contains(variant);
        if (fields == nullptr) continue;
        sent = fields->as_object();
        sent["status"] = status;
        sent["execution_id"] = execution_id;
        if (variant == "ClaimGrant") sent["partition_key"] = partition_key_of(execution_id.as_string());
    }
    return {.body = std::move(sent)};
}

json::object reclaim_schema(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["status", "execution_id"], "properties": {
        "status": {"type": "string", "enum": ["granted", "not_reclaimable", "reclaim_cap_exceeded"]},
        "execution_id": {"type": "string", "description": "The execution's id, {fp:N}:UUID."},
        "partition_key": {"type": "string", "description": "The execution's partition, {fp:N}, if granted."},
        "grant_key": {"type": "string", "format": "password", "description": "Proves the grant, if granted."},
        "expires_at_ms": {"type": "integer", "format": "int64", "description": "When the grant lapses, if granted."},
        "lane_id": {"type": "string", "description": "The lane that the execution is in, if granted."},
        "detail": {"type": "string", "description": "Why it cannot be reclaimed."},
        "reclaim_count": {"type": "integer", "format": "int64", "description": "How often it has been reclaimed."}}})");
}

}  // namespace

std::vector<Route> grant_routes() {
    return {
        {.method = "POST",
         .path = "/v1/executions/{id}/reclaim",
         .operation = "issue_reclaim_grant",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "grant.execution_id"}},
         .id_field = "execution_id",
         .aliases = {{"execution_id", "grant.execution_id"},
                     {"worker_id", "grant.worker_id"},
                     {"worker_instance_id", "grant.worker_instance_id"},
                     {"lane_id", "grant.lane_id"},
                     {"grant_ttl_ms", "grant.grant_ttl_ms"},
                     {"worker_capabilities", "grant.capabilities"},
                     {"capability_hash", "grant.capability_hash"},
                     {"route_snapshot_json", "grant.route_snapshot_json"},
                     {"admission_summary", "grant.admission_summary"}},
         .prepare = check_reclaim_ttl,
         .send = reclaim_outcome,
         .sent = reclaim_schema},
        {.method = "POST",
         .path = "/v1/workers/{worker_id}/claim",
         .operation = "claim_for_worker",
         .scope = Scope::worker,
         .may_be_null = true,
         .prepare = check_claim_ttl,
         .send = claim_outcome,
         .sent = claim_schema},
        {.method = "POST",
         .path = "/v1/grants/claim",
         .operation = "claim_execution",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "claim.execution_id"}}},
        {.method = "POST",
         .path = "/v1/grants/claim-resumed",
         .operation = "claim_resumed_execution",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "claim.execution_id"}}},
        {.method = "POST",
         .path = "/v1/grants/reclaim",
         .operation = "reclaim_execution",
         .scope = Scope::worker,
         .belongs_to = {{To::execution, "claim.execution_id"}}},
        {.method = "POST",
         .path = "/v1/executions/{id}/claim",
         .operation = "issue_grant_and_claim",
         .scope = Scope::admin,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
    };
}

}  // namespace flowfabric::api
