#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/problem.hpp"

// HTTP as handlers see it: plain structs, no library.
namespace flowfabric {
struct Caller;  // flowfabric/token.hpp
}

namespace flowfabric::server {

// Names are compared without regard to case.
class Headers {
  public:
    Headers() = default;
    Headers(std::initializer_list<std::pair<std::string, std::string>> all) : all_(all) {}

    void add(std::string name, std::string value);
    // The first of that name.
    std::optional<std::string_view> find(std::string_view name) const;

    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

  private:
    std::vector<std::pair<std::string, std::string>> all_;
};

struct Request {
    std::string method;
    std::vector<std::string> path;                           // its segments, decoded
    std::map<std::string, std::string, std::less<>> places;  // what stands in the places of the route: {id}
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
    Headers headers;
    std::string body;
    std::stop_token gone;    // stop is requested when the client goes, its deadline passes or the server stops
    std::stop_token ending;  // and when the server begins to end: what only waits is answered early
    std::string request_id;
    std::optional<std::chrono::steady_clock::time_point> deadline;  // until when the client waits, if it says so
    std::string route;                     // the template of its path; empty: no route has that path and method
    std::shared_ptr<const Caller> caller;  // null: no token is asked for

    // The first of that name.
    std::optional<std::string_view> query_value(std::string_view name) const;
};

struct Response {
    unsigned status = 200;
    std::string body;
    std::string content_type = "application/json";
    Headers headers = {};
    std::optional<api::Problem> problem = {};  // the body instead, in the form that the client asks for
};

}  // namespace flowfabric::server
