#pragma once

#include <memory>
#include <string>

#include "flowfabric/engine.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"

namespace flowfabric::server {

// GET /livez: whether the process answers. GET /healthz: whether the engine can read its store. GET /readyz: whether
// the server should get work, too: a signing key is there, and it is not ending. GET /version. The engine outlives the
// router.
void add_health_routes(Router& router, Engine& engine, const std::shared_ptr<BlockingPool>& pool,
                       const std::string& store_kind);

}  // namespace flowfabric::server
