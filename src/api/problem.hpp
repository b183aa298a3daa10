#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "flowfabric/result.hpp"

namespace flowfabric::api {

// What a caller over HTTP is told when a request fails.
struct Problem {
    struct Detail {
        std::string field;
        std::string reason;
    };

    unsigned status = 500;
    std::string error;  // for people
    std::string kind;   // for programs
    std::optional<bool> retryable;
    std::vector<Detail> details;
};

template <class T>
using OrProblem = Expected<T, Problem>;

Problem problem_of(const EngineError& error);
// A request whose fields are missing or of another type.
Problem unreadable(unsigned status, const EngineError& error);
// {"error", "kind", "retryable"?, "details"?}
boost::json::object to_json(const Problem& problem);

}  // namespace flowfabric::api
