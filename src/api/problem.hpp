#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
    boost::json::object more = {};                    // further members of its document
    std::optional<std::uint32_t> retry_after_s = {};  // with 429 and 503; absent: a second
    std::string cause = {};                           // for the server's log alone
};

template <class T>
using OrProblem = Expected<T, Problem>;

Problem problem_of(const EngineError& error);
// A request whose fields are missing or of another type.
Problem unreadable(unsigned status, const EngineError& error);
// What the server itself finds: "not_found", with more for people.
Problem refused(unsigned status, std::string_view kind, std::string_view reason = {});

// {"error", "kind", "retryable"?, "details"?}
boost::json::object to_json(const Problem& problem);
// The same, as RFC 9457 has it.
boost::json::object to_problem_json(const Problem& problem, std::string_view request_id);

}  // namespace flowfabric::api
