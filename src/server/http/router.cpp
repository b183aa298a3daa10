#include "server/http/router.hpp"

#include <algorithm>
#include <utility>

#include "server/http/refusal.hpp"
#include "server/http/target.hpp"

namespace flowfabric::server {
namespace {

bool is_place(std::string_view segment) {
    return segment.starts_with('{') && segment.ends_with('}');
}

bool fits(const std::vector<std::string>& segments, const std::vector<std::string>& path) {
    return std::ranges::equal(segments, path, [](const std::string& segment, const std::string& text) {
        return segment == text || (is_place(segment) && !text.empty());
    });
}

// The route that names more of its first segments comes first.
bool is_more_exact(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    return std::ranges::lexicographical_compare(left, right, {}, is_place, is_place);
}

}  // namespace

void Router::add(std::string method, std::string_view path, Handler handler, const RouteRules& rules) {
    routes_.push_back({.method = std::move(method),
                       .path = std::string(path),
                       .segments = parse_target(path).value().path,
                       .rules = rules,
                       .handler = std::move(handler)});
}

std::vector<const RouteInfo*> Router::find(const std::vector<std::string>& path) const {
    std::vector<const RouteInfo*> best;
    for (const RouteInfo& route : routes_) {
        if (!fits(route.segments, path)) continue;
        if (!best.empty() && is_more_exact(best.front()->segments, route.segments)) continue;
        if (!best.empty() && is_more_exact(route.segments, best.front()->segments)) best.clear();
        best.push_back(&route);
    }
    return best;
}

const RouteInfo* Router::match(std::string_view method, const std::vector<std::string>& path) const {
    const auto routes = find(path);
    // The server sends a HEAD's answer without its body.
    const auto found = std::ranges::find(routes, method == "HEAD" ? "GET" : method, &RouteInfo::method);
    return found == routes.end() ? nullptr : *found;
}

Response Router::refusal(const std::vector<std::string>& path) const {
    const auto routes = find(path);
    if (routes.empty()) return server::refusal(404, "not_found");
    std::string allowed;
    for (const RouteInfo* route : routes) allowed.append(allowed.empty() ? "" : ", ").append(route->method);
    Response response = server::refusal(405, "method_not_allowed");
    response.headers.add("Allow", allowed);
    return response;
}

void call_route(const RouteInfo& route, Request request, const Responder& responder) {
    for (std::size_t i = 0; i < route.segments.size(); ++i) {
        const std::string_view segment = route.segments[i];
        if (is_place(segment)) request.places.emplace(segment.substr(1, segment.size() - 2), request.path[i]);
    }
    route.handler(std::move(request), responder);
}

}  // namespace flowfabric::server
