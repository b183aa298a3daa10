#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "flowfabric/client.hpp"
#include "server/auth/access.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/router.hpp"
#include "server/routes/completion_waits.hpp"

namespace flowfabric::server {

// What a request of the operation has where it does not say so itself.
struct RequestDefault {
    std::string operation;
    std::string field;
    boost::json::value value;
};

// How many stream operations (Route::is_stream_operation) may be under way at once, unless it is said otherwise.
inline constexpr std::size_t default_stream_operations = 64;

// Adds every route that is an operation (api/routes/route.hpp). Commands answer when they are committed and hold no
// thread meanwhile; reads run on the pool; what waits for the end of an execution is told by `waits`. The client
// outlives the router.
void add_operation_routes(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool,
                          const std::shared_ptr<CompletionWaits>& waits, const std::shared_ptr<Access>& access,
                          const std::vector<RequestDefault>& defaults = {},
                          std::size_t stream_operations = default_stream_operations);

}  // namespace flowfabric::server
