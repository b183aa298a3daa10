#pragma once

#include "api/openapi/endpoint.hpp"

// Events as they happen, by Server-Sent Events.
namespace flowfabric::api {

Endpoint channel_events_endpoint();
Endpoint execution_events_endpoint();

}  // namespace flowfabric::api
