#pragma once

#include <memory>

#include "server/http/router.hpp"
#include "server/routes/completion_waits.hpp"
#include "server/routes/event_stream_pool.hpp"

namespace flowfabric::server {

// GET /v1/executions/{id}/stream: what the attempts of an execution put out, as it comes, by Server-Sent Events
// (docs/streams.md).
void add_output_stream_route(Router& router, const std::shared_ptr<EventStreamPool>& streams,
                             const std::shared_ptr<CompletionWaits>& waits);

}  // namespace flowfabric::server
