#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/openapi/schemas.hpp"
#include "flowfabric/scope.hpp"

// Routes of the server that are no operation of the engine, as the API's description knows them.
namespace flowfabric::api {

struct Endpoint {
    std::string_view method;
    std::string_view path;
    std::string_view name;   // in the description; no operation has it
    std::string_view group;  // of a RouteGroup, or of an EndpointGroup
    std::string_view summary;
    std::optional<Scope> scope;  // none: it needs no token
    // `parameters` and `requestBody`; null: it takes neither.
    boost::json::object (*request)(Schemas& schemas) = nullptr;
    // `responses`, errors excepted.
    boost::json::object (*answers)(Schemas& schemas) = nullptr;
};

struct EndpointGroup {
    std::string_view name;
    std::string_view summary;
};

std::span<const EndpointGroup> endpoint_groups();
std::span<const Endpoint> endpoints();

}  // namespace flowfabric::api
