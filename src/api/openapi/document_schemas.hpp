#pragma once

#include <span>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/openapi/schemas.hpp"

// Documents that core reads by a parser of its own: policies and conditions.
namespace flowfabric::api {

struct DocumentSchema {
    std::string_view name;
    std::string_view schema;
};

std::span<const DocumentSchema> document_schemas();

// A reference to the document of that name.
boost::json::object document_schema(std::string_view name, Schemas& schemas);

}  // namespace flowfabric::api
