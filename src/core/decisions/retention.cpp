#include "core/retention.hpp"

#include "core/decisions.hpp"
#include "core/retry.hpp"
#include "core/stored_policy.hpp"

namespace flowfabric {

std::optional<std::uint64_t> own_retention_ms(const ExecutionRow& row) {
    // Every end of an execution asks, and hardly any has one.
    if (!row.policy || row.policy->text.find("retention_ttl_ms") == std::string::npos) return std::nullopt;
    const auto policy = stored_policy(row);
    if (!policy || !*policy || !(*policy)->stream_policy) return std::nullopt;
    return (*policy)->stream_policy->retention_ttl_ms;
}

Result<Answer> decide(const RemoveEnded& command, ExecutionEntry& entry, DecisionContext& context) {
    const ExecutionRow& row = entry.row;
    auto& noted = context.set.side.of<RetentionRow>();
    noted.erase({row.id});
    // A flow's members go with the flow.
    const bool ended = row.vector.lifecycle_phase == LifecyclePhase::terminal && row.terminal_at_ms && !row.flow_id;
    if (!ended || !command.filter.admits(row)) return Answer{TimerFired{.changed = false}};
    const std::uint64_t keep_ms = own_retention_ms(row).value_or(context.settings.execution_retention_ms);
    if (keep_ms == 0) return Answer{TimerFired{.changed = false}};
    const std::int64_t remove_at = saturating_add(*row.terminal_at_ms, keep_ms);
    if (remove_at > context.set.now_ms) {
        noted.put({.key = {row.id}, .remove_at_ms = remove_at});
        return Answer{TimerFired{.changed = false}};
    }
    entry.change = RowChange::erase;
    return Answer{TimerFired{.changed = true}};
}

}  // namespace flowfabric
