#pragma once

#include <memory>

#include "flowfabric/client.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"

namespace flowfabric::server {

// POST /v1/workers/{worker_id}/exchange: a worker's whole round in one call. It reports what is done, keeps what is
// running and asks for more; each item succeeds or fails by itself (docs/worker-protocol.md). The client outlives the
// router.
void add_worker_round_route(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool);

}  // namespace flowfabric::server
