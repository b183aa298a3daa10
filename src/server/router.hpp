#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/http_server.hpp"

namespace flowfabric::server {

// Finds the handler of a request by exact path and method; unknown paths are 404, other methods 405.
class Router {
  public:
    void add(std::string method, std::string path, Handler handler);
    Response operator()(const Request& request) const;

  private:
    std::map<std::string, std::map<std::string, Handler>, std::less<>> routes_;  // by path, then by method
};

}  // namespace flowfabric::server
