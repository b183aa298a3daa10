#pragma once

#include <cstdint>
#include <string_view>

#include "flowfabric/ids.hpp"
#include "flowfabric/policy.hpp"

namespace flowfabric {

// Whether a failure of this category is tried again, with `retry_count` retries already used.
bool retry_allowed(const RetryPolicy& policy, std::int32_t retry_count, std::string_view category);

// The pause before the next attempt. Jitter is a hash of (execution, retry count): every store decides alike.
std::int64_t backoff_ms(const RetryPolicy& policy, const ExecutionId& id, std::int32_t retry_count);

// a + b, held at the largest time there is.
std::int64_t saturating_add(std::int64_t time_ms, std::uint64_t delay_ms);

}  // namespace flowfabric
