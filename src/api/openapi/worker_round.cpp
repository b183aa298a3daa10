#include "api/openapi/worker_round.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/openapi/answers.hpp"
#include "api/openapi/problems.hpp"
#include "api/openapi/route_description.hpp"
#include "api/operations.hpp"
#include "api/routes/route.hpp"
#include "api/routes/task_form.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::pair<std::string_view, std::string_view> outcomes[] = {{"complete", "complete"},
                                                                      {"fail", "fail"},
                                                                      {"delay", "delay"},
                                                                      {"suspend", "suspend"},
                                                                      {"release", "release_unstarted"}};

constexpr std::pair<std::string_view, std::string_view> claim_names[] = {{"max_count", "max"},
                                                                         {"max_wait_ms", "wait_ms"}};

const StructType& request_fields(std::string_view operation) {
    return dynamic_cast<const StructType&>(*find_operation(operation)->request);
}

json::object done_schema(Schemas& schemas) {
    json::array choices;
    for (const auto& [outcome, operation] : outcomes) {
        json::object properties{{"outcome", json::object{{"const", outcome}}}};
        choices.push_back(json::object{{"allOf", json::array{request_fields(operation).schema(schemas),
                                                             json::object{{"type", "object"},
                                                                          {"required", json::array{"outcome"}},
                                                                          {"properties", std::move(properties)}}}}});
    }
    return {{"oneOf", std::move(choices)}};
}

// As the route of the verb takes it.
json::object frame_schema(Schemas& schemas) {
    const auto route = std::ranges::find(routes(), std::string_view("append_frame"), &Route::operation);
    return body_schema(*route, *find_operation(route->operation), schemas);
}

json::object renew_schema(Schemas& schemas) {
    json::object schema = fields_schema(request_fields("renew"), schemas);
    json::object progress =
        fields_schema(request_fields("progress"), schemas, [](const Member& member) { return member.name == "lease"; });
    schema["properties"].as_object()["progress"] = described(std::move(progress), "How far the attempt has got.");
    return schema;
}

json::object claim_schema(Schemas& schemas) {
    constexpr auto of_the_call = [](const Member& member) {
        return member.name == "worker_id" || member.name == "worker_instance_id" || member.name == "request_id" ||
               member.name == "namespace";
    };
    json::object schema = renamed(request_fields("claim"), claim_names, schemas, of_the_call);
    json::object& wait = schema["properties"].as_object()["wait_ms"].as_object();
    wait["default"] = 20'000;
    wait["description"] =
        "How long to wait for work when there is none, at most 50000. A call that reports or renews never waits.";
    return schema;
}

json::object round_request(Schemas& schemas) {
    json::object body = json::parse(R"({"type": "object", "required": ["worker_instance_id"], "properties": {
        "worker_instance_id": {"type": "string", "minLength": 1, "maxLength": 256,
            "description": "The process of the worker that runs."},
        "request_id": {"type": "string", "maxLength": 256, "description":
            "The same one from the same process gets the same leases again while they live."},
        "namespace": {"type": "string", "default": "default", "description": "Where the worker is registered."}}})")
                            .as_object();
    json::object& properties = body["properties"].as_object();
    const auto list = [](json::object item, std::string_view summary) {
        json::object schema = list_of(std::move(item));
        schema["maxItems"] = 10'000;
        return described(std::move(schema), summary);
    };
    properties["frames"] = list(frame_schema(schemas), "What running attempts put out; before anything that is done.");
    properties["done"] = list(done_schema(schemas), "What has ended, each with the fields of its outcome's operation.");
    properties["renew"] = list(renew_schema(schemas), "Leases to keep.");
    properties["claim"] = described(claim_schema(schemas), "What to take; absent: nothing.");
    json::object request = json::parse(R"({"parameters": [{"name": "worker_id", "in": "path", "required": true,
        "description": "The worker's name, which its processes share.", "schema": {"type": "string"}}]})")
                               .as_object();
    request["requestBody"] = json::object{
        {"required", true}, {"content", json::object{{"application/json", json::object{{"schema", std::move(body)}}}}}};
    return request;
}

json::object round_answer(Schemas& schemas) {
    json::object properties = json::parse(R"({
        "frames": {"type": "array", "description": "One for each item of `frames`, in order; absent without any.",
            "items": {"type": "object", "properties": {}}},
        "done": {"type": "array", "description": "One for each item of `done`, in order.", "items": {"type": "object",
            "properties": {"answer": {"description": "What the operation answers by itself."}}}},
        "renew": {"type": "array", "description": "One for each item of `renew`, in order.", "items": {"type": "object",
            "properties": {
                "expires_at_ms": {"type": "integer", "format": "int64", "description": "When the lease ends now."},
                "lost": {"type": "boolean", "description": "The lease is no more."},
                "cancel_requested": {"type": "boolean", "description": "The execution was cancelled."}}}},
        "claim": {"type": "object", "description": "Beside reports and renewals, why nothing could be claimed."},
        "tasks": {"type": "array", "description": "What was taken."},
        "worker": {"type": "string", "enum": ["run", "quiet", "stop"],
            "description": "What an operator asks of the worker."}})")
                                  .as_object();
    properties["frames"].as_object()["items"].as_object()["properties"].as_object()["answer"] =
        find_operation("append_frame")->answer->schema(schemas);
    for (const std::string_view list : {"frames", "done", "renew"}) {
        properties[list].as_object()["items"].as_object()["properties"].as_object()["problem"] = problem_item(schemas);
    }
    properties["claim"].as_object()["properties"] = json::object{{"problem", problem_item(schemas)}};
    properties["tasks"].as_object()["items"] = task_schema(schemas);
    return answered(200, json::object{{"type", "object"},
                                      {"required", json::array{"done", "renew", "tasks", "worker"}},
                                      {"properties", std::move(properties)}});
}

}  // namespace

Endpoint worker_round_endpoint() {
    return {
        .method = "POST",
        .path = "/v1/workers/{worker_id}/exchange",
        .name = "exchange",
        .group = "Tasks",
        .summary = "A worker's whole round in one call: reports what is done, keeps what is running, asks for more.",
        .scope = Scope::worker,
        .request = round_request,
        .answers = round_answer};
}

}  // namespace flowfabric::api
