#pragma once

#include <prometheus/counter.h>

#include "server/http/http_server.hpp"
#include "server/metrics/registry.hpp"

namespace flowfabric::server {

// Counts and times every answer, by method, template and status. The metrics outlive what is returned.
Observer http_metrics(Metrics& metrics);

// Takes how many clients are connected.
std::function<void(std::size_t)> connection_gauge(Metrics& metrics);

// How often requests under way were cut off at the shutdown deadline.
prometheus::Counter& shutdown_timeouts(Metrics& metrics);

}  // namespace flowfabric::server
