#include "support/refusals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/batching/decide_batch.hpp"

namespace flowfabric::test {
namespace {

bool is_refused(const CommandVerdict& verdict) {
    return verdict.verdict == Verdict::answered && !verdict.answer;
}

// Positions in selections follow the commands that stay.
Batch without_refused(const Batch& batch, const std::vector<CommandVerdict>& verdicts) {
    Batch rest = batch;
    rest.commands.clear();
    std::vector<std::size_t> moved_to(batch.commands.size());
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        moved_to[i] = rest.commands.size();
        if (!is_refused(verdicts[i])) rest.commands.push_back(batch.commands[i]);
    }
    for (SelectionUse& use : rest.selections) {
        std::erase_if(use.commands, [&](std::size_t position) { return is_refused(verdicts[position]); });
        for (std::size_t& position : use.commands) position = moved_to[position];
    }
    return rest;
}

bool ended_what_had_lapsed(const Batch& batch, const BatchDecision& decision) {
    std::set<ExecutionId> named;
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        if (!is_refused(decision.verdicts[i])) continue;
        if (ends_what_has_lapsed(decision.verdicts[i].answer.error())) return true;
        const auto executions = batch.commands[i].command->executions();
        named.insert(executions.begin(), executions.end());
    }
    return std::ranges::any_of(decision.set.events.of<LeaseEvent>(), [&](const LeaseEvent& event) {
        return event.event_type == LeaseEventType::expired && named.contains(event.execution_id);
    });
}

bool same_entry(const ExecutionEntry& one, const ExecutionEntry& other) {
    return one.row == other.row && one.change == other.change && one.input == other.input &&
           one.result == other.result && one.clear_result == other.clear_result;
}

// What of two working sets differs.
std::string difference(const WorkingSet& one, const WorkingSet& other) {
    std::string parts;
    const auto require = [&](bool same, std::string_view part) {
        if (!same) parts.append(parts.empty() ? "" : ", ").append(part);
    };
    require(std::ranges::equal(one.executions, other.executions, same_entry), "executions");
    require(one.idempotency == other.idempotency, "idempotency keys");
    require(one.attempts == other.attempts, "attempts");
    require(one.events == other.events, "events");
    require(one.submissions == other.submissions, "submissions");
    require(one.dispatched == other.dispatched, "dispatched events");
    require(one.input_copies == other.input_copies, "input copies");
    require(one.work_available == other.work_available, "work_available");
    one.side.each([&]<class Row>(const RowTable<Row>& table) {
        const auto& its = other.side.of<Row>();
        require(table.rows() == its.rows() && table.puts() == its.puts() && table.erased() == its.erased(), Row::table);
    });
    return parts;
}

}  // namespace

BatchDecision decide_watching_refusals(const Batch& batch, Loaded loaded, const Settings& settings) {
    Loaded again = loaded;
    BatchDecision decision = decide_batch(batch, std::move(loaded), settings);
    if (std::ranges::none_of(decision.verdicts, is_refused) || ended_what_had_lapsed(batch, decision)) return decision;
    const BatchDecision rest = decide_batch(without_refused(batch, decision.verdicts), std::move(again), settings);
    const std::string changed = difference(decision.set, rest.set);
    if (changed.empty()) return decision;
    std::string refused;
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        if (!is_refused(decision.verdicts[i])) continue;
        refused.append(batch.commands[i].command->traits().name)
            .append(" (")
            .append(to_string(decision.verdicts[i].answer.error()))
            .append(") ");
    }
    ADD_FAILURE() << "refused commands changed " << changed << ": " << refused;
    return decision;
}

}  // namespace flowfabric::test
