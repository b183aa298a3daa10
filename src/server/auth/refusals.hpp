#pragma once

#include <string>
#include <string_view>

#include "api/problem.hpp"
#include "flowfabric/token.hpp"

namespace flowfabric::server {

inline api::Problem forbidden(const Caller& caller, std::string_view why) {
    return {.status = 403,
            .error = std::string("forbidden: the token ").append(caller.name).append(" ").append(why),
            .kind = "forbidden",
            .retryable = std::nullopt,
            .details = {}};
}

}  // namespace flowfabric::server
