#include "support/invariants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/budget/budget.hpp"
#include "core/execution/state_vector.hpp"
#include "core/execution/transition.hpp"
#include "core/suspension/remembered_suspend.hpp"
#include "support/complaints.hpp"
#include "support/event_log.hpp"
#include "support/flow_invariants.hpp"
#include "support/legal_vectors.hpp"

namespace flowfabric::test {
namespace {

// A reclaim was given back unstarted; the next attempt will be it.
bool owes_a_reclaim(const ExecutionRow& row) {
    return row.vector.attempt_state == AttemptState::pending_retry_attempt && row.interrupt_cause == "lease";
}

bool is_lost(const ExecutionRow& row) {
    return row.vector.ownership_state == OwnershipState::lease_expired_reclaimable ||
           row.vector.ownership_state == OwnershipState::lease_revoked;
}

void check_vector(const ExecutionRow& row, const Complaints& complaints) {
    complaints.require(row.vector.public_state == derive_public_state(row.vector),
                       "public_state is not what the other dimensions say");
    complaints.require(is_legal(row.vector) && is_in_table_of_legal_vectors(row.vector), "its vector is not legal");
}

void check_lease_columns(const ExecutionRow& row, const Complaints& complaints) {
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    const bool lost = is_lost(row);
    const bool identity = row.lease_id && row.worker_id && row.worker_instance_id;
    const bool no_identity = !row.lease_id && !row.worker_id && !row.worker_instance_id;
    const bool times = row.lease_acquired_at_ms && row.lease_expires_at_ms && row.lease_last_renewed_at_ms;
    const bool no_times = !row.lease_acquired_at_ms && !row.lease_expires_at_ms && !row.lease_last_renewed_at_ms;
    if (leased) {
        complaints.require(identity && times && row.lease_check_at_ms, "is leased and lacks lease columns");
        complaints.require(row.lease_check_at_ms <= row.lease_expires_at_ms, "its lease would be found lapsed late");
        complaints.require(row.lease_acquired_at_ms <= row.lease_last_renewed_at_ms &&
                               row.lease_last_renewed_at_ms < row.lease_expires_at_ms,
                           "its lease's times are out of order");
    } else if (lost) {
        complaints.require(identity, "lost its lease and no longer knows whose it was");
    } else if (has_open_attempt(row)) {
        complaints.require(identity && no_times, "its attempt is open and it does not know who held it last");
    } else {
        complaints.require(no_identity && no_times, "holds no lease and has lease columns");
    }
    complaints.require(row.reclaimable_since_ms.has_value() == lost, "reclaimable_since_ms does not fit its ownership");
}

// As a dump spells it, whose numbers are all doubles; held at what a store keeps.
std::optional<double> retention_in(const Json& policy) {
    boost::system::error_code absent;
    const boost::json::value parsed = boost::json::parse(policy.text);
    const auto* value = parsed.find_pointer("/stream_policy/retention_ttl_ms", absent);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return std::min(value->to_number<double>(), static_cast<double>(std::numeric_limits<std::int64_t>::max()));
}

void check_columns(const ExecutionRow& row, const Complaints& complaints) {
    const bool terminal = row.vector.lifecycle_phase == LifecyclePhase::terminal;
    const bool delayed = row.vector.eligibility_state == EligibilityState::not_eligible_until_time;
    const bool open = has_open_attempt(row);
    complaints.require(row.terminal_at_ms.has_value() == terminal, "terminal_at_ms does not fit its phase");
    complaints.require(row.delay_until_ms.has_value() == delayed || row.deps_blocked,
                       "delay_until_ms does not fit its eligibility");
    complaints.require(row.started_at_ms.has_value() == (row.total_attempt_count > 0), "started_at_ms does not fit");
    complaints.require(row.attempt_type.has_value() == open && row.attempt_started_at_ms.has_value() == open,
                       "the open attempt's columns do not fit its attempt_state");
    complaints.require(row.attempt_id || row.total_attempt_count == 0, "attempt_id does not fit");
    const bool interrupted = row.vector.attempt_state == AttemptState::attempt_interrupted;
    const bool may_resume = row.vector.attempt_state == AttemptState::running_attempt || owes_a_reclaim(row);
    complaints.require(row.interrupt_cause ? interrupted || may_resume : !interrupted,
                       "interrupt_cause does not fit its attempt_state");
    complaints.require(!row.last_release || row.vector.lifecycle_phase != LifecyclePhase::active,
                       "is active and remembers how it was given back");
    complaints.require(!row.attempt_time_left_ms || (open && !row.attempt_deadline_at_ms),
                       "has both a running and a stopped time limit");
    complaints.require(!row.attempt_deadline_at_ms || row.vector.attempt_state == AttemptState::running_attempt,
                       "attempt_deadline_at_ms without a running attempt");
    complaints.require((row.vector.attempt_state == AttemptState::none) == (terminal && row.total_attempt_count == 0),
                       "attempt_state none means terminal and never claimed");
    complaints.require(
        row.created_at_ms <= row.last_transition_at_ms && row.last_transition_at_ms <= row.last_mutation_at_ms,
        "its times are out of order");
    complaints.require(row.priority >= 0 && row.priority <= 9000, "its priority is out of range");
    complaints.require(std::ranges::is_sorted(row.required_capabilities), "its capabilities are not sorted");
    const std::optional<double> asked_for = row.policy ? retention_in(*row.policy) : std::nullopt;
    const auto kept = row.own_retention_ms ? std::optional(static_cast<double>(*row.own_retention_ms)) : std::nullopt;
    complaints.require(kept == asked_for, "own_retention_ms is not what its policy says");
}

void check_attempts(const StoredExecution& stored, const Complaints& complaints) {
    const ExecutionRow& row = stored.row;
    const bool open = has_open_attempt(row);
    const auto ended = static_cast<std::int32_t>(stored.attempts.size());
    complaints.require(ended + (open ? 1 : 0) == row.total_attempt_count,
                       std::to_string(ended) + " ended attempts of " + std::to_string(row.total_attempt_count));
    complaints.require(row.attempt_index == std::max(row.total_attempt_count - 1, 0), "attempt_index is not the last");

    std::set<AttemptId> ids;
    const bool pending = row.vector.attempt_state == AttemptState::pending_retry_attempt;
    std::int32_t retries = pending && !owes_a_reclaim(row) ? 1 : 0;
    std::int32_t reclaims = owes_a_reclaim(row) ? 1 : 0;
    const auto count = [&](AttemptType type) {
        retries += type == AttemptType::retry ? 1 : 0;
        reclaims += type == AttemptType::reclaim ? 1 : 0;
    };
    for (std::size_t i = 0; i < stored.attempts.size(); ++i) {
        const AttemptRow& attempt = stored.attempts[i];
        const Complaints about = complaints.about("attempt " + std::to_string(i));
        about.require(attempt.attempt_index == static_cast<std::int32_t>(i), "attempt indexes are not dense");
        const bool initial = attempt.attempt_type == AttemptType::initial;
        const bool replay_of_nothing = row.replay_count > 0 && attempt.attempt_type == AttemptType::replay;
        about.require(i == 0 ? initial || replay_of_nothing : !initial, "only the first is initial");
        about.require(
            attempt.previous_attempt_index == (i == 0 ? std::nullopt : std::optional(static_cast<std::int32_t>(i) - 1)),
            "does not name its predecessor");
        about.require(attempt.outcome != AttemptOutcome::started && attempt.outcome != AttemptOutcome::suspended,
                      "is in the history and open");
        const bool wins = attempt.outcome == AttemptOutcome::ended_success;
        const bool last_of_success =
            row.vector.terminal_outcome == TerminalOutcome::success && attempt.attempt_index == row.attempt_index;
        about.require(row.replay_count > 0 || wins == last_of_success, "succeeded, and the execution did not with it");
        about.require(attempt.started_at_ms <= attempt.terminal_at_ms, "ended before it started");
        about.require(attempt.lease_epoch <= row.lease_epoch, "its epoch is above the execution's");
        about.require(ids.insert(attempt.attempt_id).second, "shares its id with another");
        count(attempt.attempt_type);
    }
    if (open) {
        complaints.require(ids.insert(*row.attempt_id).second, "the open attempt has the id of an ended one");
        count(row.attempt_type.value_or(AttemptType::initial));
    }
    // What was cut short may have had one more of either ahead of it, in each of its lives.
    const bool cut_short = row.vector.terminal_outcome == TerminalOutcome::cancelled ||
                           row.vector.terminal_outcome == TerminalOutcome::expired;
    const auto fits = [&](std::int32_t stored_count, std::int32_t seen) {
        return stored_count >= seen && stored_count <= seen + row.replay_count + (cut_short ? 1 : 0);
    };
    complaints.require(row.replay_count > 0 || fits(row.retry_count, retries), "retry_count is not its retries");
    complaints.require(fits(row.lease_reclaim_count, reclaims), "lease_reclaim_count is not its reclaims");
}

void check_surroundings(const Dump& dump, const StoredExecution& stored, const Complaints& complaints) {
    const ExecutionRow& row = stored.row;
    const auto known = dump.classes.find(row.class_id);
    complaints.require(
        known != dump.classes.end() && known->second == ClassSpec{row.lane_id, row.required_capabilities},
        "its claim class is not (lane, required capabilities)");
    complaints.require(dump.of<LaneRow>().contains({row.lane_id}), "its lane is not registered");
    complaints.require(stored.input.has_value(), "its input is gone");
    std::vector<Uuid> terms;
    const auto& noted = dump.of<SearchTermRow>();
    for (auto at = noted.lower_bound({row.id, {}}); at != noted.end() && at->first.id == row.id; ++at) {
        terms.push_back(at->first.term);
        complaints.require(at->second.created_at_ms == row.created_at_ms, "a search would find it at another time");
    }
    complaints.require(terms == terms_of(row), "a search would not find it by its tags and its end");
    complaints.require(!stored.result || row.vector.terminal_outcome == TerminalOutcome::success,
                       "has a result without success");
}

// Events and idempotency keys outlive the executions that retention has removed.
Dump without_removed(Dump dump) {
    const auto removes = [](const auto& entry) { return entry.first.name.starts_with("ff.retention"); };
    if (std::ranges::none_of(dump.of<ConsumerRow>(), removes)) return dump;
    const auto& present = dump.executions;
    std::erase_if(dump.lease_events, [&](const LeaseEvent& e) { return !present.contains(e.execution_id); });
    std::erase_if(dump.completion_events, [&](const CompletionEvent& e) { return !present.contains(e.execution_id); });
    std::erase_if(dump.signal_events, [&](const SignalEvent& e) { return !present.contains(e.execution_id); });
    std::erase_if(dump.operator_events, [&](const OperatorEvent& e) {
        return e.subject_kind == SubjectKind::execution && !present.contains({e.partition_key, *e.subject_id});
    });
    std::erase_if(dump.idempotency_keys, [&](const auto& key) { return !present.contains(key.second.execution_id); });
    return dump;
}

// Suspended, with a suspension that is open; or neither. What is open is known to the execution's row.
void check_suspensions(const Dump& dump, std::vector<std::string>& violations) {
    std::map<ExecutionId, std::size_t> open_waitpoints;
    for (const auto& [key, waitpoint] : dump.of<WaitpointRow>()) {
        const Complaints complaints(violations, "waitpoint " + key.waitpoint_id.to_string());
        const bool open = waitpoint.state != WaitpointState::closed;
        if (open) ++open_waitpoints[waitpoint.owner()];
        complaints.require(open != waitpoint.closed_at_ms.has_value() && open != waitpoint.close_reason.has_value(),
                           "is open and closed");
        complaints.require((waitpoint.state == WaitpointState::pending) <= !waitpoint.suspension_id,
                           "is pending in a suspension");
    }
    for (const auto& [id, stored] : dump.executions) {
        const ExecutionRow& row = stored.row;
        const Complaints complaints(violations, id.to_string());
        const auto found = dump.of<SuspensionRow>().find({id});
        const bool open = found != dump.of<SuspensionRow>().end() && !found->second.closed_at_ms;
        const bool suspended = row.vector.lifecycle_phase == LifecyclePhase::suspended;
        complaints.require(open == suspended, "its suspension does not fit its state");
        complaints.require(row.current_suspension_id.has_value() == suspended, "names a suspension");
        complaints.require(row.has_waitpoints == (open_waitpoints[id] > 0), "does not know whether it has waitpoints");
    }
    std::map<ExecutionId, std::int32_t> signals;
    for (const auto& [key, signal] : dump.of<SignalRow>()) ++signals[key.execution_id];
    for (const auto& [id, stored] : dump.executions) {
        Complaints(violations, id.to_string())
            .require(signals[id] == stored.row.signal_count, "has had another number of signals");
    }
}

// A key stands for a suspension that is open, or that was satisfied.
void check_suspend_keys(const Dump& dump, std::vector<std::string>& violations) {
    for (const auto& [key, row] : dump.of<SuspendDedupRow>()) {
        const Complaints complaints(violations, key.execution_id.to_string() + ", key " + key.idempotency_key);
        const auto remembered = RememberedSuspend::parse(row.outcome_json);
        complaints.require(remembered.has_value(), "what it remembers is unreadable");
        if (!remembered) continue;
        complaints.require(remembered->handle.has_value() != row.satisfied_at_ms.has_value(), "is open and satisfied");
        if (row.satisfied_at_ms) continue;
        const auto current = dump.of<SuspensionRow>().find({key.execution_id});
        const bool open = current != dump.of<SuspensionRow>().end() && !current->second.closed_at_ms &&
                          current->second.suspension_id == remembered->suspension_id;
        complaints.require(open, "its suspension is neither open nor satisfied");
    }
}

void check_owners(const Dump& dump, std::vector<std::string>& violations) {
    dump.side.each([&]<class Row>(const RowsByKey<Row>& table) {
        if constexpr (OwnedRow<Row>) {
            for (const auto& [key, row] : table.rows) {
                Complaints(violations, std::string(Row::table))
                    .require(dump.executions.contains(row.owner()), "a row's execution does not exist");
            }
        }
    });
}

// Usage is never below what can be released of it: the rest was reported without an execution. Whatever stands above a
// budget is there, and knows how many stand below it.
void check_budgets(const Dump& dump, std::vector<std::string>& violations) {
    const auto& budgets = dump.of<BudgetRow>();
    std::map<BudgetKey, std::int32_t> children;
    for (const auto& [key, row] : budgets) {
        const Complaints complaints(violations, "budget " + key.budget_id.to_string());
        const auto above = ancestors_of(row);
        for (const BudgetKey& ancestor : above) {
            complaints.require(budgets.contains(ancestor) && ancestor != key, "a budget above it is missing");
        }
        if (!above.empty()) ++children[above.back()];
        const auto used = std::ranges::count_if(dump.of<BudgetUsageRow>(),
                                                [&](const auto& entry) { return entry.first.budget == key; });
        complaints.require(used == row.dimension_count, "dimension_count is wrong");
        complaints.require(row.next_reset_at_ms.has_value() == (policy_of(row).reset_interval_ms > 0),
                           "it has an interval or a next reset without the other");
    }
    for (const auto& [key, row] : budgets) {
        Complaints(violations, "budget " + key.budget_id.to_string())
            .require(children[key] == row.child_count, "child_count is wrong");
    }
    std::map<BudgetUsageKey, std::int64_t> shares;
    for (const auto& [key, share] : dump.of<BudgetShareRow>()) {
        const auto charged = budgets.find(key_of(key.budget_id));
        if (charged == budgets.end() || !is_current(share, charged->second)) continue;
        shares[{charged->first, key.dimension}] += share.delta_total;
    }
    for (const auto& [key, row] : dump.of<BudgetUsageRow>()) {
        const Complaints complaints(violations,
                                    "usage of " + key.dimension + " of " + key.budget.budget_id.to_string());
        complaints.require(budgets.contains(key.budget), "its budget does not exist");
        complaints.require(row.current_value >= shares[key], "more of it can be released than is used");
    }
}

// Nothing was charged to a strict budget beyond its hard limit.
void check_charges(const Dump& before, const Dump& after, std::vector<std::string>& violations) {
    for (const auto& [key, row] : after.of<BudgetUsageRow>()) {
        const auto budget = after.of<BudgetRow>().find(key.budget);
        const auto budget_before = before.of<BudgetRow>().find(key.budget);
        if (budget == after.of<BudgetRow>().end() || budget_before == before.of<BudgetRow>().end()) continue;
        const bool same = budget->second.incarnation == budget_before->second.incarnation &&
                          budget->second.policy_json == budget_before->second.policy_json;
        if (!same || budget->second.enforcement_mode != EnforcementMode::strict) continue;
        if (budget_before->second.enforcement_mode != EnforcementMode::strict) continue;
        const auto limits = policy_of(budget->second).hard_limits;
        const auto limit = limits.find(key.dimension);
        if (limit == limits.end() || limit->second == 0) continue;
        const auto used_before = before.of<BudgetUsageRow>().find(key);
        const std::int64_t floor =
            used_before == before.of<BudgetUsageRow>().end() ? 0 : used_before->second.current_value;
        Complaints(violations, "usage of " + key.dimension + " of " + key.budget.budget_id.to_string())
            .require(row.current_value <= floor || std::cmp_less_equal(row.current_value, limit->second),
                     "it grew beyond a hard limit");
    }
}

void check_keys(const Dump& dump, std::vector<std::string>& violations) {
    for (const auto& [key, owner] : dump.idempotency_keys) {
        const Complaints complaints(violations, "idempotency key " + key.namespace_name + "/" + key.key);
        const auto execution = dump.executions.find(owner.execution_id);
        complaints.require(execution != dump.executions.end(), "its execution does not exist");
        if (execution == dump.executions.end()) continue;
        complaints.require(execution->second.row.idempotency_key == key.key &&
                               execution->second.row.namespace_name == key.namespace_name,
                           "its execution was created under another key");
    }
}

std::int64_t count_of(const std::vector<LeaseEvent>& events, LeaseEventType type) {
    return std::ranges::count_if(events, [&](const LeaseEvent& event) { return event.event_type == type; });
}

std::int64_t count_of(const std::vector<CompletionEvent>& events, TerminalOutcome outcome) {
    return std::ranges::count_if(events, [&](const CompletionEvent& event) { return event.outcome == outcome; });
}

// What was counted as it happened is what a look at everything finds.
void check_counts(const Dump& dump, std::vector<std::string>& violations) {
    std::map<std::string, StateCounts> present;
    for (const auto& [id, stored] : dump.executions) {
        ++count_in(present[stored.row.lane_id], stored.row.vector.public_state);
    }
    LaneTotals totals;
    for (const auto& [lane_id, counts] : dump.lane_counts) {
        const Complaints complaints(violations, "counters of lane " + lane_id);
        complaints.require(counts.depth == present[lane_id], "are not the number of executions by state");
        LaneTotals::fields([&](std::string_view, auto member, auto&&...) { totals.*member += counts.totals.*member; });
    }
    for (const auto& [lane_id, counts] : present) {
        Complaints(violations, "lane " + lane_id).require(dump.lane_counts.contains(lane_id), "is not counted");
    }
    const Complaints complaints(violations, "totals of all lanes");
    if (dump.trimmed[index_of(Channel::completion)] == 0) {
        const auto& ends = dump.completion_events;
        const bool same = totals.ended_success == count_of(ends, TerminalOutcome::success) &&
                          totals.ended_failed == count_of(ends, TerminalOutcome::failed) &&
                          totals.ended_cancelled == count_of(ends, TerminalOutcome::cancelled) &&
                          totals.ended_expired == count_of(ends, TerminalOutcome::expired) &&
                          totals.ended_skipped == count_of(ends, TerminalOutcome::skipped);
        complaints.require(same, "are not the ends that were told");
    }
    if (dump.trimmed[index_of(Channel::lease)] == 0) {
        const auto reclaims = count_of(dump.lease_events, LeaseEventType::reclaimed);
        complaints.require(totals.reclaims == reclaims, "are not the reclaims that were told");
        complaints.require(totals.claimed == count_of(dump.lease_events, LeaseEventType::acquired) + reclaims,
                           "are not the leases that were told");
        complaints.require(totals.lease_expiries == count_of(dump.lease_events, LeaseEventType::expired),
                           "are not the expiries that were told");
    }
}

template <class T>
void check_log_grows(const std::vector<T>& before, const std::vector<T>& after, std::string_view log,
                     std::vector<std::string>& violations) {
    const bool prefix = before.size() <= after.size() && std::equal(before.begin(), before.end(), after.begin());
    Complaints(violations, std::string(log)).require(prefix, "events that were there changed or vanished");
}

// An end that was not dispatched may have been since.
std::vector<CompletionEvent> before_dispatch(std::vector<CompletionEvent> after,
                                             const std::vector<CompletionEvent>& before) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        if (!before[i].dispatched_at_ms) after[i].dispatched_at_ms.reset();
    }
    return after;
}

