#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/scope.hpp"
#include "server/http/responder.hpp"

namespace flowfabric::server {

// What holds for a route before its handler is called.
struct RouteRules {
    Scope scope = Scope::admin;
    bool open = false;          // needs no token
    bool by_namespace = false;  // the handler keeps callers to their namespaces; otherwise one that has some is refused
    std::size_t body_limit = 65'536;
    std::string_view changing_query = {};  // the parameter by which also a GET changes something
};

struct RouteInfo {
    std::string method;
    std::string path;                   // its template
    std::vector<std::string> segments;  // of the template, decoded
    RouteRules rules;
    Handler handler;
};

// Asked when the head of a request is read and its body is not, on the server's thread: an answer refuses the request.
// `route` is null if there is none for it.
using Gate = std::function<std::optional<Response>(Request& head, const RouteInfo* route)>;

// Finds the handler of a request by its path and method.
class Router {
  public:
    // `path` is a template: `/v1/executions/{id}/state`. A segment in braces stands for any text, which the handler
    // finds in Request::places; a route that names the segment itself comes first.
    void add(std::string method, std::string_view path, Handler handler, const RouteRules& rules = {});

    std::span<const RouteInfo> routes() const { return routes_; }
    // The route with that path and method; a HEAD is a GET. Null if there is none.
    const RouteInfo* match(std::string_view method, const std::vector<std::string>& path) const;
    // What a request without a route is answered with: 404, or 405 if its path has other methods.
    Response refusal(const std::vector<std::string>& path) const;

  private:
    // The routes of the best match for the path, one per method.
    std::vector<const RouteInfo*> find(const std::vector<std::string>& path) const;

    std::vector<RouteInfo> routes_;
};

// Calls the route's handler with what stands in its places.
void call_route(const RouteInfo& route, Request request, const Responder& responder);

}  // namespace flowfabric::server
