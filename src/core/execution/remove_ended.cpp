#include "core/execution/retention.hpp"

#include <algorithm>
#include <limits>

#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/retry.hpp"
#include "flowfabric/execution.hpp"

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

namespace {

class RemoveEndedBody final : public OnExecution {
  public:
    RemoveEndedBody(const ExecutionId& id, ExecutionFilter filter) : OnExecution(id), filter_(std::move(filter)) {}

    CommandTraits traits() const override {
        return {.name = "remove_ended", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override {
        const std::size_t tag = filter_.tag ? contents_of(filter_.tag->first, filter_.tag->second) : 0;
        return sizeof(*this) + contents_of(filter_.namespace_name) + tag;
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        return Answer::of<TimerFired>({.changed = remove_if_due(entry, context.set)});
    }

  private:
    bool remove_if_due(ExecutionEntry& entry, WorkingSet& set) const {
        const ExecutionRow& row = entry.row;
        auto& noted = set.side.of<RetentionRow>();
        noted.erase({row.id});
        const bool ended = row.vector.lifecycle_phase == LifecyclePhase::terminal && row.terminal_at_ms;
        if (!ended || !filter_.admits(row)) return false;
        const auto remove_at = removal_time(row, set.settings);
        if (!remove_at) return false;
        if (*remove_at > set.now_ms) {
            noted.put({.key = {row.id}, .remove_at_ms = *remove_at});
            return false;
        }
        if (row.flow_id) {
            // It goes with its flow, which may have waited for this very time.
            const FlowKey flow{row.id.partition, *row.flow_id};
            set.side.of<FlowRetentionRow>().put({.key = flow, .remove_at_ms = set.now_ms});
        } else {
            entry.change = RowChange::erase;
        }
        return true;
    }

    ExecutionFilter filter_;
};

}  // namespace

Command remove_ended(const ExecutionId& id, ExecutionFilter filter) {
    return Command::make<RemoveEndedBody>(id, std::move(filter));
}

}  // namespace flowfabric
