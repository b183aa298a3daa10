#pragma once

#include <memory>
#include <string>

#include "flowfabric/engine.hpp"
#include "server/router.hpp"

namespace flowfabric::server {

// GET /healthz: whether the engine can read its store. GET /version. The engine outlives the router.
void add_health_routes(Router& router, Engine& engine, const std::string& store_kind);

}  // namespace flowfabric::server
