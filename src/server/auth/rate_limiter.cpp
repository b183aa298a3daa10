#include "server/auth/rate_limiter.hpp"

#include <algorithm>

namespace flowfabric::server {

std::optional<RateLimiter::Clock::duration> RateLimiter::refuse(const Caller& caller, Clock::time_point now) {
    if (!caller.rate_limit_per_s) return std::nullopt;
    constexpr Clock::duration window = std::chrono::seconds(1);
    const Clock::duration share = window / *caller.rate_limit_per_s;
    const std::scoped_lock lock(mutex_);
    Clock::time_point& next = next_[caller.name];
    next = std::max(next, now);
    const auto latest = now + (window - share);
    if (next > latest) return next - latest;
    next += share;
    return std::nullopt;
}

}  // namespace flowfabric::server
