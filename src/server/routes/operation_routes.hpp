#pragma once

#include <memory>

#include "flowfabric/client.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"
#include "server/routes/completion_waits.hpp"

namespace flowfabric::server {

// Adds every route that is an operation (api/routes/route.hpp). Commands answer when they are committed and hold no
// thread meanwhile; reads run on the pool; what waits for the end of an execution is told by `waits`. The client
// outlives the router.
void add_operation_routes(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool,
                          const std::shared_ptr<CompletionWaits>& waits);

}  // namespace flowfabric::server
