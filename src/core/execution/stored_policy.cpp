#include "core/execution/stored_policy.hpp"

namespace flowfabric {

Result<std::optional<ExecutionPolicy>> stored_policy(const ExecutionRow& row) {
    if (!row.policy) return std::optional<ExecutionPolicy>{};
    auto policy = ExecutionPolicy::parse(row.policy->text);
    if (!policy) return corruption(row.id.to_string() + ": stored policy: " + policy.error().detail);
    return std::optional(std::move(*policy));
}

std::optional<ExecutionPolicy> sound_policy(const ExecutionRow& row) {
    auto policy = stored_policy(row);
    return policy ? std::move(*policy) : std::nullopt;
}

std::optional<std::string> damage_in_policy(const ExecutionRow& row) {
    const auto policy = stored_policy(row);
    return policy ? std::nullopt : std::optional(policy.error().detail);
}

}  // namespace flowfabric
