#include "core/execution/retention.hpp"

#include <algorithm>
#include <limits>

#include "core/command/decisions.hpp"
#include "core/execution/retry.hpp"

namespace flowfabric {

std::optional<std::uint64_t> own_retention_ms(const ExecutionPolicy& policy) {
    constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
    if (!policy.stream_policy || !policy.stream_policy->retention_ttl_ms) return std::nullopt;
    return std::min(*policy.stream_policy->retention_ttl_ms, longest);
}

std::optional<std::int64_t> removal_time(const ExecutionRow& row, const StoreSettings& settings) {
    const std::uint64_t keep_ms = row.own_retention_ms.value_or(settings.execution_retention_ms);
    return keep_ms > 0 ? std::optional(saturating_add(row.terminal_at_ms.value(), keep_ms)) : std::nullopt;
}

Result<Answer> decide(const RemoveEnded& command, ExecutionEntry& entry, DecisionContext& context) {
    const ExecutionRow& row = entry.row;
    auto& noted = context.set.side.of<RetentionRow>();
    noted.erase({row.id});
    const bool ended = row.vector.lifecycle_phase == LifecyclePhase::terminal && row.terminal_at_ms;
    if (!ended || !command.filter.admits(row)) return Answer{TimerFired{.changed = false}};
    const auto remove_at = removal_time(row, context.set.settings);
    if (!remove_at) return Answer{TimerFired{.changed = false}};
    if (*remove_at > context.set.now_ms) {
        noted.put({.key = {row.id}, .remove_at_ms = *remove_at});
        return Answer{TimerFired{.changed = false}};
    }
    if (row.flow_id) {
        // It goes with its flow, which may have waited for this very time.
        const FlowKey flow{row.id.partition, *row.flow_id};
        context.set.side.of<FlowRetentionRow>().put({.key = flow, .remove_at_ms = context.set.now_ms});
    } else {
        entry.change = RowChange::erase;
    }
    return Answer{TimerFired{.changed = true}};
}

}  // namespace flowfabric
