#pragma once

#include "api/openapi/endpoint.hpp"

namespace flowfabric::api {

// POST /v1/workers/{worker_id}/exchange: the parts of a worker's whole round are requests of other operations.
Endpoint worker_round_endpoint();

}  // namespace flowfabric::api
