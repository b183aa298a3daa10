#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/responder.hpp"

namespace flowfabric::server {

// Finds the handler of a request by its path and method. Unknown paths are 404, other methods 405.
class Router {
  public:
    // `path` is a template: `/v1/executions/{id}/state`. A segment in braces stands for any text, which the handler
    // finds in Request::places; a route that names the segment itself comes first.
    void add(std::string method, std::string_view path, Handler handler);
    void operator()(Request request, const Responder& responder) const;

  private:
    struct Route {
        std::string method;
        std::vector<std::string> segments;
        Handler handler;
    };

    // The routes of the best match for the path, one per method.
    std::vector<const Route*> find(const std::vector<std::string>& path) const;

    std::vector<Route> routes_;
};

}  // namespace flowfabric::server
