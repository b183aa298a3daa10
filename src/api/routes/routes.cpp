#include <algorithm>
#include <deque>
#include <iterator>
#include <string>

#include "api/operations.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

std::vector<Route> all_routes() {
    std::vector<Route> all;
    for (auto part :
         {execution_routes(), suspension_routes(), task_routes(), grant_routes(), flow_routes(), operator_routes()}) {
        std::ranges::move(part, std::back_inserter(all));
    }
    return all;
}

Scope scope_of(std::string_view operation) {
    const auto found = std::ranges::find(routes(), operation, &Route::operation);
    return found == routes().end() ? Scope::admin : found->scope;
}

struct NamedRoutes {
    NamedRoutes() {
        for (const OperationEntry& entry : operations()) {
            const std::string& path = paths.emplace_back("/v1/operations/" + std::string(entry.operation.name));
            routes.push_back({.method = "POST",
                              .path = path,
                              .operation = entry.operation.name,
                              .scope = scope_of(entry.operation.name),
                              .limit = BodyLimit::bulk,
                              .batched = true,
                              .may_be_null = true});
        }
    }

    std::deque<std::string> paths;  // what the routes refer to
    std::vector<Route> routes;
};

}  // namespace

std::span<const Route> routes() {
    static const std::vector<Route> all = all_routes();
    return all;
}

std::span<const Route> named_routes() {
    static const NamedRoutes named;
    return named.routes;
}

}  // namespace flowfabric::api
