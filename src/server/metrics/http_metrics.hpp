#pragma once

#include <string_view>

#include <prometheus/counter.h>

#include "server/http/http_server.hpp"
#include "server/metrics/registry.hpp"

namespace flowfabric::server {

// The route of scrapes, which are not counted.
inline constexpr std::string_view metrics_path = "/metrics";

// Counts and times every other answer, by method, template and status. The metrics outlive what is returned.
Observer http_metrics(Metrics& metrics);

// Takes how many clients are connected.
std::function<void(std::size_t)> connection_gauge(Metrics& metrics);

// How often requests under way were cut off at the shutdown deadline.
prometheus::Counter& shutdown_timeouts(Metrics& metrics);

}  // namespace flowfabric::server
