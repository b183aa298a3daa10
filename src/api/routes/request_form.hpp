#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "api/problem.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric::api {

// What a request brings besides its body.
struct RequestParts {
    std::map<std::string, std::string, std::less<>> places;
    std::vector<std::pair<std::string, std::string>> query;
    std::optional<std::string> idempotency_key;  // holds where the request itself gives none
    std::optional<std::string> traceparent;      // these as well; a malformed one counts as absent
    std::optional<std::string> tracestate;
};

// The field that stands in a place of the route's path.
std::string_view field_of_place(const Route& route, std::string_view place);

// The request of the operation, under the operation's own names.
OrProblem<boost::json::object> request_of(const Route& route, const OperationEntry& operation, boost::json::object body,
                                          const RequestParts& parts);

// The command or query that the request asks for.
OrProblem<std::variant<Commands, Queries>> asked_by(const Route& route, const OperationEntry& operation,
                                                    const boost::json::object& request);

}  // namespace flowfabric::api
