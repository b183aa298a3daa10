#include "server/auth/gatekeeper.hpp"

#include <chrono>
#include <string>

#include "server/auth/refusals.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

Response unauthorized() {
    Response response = response_of(api::Problem{.status = 401,
                                                 .error = "missing or invalid Authorization header",
                                                 .kind = "unauthorized",
                                                 .retryable = std::nullopt,
                                                 .details = {}});
    response.headers.add("WWW-Authenticate", "Bearer");
    return response;
}

Response too_many(RateLimiter::Clock::duration wait) {
    api::Problem problem = api::refused(429, "rate_limited", "the token may ask again later");
    problem.retry_after_s = static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::seconds>(wait).count());
    return response_of(problem);
}

// What stands behind `Bearer` and one blank.
std::optional<std::string_view> secret_in(const Request& head) {
    constexpr std::string_view scheme = "Bearer ";
    const auto header = head.headers.find("authorization");
    if (!header || !header->starts_with(scheme)) return std::nullopt;
    return header->substr(scheme.size());
}

}  // namespace

std::optional<Response> Gatekeeper::operator()(Request& head, const RouteInfo* route) {
    if (route != nullptr && route->rules.open) return std::nullopt;
    const auto tokens = book_.current();
    if (!tokens->required()) return std::nullopt;
    const auto secret = secret_in(head);
    const Caller* caller = secret ? tokens->find(*secret) : nullptr;
    if (caller == nullptr) return unauthorized();
    if (const auto wait = limiter_.refuse(*caller, RateLimiter::Clock::now())) return too_many(*wait);
    head.caller = std::shared_ptr<const Caller>(tokens, caller);
    if (route == nullptr) return std::nullopt;
    if (const auto refused = refuse_without(route->rules.scope, caller)) return response_of(*refused);
    if (!caller->namespaces.empty() && !route->rules.by_namespace) {
        return response_of(forbidden(*caller, "is held to namespaces, which this request is not"));
    }
    return std::nullopt;
}

}  // namespace flowfabric::server
