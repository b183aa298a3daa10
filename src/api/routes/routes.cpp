#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "api/operations.hpp"
#include "api/routes/tables.hpp"
#include "api/routes/task_form.hpp"

namespace flowfabric::api {
namespace {

constexpr RouteGroup groups[] = {
    {"Executions", "One piece of work, from its submission to its result.", execution_routes},
    {"Suspensions", "What executions wait for, and the signals that let them go on.", suspension_routes},
    {"Tasks", "What a worker does with the work that it has leased.", task_routes},
    {"Streams", "What attempts put out while they run.", stream_routes},
    {"Grants", "Work that is handed to one worker by name.", grant_routes},
    {"Flows", "Executions that depend on one another.", flow_routes},
    {"Bulk operations", "One action on everything that matches.", bulk_routes},
    {"Operators", "Lanes, workers, settings, consumers and keys.", operator_routes},
    {"Budgets", "What may be used, and what is used of it.", budget_routes},
    {"Webhooks", "Addresses that events are sent to.", webhook_routes},
    {"Tokens", "Who may do what over HTTP.", token_routes},
};

std::vector<Route> all_routes() {
    std::vector<Route> all;
    for (const RouteGroup& group : groups) {
        for (Route& route : group.routes()) {
            route.group = group.name;
            all.push_back(std::move(route));
        }
    }
    return all;
}

// A route of the operation by its name. What concerns rights is as its first route has it.
Route named_route(std::string_view operation, std::string_view path) {
    Route route{.method = "POST",
                .path = path,
                .operation = operation,
                .scope = Scope::admin,
                .limit = BodyLimit::bulk,
                .batched = true,
                .may_be_null = true};
    const auto first = std::ranges::find(routes(), operation, &Route::operation);
    if (first == routes().end()) return route;
    route.scope = first->scope;
    route.audited = first->audited;
    route.changes_tokens = first->changes_tokens;
    route.belongs_to = first->belongs_to;
    route.subject = subject_field(*first);
    // What a claim took for a caller that has gone is free again at once.
    if (operation == "claim") {
        route.waits = true;
        route.early = R"({"executions":[],"worker":"run"})";
        route.abandon = [](Client& client, const SentAnswer& answer) { give_back(client, tasks_of(answer.body)); };
    }
    return route;
}

struct NamedRoutes {
    NamedRoutes() {
        for (const OperationEntry& entry : operations()) {
            const std::string& path = paths.emplace_back("/v1/operations/" + std::string(entry.operation.name));
            routes.push_back(named_route(entry.operation.name, path));
        }
    }

    std::deque<std::string> paths;  // what the routes refer to
    std::vector<Route> routes;
};

}  // namespace

bool is_audited(const Route& route) {
    return route.audited || (route.scope == Scope::admin && find_operation(route.operation)->changes);
}

std::string_view subject_field(const Route& route) {
    if (!route.subject.empty()) return route.subject;
    for (const Belonging& belonging : route.belongs_to) {
        if (belonging.to != Belonging::To::name) return belonging.field;
    }
    const auto open = route.path.rfind('{');
    if (open == std::string_view::npos) return {};
    const auto place = route.path.substr(open + 1, route.path.rfind('}') - open - 1);
    return place == "id" ? route.id_field : place;
}

std::span<const RouteGroup> route_groups() {
    return groups;
}

std::span<const Route> routes() {
    static const std::vector<Route> all = all_routes();
    return all;
}

std::span<const Route> named_routes() {
    static const NamedRoutes named;
    return named.routes;
}

}  // namespace flowfabric::api
