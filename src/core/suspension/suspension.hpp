#pragma once

#include <span>
#include <vector>

#include "core/command/command.hpp"
#include "core/execution/transition.hpp"
#include "core/suspension/condition.hpp"

// What suspending, signals and time do to an execution's waitpoints. The execution's row is locked, its open
// waitpoints, their signals and its suspension are in the working set.
namespace flowfabric {

// What reconcilers ask for; no-ops unless the execution, once locked, is still due.
Command time_out_suspension(const ExecutionId& id);
Command expire_waitpoints(const ExecutionId& id);

EngineError refusal(ErrorKind kind, std::string detail);

// The suspension that is under way, if there is one.
const SuspensionRow* open_suspension(const WorkingSet& set, const ExecutionRow& row);

std::vector<WaitpointRow> waitpoints_in(WaitpointState state, const WorkingSet& set, const ExecutionId& id);
bool has_lapsed(const WaitpointRow& waitpoint, std::int64_t now_ms);

// What the execution's suspension has received, in the order of acceptance: all that counts but what is kept for
// waitpoints of a later one.
struct CountingSignals {
    std::vector<std::int32_t> seqs;
    std::vector<SignalFacts> facts;

    // The seqs of those that brought the condition nearer.
    std::vector<std::int32_t> satisfiers(const Evaluation& evaluation) const;
};
CountingSignals counting_signals(const WorkingSet& set, const ExecutionRow& row);
// What these waitpoints, still pending or new, have kept for the suspension that is about to bind them.
CountingSignals kept_signals(std::span<const WaitpointRow> waitpoints, const WorkingSet& set, const ExecutionRow& row);

// It takes no more signals. What was kept for a suspension that never came counts no more.
void close_waitpoint(WorkingSet& set, WaitpointRow waitpoint, WaitpointCloseReason reason, std::int64_t now_ms);

// How a suspension ended.
struct SuspensionEnd {
    WaitpointCloseReason reason = WaitpointCloseReason::resumed;
    std::optional<SignalId> closer;
    std::vector<std::int32_t> satisfiers;  // seqs
    // What it waited for has come: its idempotency key is answered so for the rest of this run.
    bool satisfied = false;
};

// Ends the suspension and its waitpoints; others that the execution has stay open.
void close_suspension(Transition& transition, WorkingSet& set, const SuspensionEnd& end);

// The execution has ended, and with it all that waits for signals.
void close_open_waitpoints(Transition& transition, WorkingSet& set, TerminalOutcome outcome);

// Back into the queue, to go on with the interrupted attempt.
void resume(Transition& transition, WorkingSet& set, const SuspensionEnd& end, std::uint64_t delay_ms);

// The json of a list of seqs, and back.
Json seqs_json(std::span<const std::int32_t> seqs);
std::vector<std::int32_t> seqs_of(const Json& json);

// The resume condition as it is stored; an error if that is damaged.
Result<ResumeCondition> condition_of(const SuspensionRow& suspension);

Json json_of(const ResumePolicy& policy);
ResumePolicy resume_policy_of(const Json& json);

}  // namespace flowfabric
