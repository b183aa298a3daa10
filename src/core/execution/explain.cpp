#include "core/execution/explain.hpp"

#include <algorithm>

#include "core/base/names.hpp"
#include "core/flow/edge_group.hpp"
#include "core/lane/lane.hpp"

namespace flowfabric {
namespace {

std::string text(std::string_view part) {
    return std::string(part);
}

std::string worker_of(const ExecutionRow& row) {
    return row.worker_id.value_or("?") + "/" + row.worker_instance_id.value_or("?");
}

std::string claimer_of(const ExecutionRow& row) {
    std::string claimer = "a claim on lane " + row.lane_id;
    if (!row.required_capabilities.empty()) claimer += " with the capabilities " + csv_of(row.required_capabilities);
    return claimer;
}

Obstacle terminal(const ExecutionRow& row) {
    const std::string outcome = text(to_string(row.vector.terminal_outcome));
    std::string detail = "it has ended: " + outcome;
    if (row.failure_reason) detail += ", " + *row.failure_reason;
    if (row.cancellation_reason) detail += ", by " + row.cancelled_by.value_or("?") + ": " + *row.cancellation_reason;
    return {.predicate = "terminal",
            .detail = std::move(detail),
            .since_ms = row.terminal_at_ms.value_or(row.last_transition_at_ms),
            .until_ms = std::nullopt,
            .remedy = "a replay"};
}

bool is_held(const ExecutionRow& row, std::int64_t now_ms) {
    return row.vector.ownership_state == OwnershipState::leased && row.lease_expires_at_ms > now_ms;
}

Obstacle active(const ExecutionRow& row, std::int64_t now_ms) {
    if (is_held(row, now_ms)) {
        return {.predicate = "lease_held",
                .detail = "it is running: " + worker_of(row) + " holds the lease",
                .since_ms = row.lease_acquired_at_ms.value_or(row.last_transition_at_ms),
                .until_ms = row.lease_expires_at_ms,
                .remedy = "the worker completes, fails or stops renewing"};
    }
    const bool revoked = row.vector.ownership_state == OwnershipState::lease_revoked;
    return {.predicate = revoked ? "lease_revoked" : "lease_expired",
            .detail = "the lease of " + worker_of(row) + (revoked ? " was revoked" : " has lapsed"),
            .since_ms = row.reclaimable_since_ms.value_or(row.lease_expires_at_ms.value_or(row.last_transition_at_ms)),
            .until_ms = std::nullopt,
            .remedy = claimer_of(row) + ", which starts a new attempt"};
}

struct BlockText {
    std::string_view predicate;
    std::string_view detail;
    std::string_view remedy;
};

BlockText block_text(EligibilityState state) {
    switch (state) {
        case EligibilityState::blocked_by_dependencies:
            return {"dependencies", "it waits for executions that it depends on", "they end"};
        case EligibilityState::blocked_by_budget:
            return {"budget", "a budget that it is held to is spent", "the budget is reset or raised"};
        case EligibilityState::blocked_by_quota:
            return {"quota", "a quota that it is held to is used up", "the window moves on, or running work ends"};
        case EligibilityState::blocked_by_route:
            return {"route", "no registered worker can take it", "a capable worker registers or claims"};
        case EligibilityState::blocked_by_lane_state:
            return {"lane_blocked", "it was held back with its lane", "it is unblocked"};
        default:
            return {"operator", "an operator holds it back", "an operator unblocks it"};
    }
}

constexpr std::size_t named_upstream = 5;

// The group as it stands, whatever it was when the execution was blocked.
Obstacle held_by_edges(const ExecutionRow& row, const EdgeGroupRow& group, const std::vector<ExecutionId>& open) {
    const GroupPolicy policy = group_policy(group.policy);
    std::string detail = text(to_string(policy.kind));
    if (policy.kind == GroupKind::quorum) detail += " " + std::to_string(policy.k);
    detail += " of " + std::to_string(group.n) + (group.n_fixed ? "" : " or more") +
              " edges: " + std::to_string(group.success_count) + " succeeded, " +
              std::to_string(group.fail_count + group.skip_count) + " lost, " + std::to_string(group.running_count) +
              " open";
    for (std::size_t i = 0; i < open.size() && i < named_upstream; ++i) {
        detail += (i == 0 ? ", waiting for " : ", ") + open[i].to_string();
    }
    if (open.size() > named_upstream) detail += " and " + std::to_string(open.size() - named_upstream) + " more";
    const bool wants_seal = group.running_count == 0 && !group.n_fixed;
    if (wants_seal) detail += "; the flow may still get edges";
    return {.predicate = "dependencies",
            .detail = std::move(detail),
            .since_ms = row.last_transition_at_ms,
            .until_ms = std::nullopt,
            .remedy = wants_seal ? "the flow is sealed" : "they end"};
}

Obstacle blocked(const ExecutionRow& row) {
    const BlockText block = block_text(row.vector.eligibility_state);
    std::string detail = text(block.detail);
    if (row.blocking_detail) detail += ": " + *row.blocking_detail;
    return {.predicate = text(block.predicate),
            .detail = std::move(detail),
            .since_ms = row.last_transition_at_ms,
            .until_ms = std::nullopt,
            .remedy = text(block.remedy)};
}

Obstacle delayed(const ExecutionRow& row) {
    const bool retry = row.vector.blocking_reason == BlockingReason::waiting_for_retry_backoff;
    std::string detail = retry ? "it waits for its next try" : "it is put off";
    if (row.blocking_detail) detail += ": " + *row.blocking_detail;
    return {.predicate = retry ? "retry_backoff" : "delay",
            .detail = std::move(detail),
            .since_ms = row.last_transition_at_ms,
            .until_ms = row.delay_until_ms,
            .remedy = "the time comes"};
}

Obstacle suspended(const ExecutionRow& row) {
    return {.predicate = "suspended",
            .detail = "it waits: " + text(to_string(row.vector.blocking_reason)),
            .since_ms = row.last_transition_at_ms,
            .until_ms = std::nullopt,
            .remedy = "the signal that it waits for, or an operator's resume"};
}

Obstacle waiting(const ExecutionRow& row, bool behind_others) {
    return {.predicate = row.required_capabilities.empty() ? "waiting_for_worker" : "waiting_for_capable_worker",
            .detail = behind_others ? "it is ready otherwise" : "nothing holds it back",
            .since_ms = row.last_transition_at_ms,
            .until_ms = std::nullopt,
            .remedy = claimer_of(row)};
}

}  // namespace

Explanation explain(const ExecutionRow& row, const ExplainFacts& facts, std::int64_t now_ms) {
    const LaneRow& lane = facts.lane;
    Explanation explanation{.execution_id = row.id, .public_state = row.vector.public_state, .obstacles = {}};
    auto& obstacles = explanation.obstacles;
    const bool claimable = row.vector.lifecycle_phase == LifecyclePhase::runnable ||
                           (row.vector.lifecycle_phase == LifecyclePhase::active && !is_held(row, now_ms));
    if (claimable && !hands_out_work(lane.lane_state)) {
        const std::int64_t changed = lane.state_changed_at_ms.value_or(lane.registered_at_ms);
        obstacles.push_back({.predicate = "lane_" + text(to_string(lane.lane_state)),
                             .detail = "lane " + row.lane_id + " hands out no work",
                             .since_ms = std::max(changed, row.created_at_ms),
                             .until_ms = std::nullopt,
                             .remedy = "the lane is resumed"});
    }
    if (row.grant_until_ms && *row.grant_until_ms > now_ms) {
        obstacles.push_back({.predicate = "granted",
                             .detail = "it is granted to one worker",
                             .since_ms = row.last_mutation_at_ms,
                             .until_ms = row.grant_until_ms,
                             .remedy = "that worker claims it, or the grant lapses"});
    }
    switch (row.vector.lifecycle_phase) {
        case LifecyclePhase::terminal:
            obstacles.push_back(terminal(row));
            break;
        case LifecyclePhase::suspended:
            obstacles.push_back(suspended(row));
            break;
        case LifecyclePhase::active:
            obstacles.push_back(active(row, now_ms));
            break;
        case LifecyclePhase::runnable:
            if (row.vector.eligibility_state == EligibilityState::eligible_now) {
                obstacles.push_back(waiting(row, !obstacles.empty()));
            } else if (row.vector.eligibility_state == EligibilityState::not_eligible_until_time) {
                obstacles.push_back(delayed(row));
            } else if (facts.group) {
                obstacles.push_back(held_by_edges(row, *facts.group, facts.open));
            } else {
                obstacles.push_back(blocked(row));
            }
            break;
    }
    return explanation;
}

}  // namespace flowfabric
