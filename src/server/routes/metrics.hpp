#pragma once

#include <memory>

#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"
#include "server/metrics/registry.hpp"

namespace flowfabric::server {

// GET /metrics. The metrics outlive the router.
void add_metrics_route(Router& router, Metrics& metrics, const std::shared_ptr<BlockingPool>& pool);

}  // namespace flowfabric::server
