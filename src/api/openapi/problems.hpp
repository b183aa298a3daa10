#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "api/openapi/schemas.hpp"

// Errors, as the API's description has them.
namespace flowfabric::api {

// What besides its own failures makes a route refuse.
struct MayRefuse {
    bool token = false;    // there may be a missing or an insufficient one
    bool absence = false;  // of what the request names
    bool state = false;    // of what the request is to change
    bool body = false;     // too large, of another type, or with wrong fields
};

// References to the answers, by status.
boost::json::object problem_answers(const MayRefuse& refusals);
// What they refer to: `components.responses`.
boost::json::object problem_components(Schemas& schemas);
// A reference to a problem that stands for one item of several, with its status.
boost::json::object problem_item(Schemas& schemas);

}  // namespace flowfabric::api
