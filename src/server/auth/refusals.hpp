#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/problem.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/token.hpp"

namespace flowfabric::server {

inline api::Problem forbidden(const Caller& caller, std::string_view why) {
    return {.status = 403,
            .error = std::string("forbidden: the token ").append(caller.name).append(" ").append(why),
            .kind = "forbidden",
            .retryable = std::nullopt,
            .details = {}};
}

// Callers without a token lack nothing.
inline std::optional<api::Problem> refuse_without(Scope scope, const Caller* caller) {
    if (caller == nullptr || caller->may(scope)) return std::nullopt;
    return forbidden(*caller, "lacks the scope " + std::string(to_string(scope)));
}

// What operators did is told to operators only.
inline std::optional<api::Problem> refuse_channel(Channel channel, const Caller* caller) {
    return channel == Channel::audit ? refuse_without(Scope::admin, caller) : std::nullopt;
}

}  // namespace flowfabric::server
