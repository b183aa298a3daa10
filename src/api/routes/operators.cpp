#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;

// The reference counted partitions; the store has one set of keys.
SentAnswer rotation(const json::object&, json::value answer) {
    json::object sent = std::move(answer.as_object());
    sent["rotated"] = 1;
    sent["failed"] = json::array{};
    return {.body = std::move(sent)};
}

json::object rotation_schema(Schemas& schemas) {
    return answered(200, with_fields("rotate_waitpoint_hmac_secret", schemas, R"({
        "required": ["rotated", "failed"], "properties": {
        "rotated": {"type": "integer", "format": "int32", "description": "Always 1: the store has one set of keys."},
        "failed": {"type": "array", "items": {}, "description": "Always empty."}}})"));
}

}  // namespace

std::vector<Route> operator_routes() {
    return {
        {.method = "GET", .path = "/v1/lanes", .operation = "list_lanes", .scope = Scope::read},
        {.method = "GET", .path = "/v1/lanes/{lane_id}", .operation = "describe_lane", .scope = Scope::read},
        {.method = "PUT", .path = "/v1/lanes/{lane_id}", .operation = "set_lane_state", .scope = Scope::admin},
        {.method = "GET", .path = "/v1/stats", .operation = "read_statistics", .scope = Scope::read},
        {.method = "GET",
         .path = "/v1/workers",
         .operation = "list_workers",
         .scope = Scope::read,
         .belongs_to = {{To::name, "namespace"}}},
        {.method = "PUT",
         .path = "/v1/workers/{worker_id}/instances/{worker_instance_id}",
         .operation = "register_worker",
         .scope = Scope::worker,
         .belongs_to = {{To::name, "namespace"}}},
        {.method = "POST",
         .path = "/v1/workers/{worker_id}/instances/{worker_instance_id}/heartbeat",
         .operation = "heartbeat_worker",
         .scope = Scope::worker,
         .belongs_to = {{To::name, "namespace"}}},
        {.method = "POST",
         .path = "/v1/workers/{worker_id}/instances/{worker_instance_id}/dead",
         .operation = "mark_worker_dead",
         .scope = Scope::worker,
         .belongs_to = {{To::name, "namespace"}}},
        {.method = "PUT",
         .path = "/v1/workers/{worker_id}/mode",
         .operation = "set_worker_mode",
         .scope = Scope::admin,
         .belongs_to = {{To::name, "namespace"}},
         .subject = "worker_id"},
        {.method = "PUT",
         .path = "/v1/workers/{worker_id}/instances/{worker_instance_id}/mode",
         .operation = "set_worker_mode",
         .scope = Scope::admin,
         .belongs_to = {{To::name, "namespace"}},
         .subject = "worker_instance_id"},
        {.method = "GET", .path = "/v1/settings", .operation = "list_settings", .scope = Scope::read},
        {.method = "PUT", .path = "/v1/settings/{name}", .operation = "set_setting", .scope = Scope::admin},
        {.method = "GET", .path = "/v1/consumers", .operation = "list_consumers", .scope = Scope::read},
        {.method = "PUT",
         .path = "/v1/consumers/{channel}/{consumer}",
         .operation = "register_consumer",
         .scope = Scope::admin},
        {.method = "POST",
         .path = "/v1/consumers/{channel}/{consumer}/acknowledge",
         .operation = "acknowledge_events",
         .scope = Scope::read},
        {.method = "DELETE",
         .path = "/v1/consumers/{channel}/{consumer}",
         .operation = "remove_consumer",
         .scope = Scope::admin},
        {.method = "GET", .path = "/v1/admin/signing-keys", .operation = "list_signing_keys", .scope = Scope::admin},
        {.method = "POST",
         .path = "/v1/admin/signing-keys/reseal",
         .operation = "reseal_signing_keys",
         .scope = Scope::admin,
         .without_body = true},
        {.method = "POST",
         .path = "/v1/admin/rotate-waitpoint-secret",
         .operation = "rotate_waitpoint_hmac_secret",
         .scope = Scope::admin,
         .subject = "new_kid",
         .one_at_a_time = "admin_rotate",
         .send = rotation,
         .sent = rotation_schema},
    };
}

}  // namespace flowfabric::api
