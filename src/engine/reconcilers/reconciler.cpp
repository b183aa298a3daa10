#include "engine/reconcilers/reconciler.hpp"

#include <algorithm>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/execution/timers.hpp"
#include "core/flow/dispatch.hpp"

namespace flowfabric {
namespace {

// Leases of short jobs come due all the time; looking more often than this finds few rows per query.
constexpr SteadyMs shortest_pause_ms = 50;

constexpr unsigned strikes_allowed = 3;
constexpr std::uint64_t runs_passed_over = 10;
constexpr std::size_t many_strikes = 500;

bool tells_of_a_change(const Answer& answer) {
    if (const auto* timer = answer.get_if<TimerFired>()) return timer->changed;
    if (const auto* edges = answer.get_if<EdgesResolved>()) return edges->changed;
    if (const auto* dispatch = answer.get_if<DispatchFinished>()) return dispatch->changed;
    return false;
}

}  // namespace

std::vector<ReconcilerSpec> all_reconcilers() {
    return {lease_expiry(),       delayed_promotion(), attempt_timeout(), execution_deadline(),
            suspension_timeout(), pending_wp_expiry(), grant_sweep(),     worker_registry_ttl_sweep(),
            retention(),          retention_trimmer(), dependency(),      edge_cancel_dispatcher(),
            cancel_reconciler(),  flow_projector(),    bulk_operations(), webhook_failures(),
            budget_reset(),       stream_retention()};
}

StoreResult<Findings> find_due(StoreReader& reader, const LookArguments& arguments, const DueRows& rows,
                               Command (*command_for)(const ExecutionId& id)) {
    const auto due = reader.select_due(rows, arguments.batch, arguments.filter);
    if (!due) return due.error();
    Findings found{.now_ms = due->now_ms,
                   .commands = {},
                   .conclusion = std::nullopt,
                   .oldest_at_ms = due->oldest_at_ms,
                   .next_at_ms = due->next_at_ms,
                   .walked_to = std::nullopt,
                   .more = due->executions.size() >= arguments.batch};
    found.commands.reserve(due->executions.size());
    for (const ExecutionId& id : due->executions) found.commands.push_back(command_for(id));
    return found;
}

bool Reconciler::hurry(SteadyMs at) {
    if (at >= next_run_) return false;
    next_run_ = at;
    return true;
}

bool Reconciler::passes_over(const std::string& subject) const {
    const auto known = strikes_.find(subject);
    return known != strikes_.end() && runs_ < known->second.passed_over_until;
}

void Reconciler::strike(const std::string& subject) {
    Strikes& strikes = strikes_[subject];
    if (++strikes.in_a_row < strikes_allowed) return;
    strikes.in_a_row = 0;
    strikes.passed_over_until = runs_ + runs_passed_over + 1;
}

std::vector<Command> Reconciler::on_found(Findings found, SteadyMs now) {
    ++runs_;
    last_run_at_ms_ = found.now_ms;
    lag_ms_ = found.oldest_at_ms ? saturating_difference(found.now_ms, *found.oldest_at_ms) : 0;
    if (strikes_.size() > many_strikes) {
        std::erase_if(strikes_, [&](const auto& entry) { return entry.second.passed_over_until < runs_; });
    }
    if (!strikes_.empty()) {
        std::erase_if(found.commands, [&](const Command& command) { return passes_over(command->subject()); });
    }
    if (found.commands.empty() && found.conclusion) {
        found.commands.push_back(*std::exchange(found.conclusion, std::nullopt));
    }
    outstanding_ = found.commands.size();
    conclusion_ = std::move(found.conclusion);
    walked_to_ = found.walked_to;
    more_waiting_ = found.more;

    SteadyMs pause = spec_.interval_ms;
    if (found.next_at_ms) pause = std::min(pause, saturating_difference(*found.next_at_ms, found.now_ms));
    next_run_ = now + (found.more && outstanding_ == 0 ? 0 : std::max(pause, shortest_pause_ms));
    return std::move(found.commands);
}

void Reconciler::on_failure(const std::string& detail, SteadyMs now) {
    ++errors_;
    last_error_ = detail;
    next_run_ = now + spec_.interval_ms;
}

void Reconciler::on_answer(const std::string& subject, const Result<Answer>& answer, SteadyMs now) {
    --outstanding_;
    if (!answer) {
        ++errors_;
        last_error_ = subject + ": " + to_string(answer.error());
        more_waiting_ = false;  // the same rows would come first again: wait a turn
        conclusion_.reset();
        walked_to_.reset();
        strike(subject);
    } else {
        if (tells_of_a_change(*answer)) ++processed_;
        strikes_.erase(subject);
    }
    if (outstanding_ == 0 && (more_waiting_ || conclusion_)) next_run_ = now;
}

std::optional<Command> Reconciler::take_conclusion() {
    if (outstanding_ > 0 || !conclusion_) return std::nullopt;
    outstanding_ = 1;
    return std::exchange(conclusion_, std::nullopt);
}

ReconcilerView Reconciler::view() const {
    return {.name = std::string(spec_.name),
            .runs = runs_,
            .processed = processed_,
            .errors = errors_,
            .last_run_at_ms = last_run_at_ms_,
            .last_error = last_error_,
            .lag_ms = lag_ms_};
}

}  // namespace flowfabric
