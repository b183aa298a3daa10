#include "core/flow/flow_summary.hpp"

#include "core/flow/flow_fields.hpp"

namespace flowfabric {

bool fails_flow(TerminalOutcome outcome, const std::optional<CancellationCause>& cause) {
    if (outcome == TerminalOutcome::failed || outcome == TerminalOutcome::expired) return true;
    return outcome == TerminalOutcome::cancelled && cause != CancellationCause::sibling;
}

void MemberTally::add(std::uint32_t members, PublicState state, TerminalOutcome outcome,
                      const std::optional<CancellationCause>& cause) {
    count_of(counts, state) += members;
    if (fails_flow(outcome, cause)) failing += members;
}

std::uint32_t& count_of(MemberCounts& counts, PublicState state) {
    switch (state) {
        case PublicState::delayed:
            return counts.delayed;
        case PublicState::rate_limited:
            return counts.rate_limited;
        case PublicState::waiting_children:
            return counts.waiting_children;
        case PublicState::active:
            return counts.active;
        case PublicState::suspended:
            return counts.suspended;
        case PublicState::completed:
            return counts.completed;
        case PublicState::failed:
            return counts.failed;
        case PublicState::cancelled:
            return counts.cancelled;
        case PublicState::expired:
            return counts.expired;
        case PublicState::skipped:
            return counts.skipped;
        case PublicState::waiting:
        case PublicState::resumable:
            break;
    }
    return counts.waiting;
}

FlowPhase derived_phase(const MemberTally& members) {
    const MemberCounts& counts = members.counts;
    if (counts.total() > 0 && members.live() == 0) {
        return members.failing > 0 ? FlowPhase::failed : FlowPhase::completed;
    }
    if (counts.active > 0) return FlowPhase::running;
    const bool blocked = counts.suspended + counts.delayed + counts.rate_limited + counts.waiting_children > 0;
    return blocked ? FlowPhase::blocked : FlowPhase::open;
}

FlowPhase phase_of(const FlowTally& flow) {
    switch (flow.row.public_flow_state) {
        case FlowState::completed:
            return FlowPhase::completed;
        case FlowState::failed:
            return FlowPhase::failed;
        case FlowState::cancelled:
            return FlowPhase::cancelled;
        case FlowState::open:
            break;
    }
    const FlowPhase phase = derived_phase(flow.members);
    // A sealed flow ends when the last end of a member is dispatched.
    const bool ended = phase == FlowPhase::completed || phase == FlowPhase::failed;
    return ended && flow.row.sealed ? FlowPhase::running : phase;
}

FlowStatus status_of(const FlowRow& row) {
    switch (row.public_flow_state) {
        case FlowState::completed:
            return FlowStatus::completed;
        case FlowState::failed:
            return FlowStatus::failed;
        case FlowState::cancelled:
            return FlowStatus::cancelled;
        case FlowState::open:
            break;
    }
    const bool ended = row.open_members == 0 && fields_of(row).node_count > 0;
    if (!ended) return FlowStatus::active;
    return row.failed_members > 0 ? FlowStatus::failed : FlowStatus::completed;
}

std::vector<FlowKey> countable(const std::vector<FlowRow>& flows) {
    constexpr std::int64_t members_at_once = 50'000;
    std::vector<FlowKey> keys;
    std::int64_t members = 0;
    for (const FlowRow& flow : flows) {
        members += fields_of(flow).node_count;
        if (!keys.empty() && members > members_at_once) break;
        keys.push_back(flow.key);
    }
    return keys;
}

FlowSummaryRow summary_of(const FlowKey& key, const MemberTally& members, std::int64_t counted_at_ms) {
    const auto number = [](std::uint32_t count) { return static_cast<std::int32_t>(count); };
    const MemberCounts& counts = members.counts;
    return {.key = key,
            .total_members = counts.total(),
            .sampled_members = number(counts.total()),
            .members_completed = number(counts.completed),
            .members_failed = number(counts.failed),
            .members_cancelled = number(counts.cancelled),
            .members_expired = number(counts.expired),
            .members_skipped = number(counts.skipped),
            .members_active = number(counts.active),
            .members_suspended = number(counts.suspended),
            .members_waiting = number(counts.waiting),
            .members_delayed = number(counts.delayed),
            .members_rate_limited = number(counts.rate_limited),
            .members_waiting_children = number(counts.waiting_children),
            .public_flow_state = derived_phase(members),
            .last_summary_update_at_ms = counted_at_ms};
}

FlowProjection projection_of(const FlowSummaryRow& row) {
    const auto count = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
    return {.flow_id = row.key.flow_id,
            .members = {.completed = count(row.members_completed),
                        .failed = count(row.members_failed),
                        .cancelled = count(row.members_cancelled),
                        .expired = count(row.members_expired),
                        .skipped = count(row.members_skipped),
                        .active = count(row.members_active),
                        .suspended = count(row.members_suspended),
                        .waiting = count(row.members_waiting),
                        .delayed = count(row.members_delayed),
                        .rate_limited = count(row.members_rate_limited),
                        .waiting_children = count(row.members_waiting_children)},
            .state = row.public_flow_state,
            .updated_at_ms = row.last_summary_update_at_ms};
}

}  // namespace flowfabric
