#pragma once

#include <memory>

#include "server/http/router.hpp"
#include "server/routes/event_stream_pool.hpp"

namespace flowfabric::server {

// GET /v1/events and GET /v1/executions/{id}/events: what happens, as it happens, by Server-Sent Events
// (docs/events.md).
void add_event_stream_routes(Router& router, const std::shared_ptr<EventStreamPool>& streams);

}  // namespace flowfabric::server
