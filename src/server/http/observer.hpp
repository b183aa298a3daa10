#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "server/http/message.hpp"

namespace flowfabric::server {

// One request that is over.
struct Served {
    std::string method;  // empty: its head could not be read
    std::string path;    // without the query
    std::string route;   // the template; empty: there is none
    bool open = false;   // the route needs no token: probes and scrapes
    std::string request_id;
    std::string traceparent;  // as the client gave it; empty: it did not
    std::string tracestate;   // likewise
    std::shared_ptr<const Caller> caller;
    unsigned status = 0;    // 0: the client left before it was answered
    std::size_t bytes = 0;  // of the answer's body
    std::chrono::steady_clock::duration took{};
};

// Told of every request, on the server's thread.
using Observer = std::function<void(const Served&)>;

}  // namespace flowfabric::server
