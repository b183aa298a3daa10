#pragma once

#include "api/openapi/endpoint.hpp"

// What happens and what is put out, as it comes, by Server-Sent Events.
namespace flowfabric::api {

Endpoint channel_events_endpoint();
Endpoint execution_events_endpoint();
Endpoint execution_output_endpoint();

}  // namespace flowfabric::api
