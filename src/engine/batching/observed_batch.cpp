#include "engine/batching/observed_batch.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/flow/edge_group.hpp"
#include "core/statistics/lane_counts.hpp"
#include "flowfabric/budget.hpp"

namespace flowfabric {
namespace {

std::chrono::milliseconds between(std::int64_t since_ms, std::int64_t until_ms) {
    return std::chrono::milliseconds(std::max<std::int64_t>(until_ms - since_ms, 0));
}

class Observation {
  public:
    explicit Observation(const WorkingSet& set) : set_(set), retried_(set.retried.begin(), set.retried.end()) {
        for (const ExecutionEntry& entry : set_.executions) {
            if (entry.change != RowChange::none) entries_.emplace(entry.row.id, &entry);
        }
    }

    std::vector<ObservedLane> lanes() {
        for (LaneCountsRow& row : count_changes(set_)) {
            ObservedLane& lane = lanes_[row.lane_id];
            lane.lane_id = row.lane_id;
            lane.totals = row.counts.totals;
        }
        for (const LeaseEvent& event : set_.events.of<LeaseEvent>()) note_lease(event);
        for (const CompletionEvent& event : set_.events.of<CompletionEvent>()) note_end(event);
        for (const AttemptRow& attempt : set_.attempts) note_attempt(attempt);
        std::vector<ObservedLane> lanes;
        lanes.reserve(lanes_.size());
        for (auto& [lane_id, lane] : lanes_) lanes.push_back(std::move(lane));
        return lanes;
    }

    std::vector<ObservedAttempt> attempts() const {
        std::vector<ObservedAttempt> attempts;
        for (const AttemptRow& attempt : set_.attempts) {
            const ExecutionRow& row = entries_.at(attempt.execution_id)->row;
            if (!row.traceparent) continue;
            attempts.push_back({.execution_id = row.id,
                                .attempt_id = attempt.attempt_id,
                                .attempt_index = attempt.attempt_index,
                                .execution_kind = row.execution_kind,
                                .lane_id = row.lane_id,
                                .worker_id = attempt.worker_id,
                                .traceparent = *row.traceparent,
                                .tracestate = row.tracestate,
                                .started_at_ms = attempt.started_at_ms,
                                .ended_at_ms = attempt.terminal_at_ms,
                                .end = end_of(attempt),
                                .failure_category = attempt.failure_category});
        }
        return attempts;
    }

  private:
    ObservedLane& lane_of(const ExecutionEntry& entry) {
        ObservedLane& lane = lanes_[entry.row.lane_id];
        lane.lane_id = entry.row.lane_id;
        return lane;
    }

    // What a batch makes claimable and hands over has not waited.
    void note_lease(const LeaseEvent& event) {
        const bool opens =
            event.event_type == LeaseEventType::acquired || event.event_type == LeaseEventType::reclaimed;
        if (!opens) return;
        const ExecutionEntry& entry = *entries_.at(event.execution_id);
        const std::int64_t since = entry.loaded ? entry.loaded->last_transition_at_ms : event.occurred_at_ms;
        lane_of(entry).waited.push_back(between(since, event.occurred_at_ms));
    }

    void note_end(const CompletionEvent& event) {
        const ExecutionEntry& entry = *entries_.at(event.execution_id);
        lane_of(entry).lived.push_back(between(entry.row.created_at_ms, event.occurred_at_ms));
    }

    void note_attempt(const AttemptRow& attempt) {
        ++lane_of(*entries_.at(attempt.execution_id)).attempts[end_of(attempt)];
    }

    AttemptEnd end_of(const AttemptRow& attempt) const {
        switch (attempt.outcome) {
            case AttemptOutcome::ended_success:
                return AttemptEnd::ok;
            case AttemptOutcome::ended_cancelled:
                return AttemptEnd::cancelled;
            case AttemptOutcome::interrupted_reclaimed:
                return AttemptEnd::lost;
            case AttemptOutcome::started:
            case AttemptOutcome::suspended:
            case AttemptOutcome::ended_failure:
                break;
        }
        if (retried_.contains(attempt.execution_id)) return AttemptEnd::retry;
        return attempt.failure_category == "timeout" ? AttemptEnd::timeout : AttemptEnd::error;
    }

    const WorkingSet& set_;
    std::unordered_set<ExecutionId> retried_;
    std::unordered_map<ExecutionId, const ExecutionEntry*> entries_;
    std::map<std::string, ObservedLane> lanes_;
};

void note_groups(const WorkingSet& set, ObservedBatch& observed) {
    const auto& groups = set.side.of<EdgeGroupRow>();
    groups.each_put([&](const EdgeGroupRow& group, bool is_new) {
        if (is_new) ++observed.groups[group_policy(group.policy).kind];
    });
    set.side.of<SiblingWorkRow>().each_put([&](const SiblingWorkRow& work, bool) {
        const EdgeGroupRow* group = groups.find(work.key);
        if (group == nullptr || !group->sibling_reason) return;
        observed.sibling_cancels[*group->sibling_reason] += group->cancel_siblings_pending_members.values.size();
    });
    const auto was_sibling = [](const CompletionEvent& event) {
        return event.cancellation_cause && *event.cancellation_cause == CancellationCause::sibling;
    };
    const auto note = [](std::map<std::string, std::uint64_t>& counts, const char* name, std::uint64_t count) {
        if (count > 0) counts.emplace(name, count);
    };
    const SiblingDrains& drains = set.sibling_drains;
    note(observed.siblings, "cancelled",
         static_cast<std::uint64_t>(std::ranges::count_if(set.events.of<CompletionEvent>(), was_sibling)));
    note(observed.siblings, "already_terminal", drains.already_terminal);
    note(observed.siblings, "not_found", drains.not_found);
    note(observed.sibling_drains, "completed_drain", drains.completed);
    note(observed.sibling_drains, "sremmed_stale", drains.stale);
    note(observed.sibling_drains, "no_op", drains.unfinished);
}

void note_budgets(const BatchDecision& decision, ObservedBatch& observed) {
    for (const CommandVerdict& verdict : decision.verdicts) {
        if (verdict.verdict != Verdict::answered || !verdict.answer) continue;
        const auto* outcome = verdict.answer->get_if<UsageOutcome>();
        const auto* breach = outcome == nullptr ? nullptr : std::get_if<HardBreach>(outcome);
        if (breach != nullptr) ++observed.budget_hits[breach->dimension];
    }
}

void note_frames(const WorkingSet& set, ObservedBatch& observed) {
    for (std::size_t mode = 0; mode < set.frames.size(); ++mode) {
        if (set.frames[mode] > 0) observed.frames.emplace(static_cast<FrameMode>(mode), set.frames[mode]);
    }
}

}  // namespace

ObservedBatch observed_batch(const Batch& batch, const BatchDecision& decision, std::chrono::milliseconds took,
                             bool names_attempts) {
    ObservedBatch observed{.committed = !decision.set.empty(), .took = took};
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        const CommandVerdict& verdict = decision.verdicts[i];
        if (verdict.verdict != Verdict::answered || batch.commands[i].command->traits().name != "renew") continue;
        ++(verdict.answer ? observed.renewed : observed.not_renewed);
    }
    if (!observed.committed) return observed;
    Observation observation(decision.set);
    observed.lanes = observation.lanes();
    if (names_attempts) observed.attempts = observation.attempts();
    note_groups(decision.set, observed);
    note_budgets(decision, observed);
    note_frames(decision.set, observed);
    return observed;
}

}  // namespace flowfabric
