#pragma once

#include <memory>

#include "flowfabric/client.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"

namespace flowfabric::server {

// Adds every route that is an operation (api/routes/route.hpp). Commands answer when they are committed and hold no
// thread meanwhile; reads run on the pool. The client outlives the router.
void add_operation_routes(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool);

}  // namespace flowfabric::server
