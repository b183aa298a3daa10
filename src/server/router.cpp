#include "server/router.hpp"

#include <utility>

namespace flowfabric::server {

void Router::add(std::string method, std::string path, Handler handler) {
    routes_[std::move(path)][std::move(method)] = std::move(handler);
}

Response Router::operator()(const Request& request) const {
    const std::string_view target = request.target;
    const auto path = routes_.find(target.substr(0, target.find('?')));
    if (path == routes_.end()) return {404, R"({"error":"not_found"})", {}};
    const auto& methods = path->second;
    // The server sends a HEAD's answer without its body.
    if (const auto route = methods.find(request.method == "HEAD" ? "GET" : request.method); route != methods.end())
        return route->second(request);

    std::string allowed;
    for (const auto& [method, handler] : methods) allowed.append(allowed.empty() ? "" : ", ").append(method);
    return {405, R"({"error":"method_not_allowed"})", {{"Allow", allowed}}};
}

}  // namespace flowfabric::server
