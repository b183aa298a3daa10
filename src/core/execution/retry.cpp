#include "core/execution/retry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/id_source.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t longest_ms = std::numeric_limits<std::int64_t>::max() / 2;

std::uint64_t exponential_ms(const ExponentialBackoff& backoff, std::int32_t retry_count) {
    if (backoff.initial_delay_ms == 0) return 0;  // zero times an overflowed power is not a number
    const double raw = static_cast<double>(backoff.initial_delay_ms) * std::pow(backoff.multiplier, retry_count);
    const std::uint64_t cap = std::min(backoff.max_delay_ms, longest_ms);
    return raw >= static_cast<double>(cap) ? cap : static_cast<std::uint64_t>(raw);
}

std::uint64_t jittered(std::uint64_t delay, const ExecutionId& id, std::int32_t retry_count) {
    const std::uint64_t hash = mix64(std::hash<ExecutionId>{}(id) + static_cast<std::uint64_t>(retry_count));
    const std::uint64_t half = delay / 2;
    return half + hash % (delay - half + 1);
}

}  // namespace

bool retry_allowed(const RetryPolicy& policy, std::int32_t retry_count, std::string_view category) {
    if (static_cast<std::uint32_t>(retry_count) >= policy.max_retries) return false;
    if (category == "permanent" || category == "cancelled") return false;
    return policy.retryable_categories.empty() ||
           std::ranges::find(policy.retryable_categories, category) != policy.retryable_categories.end();
}

std::int64_t backoff_ms(const RetryPolicy& policy, const ExecutionId& id, std::int32_t retry_count) {
    if (const auto* fixed = std::get_if<FixedBackoff>(&policy.backoff)) {
        return static_cast<std::int64_t>(std::min(fixed->delay_ms, longest_ms));
    }
    const auto& exponential = std::get<ExponentialBackoff>(policy.backoff);
    const std::uint64_t delay = exponential_ms(exponential, retry_count);
    return static_cast<std::int64_t>(exponential.jitter ? jittered(delay, id, retry_count) : delay);
}

std::int64_t saturating_add(std::int64_t time_ms, std::uint64_t delay_ms) {
    const auto room =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(time_ms, 0));
    return time_ms + static_cast<std::int64_t>(std::min(delay_ms, room));
}

}  // namespace flowfabric
