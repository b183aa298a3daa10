#include "server/http/router.hpp"

#include <algorithm>
#include <utility>

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

void Router::add(std::string method, std::string_view path, Handler handler) {
    routes_.push_back({std::move(method), parse_target(path).value().path, std::move(handler)});
}

std::vector<const Router::Route*> Router::find(const std::vector<std::string>& path) const {
    std::vector<const Route*> best;
    for (const Route& route : routes_) {
        if (!fits(route.segments, path)) continue;
        if (!best.empty() && is_more_exact(best.front()->segments, route.segments)) continue;
        if (!best.empty() && is_more_exact(route.segments, best.front()->segments)) best.clear();
        best.push_back(&route);
    }
    return best;
}

void Router::operator()(Request request, const Responder& responder) const {
    const auto routes = find(request.path);
    if (routes.empty()) {
        responder.respond({404, R"({"error":"not_found"})"});
        return;
    }
    // The server sends a HEAD's answer without its body.
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    const auto found = std::ranges::find(routes, method, &Route::method);
    if (found == routes.end()) {
        std::string allowed;
        for (const Route* route : routes) allowed.append(allowed.empty() ? "" : ", ").append(route->method);
        responder.respond({405, R"({"error":"method_not_allowed"})", "application/json", {{"Allow", allowed}}});
        return;
    }
    const Route& route = **found;
    for (std::size_t i = 0; i < route.segments.size(); ++i) {
        const std::string_view segment = route.segments[i];
        if (is_place(segment)) request.places.emplace(segment.substr(1, segment.size() - 2), request.path[i]);
    }
    route.handler(std::move(request), responder);
}

}  // namespace flowfabric::server
