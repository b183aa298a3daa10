#include "api/openapi/answers.hpp"
#include "api/routes/tables.hpp"
#include "api/routes/task_form.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;
using Form = RequestAlias::Form;

SentAnswer tasks(const json::object&, json::value answer) {
    json::value worker = std::move(answer.at("worker"));
    return {.body = json::object{{"tasks", tasks_of(std::move(answer))}, {"worker", std::move(worker)}}};
}

std::optional<Problem> limit_wait(json::object& request) {
    return limit_claim_wait(request, "wait_ms", 0);
}

json::object mode_schema() {
    const std::string_view summary = "What an operator asks of the worker.";
    return {{"type", "string"}, {"enum", json::array{"run", "quiet", "stop"}}, {"description", summary}};
}

json::object tasks_schema(Schemas& schemas) {
    return answered(200, json::object{{"type", "object"},
                                      {"required", json::array{"tasks", "worker"}},
                                      {"properties", json::object{{"tasks", list_of(task_schema(schemas))},
                                                                  {"worker", mode_schema()}}}});
}

// What the holder of a lease does with it, singly and in batches.
Route verb(std::string_view path, std::string_view operation, BodyLimit limit) {
    return {.method = "POST",
            .path = path,
            .operation = operation,
            .scope = Scope::worker,
            .belongs_to = {{To::lease, "lease"}},
            .limit = limit,
            .batched = true};
}

}  // namespace

std::vector<Route> task_routes() {
    Route claim{.method = "POST",
                .path = "/v1/tasks/claim",
                .operation = "claim",
                .scope = Scope::worker,
                .waits = true,
                .aliases = {{"max", "max_count"}, {"wait_ms", "max_wait_ms"}},
                .prepare = limit_wait,
                .send = tasks,
                .sent = tasks_schema,
                .early = R"({"tasks":[]})",
                .abandon = [](Client& client, const SentAnswer& answer) {
                    give_back(client, answer.body.at("tasks").as_array());
                }};
    Route wait = verb("/v1/tasks/wait-children", "wait_children", BodyLimit::control);
    wait.belongs_to.push_back({To::flow, "flow_id"});
    Route frames = verb("/v1/tasks/frames", "append_frame", BodyLimit::large);
    frames.aliases = {{"text", "payload", Form::text}};
    return {
        std::move(claim),
        verb("/v1/tasks/renew", "renew", BodyLimit::control),
        verb("/v1/tasks/progress", "progress", BodyLimit::control),
        verb("/v1/tasks/complete", "complete", BodyLimit::large),
        verb("/v1/tasks/fail", "fail", BodyLimit::large),
        verb("/v1/tasks/delay", "delay", BodyLimit::control),
        verb("/v1/tasks/suspend", "suspend", BodyLimit::large),
        verb("/v1/tasks/release", "release_unstarted", BodyLimit::control),
        verb("/v1/tasks/cancel", "cancel", BodyLimit::large),
        verb("/v1/tasks/waitpoints", "create_waitpoint", BodyLimit::control),
        verb("/v1/tasks/usage", "report_usage", BodyLimit::control),
        std::move(wait),
        std::move(frames),
        {.method = "POST",
         .path = "/v1/tasks/signals",
         .operation = "observe_signals",
         .scope = Scope::worker,
         .belongs_to = {{To::lease, "lease"}}},
    };
}

}  // namespace flowfabric::api
