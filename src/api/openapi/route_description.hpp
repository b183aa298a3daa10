#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/openapi/schemas.hpp"
#include "api/operations.hpp"
#include "api/routes/route.hpp"

// What OpenAPI says of a route that is an operation.
namespace flowfabric::api {

// What stands in the path, the query and the headers.
boost::json::array parameters_of(const Route& route, const OperationEntry& operation, Schemas& schemas);
// The body's schema; empty: the route takes none.
boost::json::object body_schema(const Route& route, const OperationEntry& operation, Schemas& schemas);
// The answers by status, errors excepted.
boost::json::object answers_of(const Route& route, const OperationEntry& operation, Schemas& schemas);

}  // namespace flowfabric::api
