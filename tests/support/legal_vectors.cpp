#include "support/legal_vectors.hpp"

#include <algorithm>
#include <vector>

namespace flowfabric::test {
namespace {

using A = LifecyclePhase;
using B = OwnershipState;
using C = EligibilityState;
using D = BlockingReason;
using E = TerminalOutcome;
using F = AttemptState;
using G = PublicState;

struct Row {
    A lifecycle_phase;
    B ownership_state;
    C eligibility_state;
    std::vector<D> blocking_reasons;
    E terminal_outcome;
    std::vector<F> attempt_states;
    G public_state;
};

const std::vector<F>& pending() {
    static const std::vector<F> states{F::pending_first_attempt, F::pending_retry_attempt, F::pending_replay_attempt};
    return states;
}

const std::vector<F>& pending_or_interrupted() {
    static const std::vector<F> states{F::pending_first_attempt, F::pending_retry_attempt, F::pending_replay_attempt,
                                       F::attempt_interrupted};
    return states;
}

Row runnable(C eligibility, std::vector<D> reasons, G shown) {
    return {A::runnable, B::unowned, eligibility, std::move(reasons), E::none, pending_or_interrupted(), shown};
}

Row active(B ownership, D reason, F attempt) {
    return {A::active, ownership, C::not_applicable, {reason}, E::none, {attempt}, G::active};
}

Row terminal(E outcome, G shown) {
    return {A::terminal, B::unowned, C::not_applicable, {D::none}, outcome, {F::attempt_terminal, F::none}, shown};
}

const std::vector<Row>& table() {
    static const std::vector<Row> rows{
        {A::runnable, B::unowned, C::eligible_now, {D::waiting_for_worker}, E::none, pending(), G::waiting},
        {A::runnable,
         B::unowned,
         C::eligible_now,
         {D::waiting_for_worker},
         E::none,
         {F::attempt_interrupted},
         G::resumable},
        runnable(C::not_eligible_until_time,
                 {D::waiting_for_delay, D::waiting_for_retry_backoff, D::waiting_for_resume_delay}, G::delayed),
        runnable(C::blocked_by_dependencies, {D::waiting_for_children}, G::waiting_children),
        runnable(C::blocked_by_budget, {D::waiting_for_budget}, G::rate_limited),
        runnable(C::blocked_by_quota, {D::waiting_for_quota}, G::rate_limited),
        runnable(C::blocked_by_route, {D::waiting_for_capable_worker, D::waiting_for_locality_match}, G::waiting),
        runnable(C::blocked_by_lane_state, {D::paused_by_policy, D::paused_by_operator, D::paused_by_flow_cancel},
                 G::waiting),
        runnable(C::blocked_by_operator, {D::paused_by_policy, D::paused_by_operator, D::paused_by_flow_cancel},
                 G::waiting),
        active(B::leased, D::none, F::running_attempt),
        active(B::lease_expired_reclaimable, D::waiting_for_worker, F::attempt_interrupted),
        active(B::lease_revoked, D::waiting_for_worker, F::attempt_interrupted),
        {A::suspended,
         B::unowned,
         C::not_applicable,
         {D::waiting_for_signal, D::waiting_for_approval, D::waiting_for_callback, D::waiting_for_tool_result,
          D::paused_by_operator, D::paused_by_policy, D::paused_by_flow_cancel, D::waiting_for_budget},
         E::none,
         {F::attempt_interrupted},
         G::suspended},
        terminal(E::success, G::completed),
        terminal(E::failed, G::failed),
        terminal(E::cancelled, G::cancelled),
        terminal(E::expired, G::expired),
        terminal(E::skipped, G::skipped),
    };
    return rows;
}

bool holds(const auto& values, auto value) {
    return std::ranges::find(values, value) != values.end();
}

}  // namespace

bool is_in_table_of_legal_vectors(const StateVector& vector) {
    return std::ranges::any_of(table(), [&](const Row& row) {
        return row.lifecycle_phase == vector.lifecycle_phase && row.ownership_state == vector.ownership_state &&
               row.eligibility_state == vector.eligibility_state &&
               holds(row.blocking_reasons, vector.blocking_reason) && row.terminal_outcome == vector.terminal_outcome &&
               holds(row.attempt_states, vector.attempt_state) && row.public_state == vector.public_state;
    });
}

}  // namespace flowfabric::test
