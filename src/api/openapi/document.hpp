#pragma once

#include <string>

#include <boost/json/object.hpp>

// The description of the whole API (OpenAPI 3.1), made of the table of routes.
namespace flowfabric::api {

// Made at the first call.
const boost::json::object& openapi_document();

// A document for people: one line for each field, short lists on one line.
std::string pretty_json(const boost::json::value& value);

}  // namespace flowfabric::api
