#pragma once

#include "flowfabric/engine.hpp"
#include "server/auth/access.hpp"
#include "server/http/router.hpp"

namespace flowfabric::server {

// GET /v1/events and GET /v1/executions/{id}/events: Server-Sent Events of a channel, and of one execution
// (docs/events.md). The engine outlives the router.
void add_event_stream_routes(Router& router, Engine& engine, const std::shared_ptr<Access>& access);

}  // namespace flowfabric::server
