#include "engine/reconcilers/reconciler.hpp"

#include <algorithm>

namespace flowfabric {
namespace {

// Leases of short jobs come due all the time; looking more often than this finds few rows per query.
constexpr SteadyMs shortest_pause_ms = 50;

}  // namespace

bool Reconciler::hurry(SteadyMs at) {
    if (at >= next_run_) return false;
    next_run_ = at;
    return true;
}

std::vector<Command> Reconciler::on_due(const Due& due, SteadyMs now) {
    std::vector<Command> commands;
    commands.reserve(due.executions.size());
    for (const ExecutionId& id : due.executions) commands.push_back(spec_.command_for(id));
    outstanding_ = commands.size();
    more_waiting_ = commands.size() >= reconciler_page;

    SteadyMs pause = spec_.interval_ms;
    if (due.next_at_ms) pause = std::min(pause, *due.next_at_ms - due.now_ms);
    next_run_ = now + std::max(pause, shortest_pause_ms);
    return commands;
}

void Reconciler::on_store_error(const StoreError& error, SteadyMs now) {
    ++stats_.errors;
    stats_.last_error = error.detail;
    next_run_ = now + spec_.interval_ms;
}

void Reconciler::on_answer(const Result<Answer>& answer, SteadyMs now) {
    --outstanding_;
    if (!answer) {
        ++stats_.errors;
        stats_.last_error = to_string(answer.error());
        more_waiting_ = false;  // the same rows would come first again: wait a turn
    } else if (std::get<TimerFired>(*answer).changed) {
        ++stats_.processed;
    }
    if (outstanding_ == 0 && more_waiting_) next_run_ = now;
}

}  // namespace flowfabric