// The row with everything cleared that may change after its creation.
ExecutionRow fixed_columns_of(ExecutionRow row) {
    visit_execution_columns(row, []<class Column>(std::string_view, Column& column, ColumnUse use) {
        if (use != ColumnUse::fixed) column = Column{};
    });
    row.class_id = 0;  // renumbered in every dump
    return row;
}

void check_history(const StoredExecution& before, const StoredExecution& after, const Complaints& complaints) {
    const ExecutionRow& old_row = before.row;
    const ExecutionRow& row = after.row;
    complaints.require(fixed_columns_of(old_row) == fixed_columns_of(row),
                       "a column that is fixed at creation changed");
    complaints.require(before.attempts.size() <= after.attempts.size() &&
                           std::equal(before.attempts.begin(), before.attempts.end(), after.attempts.begin()),
                       "an ended attempt changed or vanished");
    complaints.require(old_row.lease_epoch <= row.lease_epoch, "its epoch went down");
    complaints.require(old_row.last_mutation_at_ms <= row.last_mutation_at_ms, "last_mutation_at_ms went down");
    const bool never_began = row.total_attempt_count == 0;  // all that was claimed was given back
    const bool same_start = old_row.started_at_ms == row.started_at_ms;
    complaints.require(!old_row.started_at_ms || same_start || never_began || old_row.total_attempt_count == 1,
                       "started_at_ms changed");
    complaints.require(before.input == after.input || row.flow_id, "its input changed");
    const bool was_terminal = old_row.vector.lifecycle_phase == LifecyclePhase::terminal;
    if (was_terminal && old_row.replay_count == row.replay_count) {
        complaints.require(old_row.vector == row.vector && old_row.terminal_at_ms == row.terminal_at_ms &&
                               before.result == after.result && before.attempts == after.attempts,
                           "was terminal and changed");
    }
}

}  // namespace

