#pragma once

#include <memory>

#include "flowfabric/engine.hpp"
#include "server/metrics/lane_names.hpp"
#include "server/metrics/registry.hpp"

namespace flowfabric::server {

// What there is in the store at each scrape, from its counters; the same whichever server is asked. The engine outlives
// the scrapes.
void add_store_gauges(Metrics& metrics, Engine& engine, std::shared_ptr<LaneNames> lanes);

}  // namespace flowfabric::server
