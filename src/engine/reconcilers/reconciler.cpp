#include "engine/reconcilers/reconciler.hpp"

#include <algorithm>

namespace flowfabric {
namespace {

// Leases of short jobs come due all the time; looking more often than this finds few rows per query.
constexpr SteadyMs shortest_pause_ms = 50;

constexpr unsigned strikes_allowed = 3;
constexpr std::uint64_t runs_passed_over = 10;
constexpr std::size_t many_strikes = 500;

}  // namespace

std::vector<ReconcilerSpec> all_reconcilers() {
    return {lease_expiry(), delayed_promotion(), attempt_timeout(), execution_deadline()};
}

bool Reconciler::hurry(SteadyMs at) {
    if (at >= next_run_) return false;
    next_run_ = at;
    return true;
}

bool Reconciler::passes_over(const ExecutionId& id) const {
    const auto known = strikes_.find(id);
    return known != strikes_.end() && runs_ < known->second.passed_over_until;
}

void Reconciler::strike(const ExecutionId& id) {
    Strikes& strikes = strikes_[id];
    if (++strikes.in_a_row < strikes_allowed) return;
    strikes.in_a_row = 0;
    strikes.passed_over_until = runs_ + runs_passed_over + 1;
}

std::vector<Command> Reconciler::on_due(const Due& due, SteadyMs now) {
    ++runs_;
    last_run_at_ms_ = due.now_ms;
    lag_ms_ = due.oldest_at_ms ? due.now_ms - *due.oldest_at_ms : 0;
    if (strikes_.size() > many_strikes) {
        std::erase_if(strikes_, [&](const auto& entry) { return entry.second.passed_over_until < runs_; });
    }
    std::vector<Command> commands;
    commands.reserve(due.executions.size());
    for (const ExecutionId& id : due.executions) {
        if (!passes_over(id)) commands.push_back(command_of(spec_.timer, id));
    }
    outstanding_ = commands.size();
    more_waiting_ = due.executions.size() >= spec_.batch;

    SteadyMs pause = spec_.interval_ms;
    if (due.next_at_ms) pause = std::min(pause, *due.next_at_ms - due.now_ms);
    next_run_ = now + std::max(pause, shortest_pause_ms);
    return commands;
}

void Reconciler::on_failure(const std::string& detail, SteadyMs now) {
    ++errors_;
    last_error_ = detail;
    next_run_ = now + spec_.interval_ms;
}

void Reconciler::on_answer(const ExecutionId& id, const Result<Answer>& answer, SteadyMs now) {
    --outstanding_;
    if (!answer) {
        ++errors_;
        last_error_ = id.to_string() + ": " + to_string(answer.error());
        more_waiting_ = false;  // the same rows would come first again: wait a turn
        strike(id);
    } else {
        if (std::get<TimerFired>(*answer).changed) ++processed_;
        strikes_.erase(id);
    }
    if (outstanding_ == 0 && more_waiting_) next_run_ = now;
}

ReconcilerView Reconciler::view() const {
    return {.name = std::string(spec_.name()),
            .runs = runs_,
            .processed = processed_,
            .errors = errors_,
            .last_run_at_ms = last_run_at_ms_,
            .last_error = last_error_,
            .lag_ms = lag_ms_};
}

}  // namespace flowfabric