std::vector<std::string> violations(const Dump& dump) {
    std::vector<std::string> found;
    for (const auto& [id, stored] : dump.executions) {
        const Complaints complaints(found, id.to_string());
        check_vector(stored.row, complaints);
        check_lease_columns(stored.row, complaints);
        check_columns(stored.row, complaints);
        check_attempts(stored, complaints);
        check_surroundings(dump, stored, complaints);
    }
    check_owners(dump, found);
    check_budgets(dump, found);
    check_counts(dump, found);
    check_suspensions(dump, found);
    check_suspend_keys(dump, found);
    check_flows(dump, found);
    const Dump kept = without_removed(dump);
    check_keys(kept, found);
    check_event_log(kept, found);
    return found;
}

std::vector<std::string> violations_between(const Dump& before, const Dump& after) {
    std::vector<std::string> found;
    for (const auto& [id, stored] : before.executions) {
        const Complaints complaints(found, id.to_string());
        const auto now = after.executions.find(id);
        complaints.require(now != after.executions.end(), "vanished");
        if (now != after.executions.end()) check_history(stored, now->second, complaints);
    }
    check_log_grows(before.lease_events, after.lease_events, "lease events", found);
    check_log_grows(before.completion_events, before_dispatch(after.completion_events, before.completion_events),
                    "completion events", found);
    check_log_grows(before.signal_events, after.signal_events, "signal events", found);
    check_log_grows(before.operator_events, after.operator_events, "operator events", found);
    check_charges(before, after, found);
    const auto of_flows = flow_violations_between(before, after);
    found.insert(found.end(), of_flows.begin(), of_flows.end());
    return found;
}

void expect_invariants(const Dump& dump) {
    for (const std::string& violation : violations(dump)) ADD_FAILURE() << violation;
}

void expect_invariants(Backend& backend) {
    expect_invariants(dump(backend));
}

}  // namespace flowfabric::test
