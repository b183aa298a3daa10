#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/result.hpp"

namespace flowfabric {

struct FixedBackoff {
    std::uint64_t delay_ms = 1000;
    bool operator==(const FixedBackoff&) const = default;
};

struct ExponentialBackoff {
    std::uint64_t initial_delay_ms = 1000;
    std::uint64_t max_delay_ms = 60'000;
    double multiplier = 2.0;
    bool jitter = false;
    bool operator==(const ExponentialBackoff&) const = default;
};

struct RetryPolicy {
    std::uint32_t max_retries = 3;
    std::variant<ExponentialBackoff, FixedBackoff> backoff;
    // Empty: every category but permanent and cancelled is retried.
    std::vector<std::string> retryable_categories;

    // Fails with invalid_policy_json and says where.
    static Result<RetryPolicy> parse(std::string_view json);
    std::string to_json() const;

    bool operator==(const RetryPolicy&) const = default;
};

struct TimeoutPolicy {
    std::optional<std::uint64_t> attempt_timeout_ms;
    std::optional<std::uint64_t> execution_deadline_ms;
    bool operator==(const TimeoutPolicy&) const = default;
};

struct RoutingRequirements {
    // Sorted and without repeats once parsed or validated.
    std::vector<std::string> required_capabilities;
    std::optional<std::string> preferred_locality;
    std::optional<std::string> isolation_level;
    bool operator==(const RoutingRequirements&) const = default;
};

struct SuspensionPolicy {
    std::optional<std::uint64_t> default_timeout_ms;
    std::string timeout_behavior = "fail";
    bool operator==(const SuspensionPolicy&) const = default;
};

struct FallbackTier {
    std::string provider;
    std::string model;
    std::optional<std::uint64_t> timeout_ms;
    bool operator==(const FallbackTier&) const = default;
};

struct FallbackPolicy {
    std::vector<FallbackTier> tiers;
    bool operator==(const FallbackPolicy&) const = default;
};

struct StreamPolicy {
    std::string durability_mode = "buffered";
    std::uint64_t retention_maxlen = 10'000;
    std::optional<std::uint64_t> retention_ttl_ms;
    bool operator==(const StreamPolicy&) const = default;
};

// The rules of one execution, fixed when it is created.
struct ExecutionPolicy {
    std::int32_t priority = 0;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<RetryPolicy> retry_policy;  // absent: the store's default_retry_policy, as it is at a failure
    std::optional<TimeoutPolicy> timeout_policy;
    std::optional<RoutingRequirements> routing_requirements;
    std::optional<std::uint64_t> dedup_window_ms;
    std::optional<std::uint32_t> max_reclaim_count;
    std::optional<std::uint32_t> max_replay_count;
    std::optional<SuspensionPolicy> suspension_policy;
    std::optional<FallbackPolicy> fallback_policy;
    std::vector<std::string> budget_ids;
    std::optional<std::string> quota_policy_id;
    std::optional<StreamPolicy> stream_policy;
    std::optional<std::uint32_t> max_signals_per_execution;

    // Fails with invalid_policy_json or invalid_capabilities and says where.
    static Result<ExecutionPolicy> parse(std::string_view json);
    // Unset fields are left out, never null.
    std::string to_json() const;

    bool operator==(const ExecutionPolicy&) const = default;
};

}  // namespace flowfabric
