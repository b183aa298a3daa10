#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/execution/attempt_ending.hpp"
#include "core/rows/working_set.hpp"

namespace flowfabric {

// The new lease of a claim.
struct LeaseGrant {
    LeaseId lease_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t ttl_ms = 0;
};

// The changes that operations are made of. A decision first checks, on the row, and then makes changes. Each keeps
// columns, attempt history and outboxes in step, so that no operation can change one and forget the others.
class Transition {
  public:
    Transition(ExecutionEntry& entry, WorkingSet& set);

    const ExecutionRow& row() const { return entry_.row; }
    // The batch's clock, never before what was last written to this row.
    std::int64_t now() const { return now_ms_; }
    const StoreSettings& settings() const { return set_.settings; }

    // The one way to the queue: held by dependencies, else delayed, else waiting.
    void make_runnable(AttemptState attempt, BlockingReason delay_reason);

    void open_attempt(AttemptId id, AttemptType type);
    // The owner gives its lease back and the attempt stays open. A repeat of the request is recognised by `call`.
    void interrupt_attempt(std::string_view cause, std::string_view release_reason, std::string call);
    // The owner gives back what it has not begun: the row is as before the claim, and so is the attempt count.
    void return_unstarted();
    // The time that an attempt had left when it was interrupted runs again.
    void resume_attempt_deadline();
    // Every way in which an attempt ends leads through here.
    void end_attempt(const AttemptEnding& ending, std::optional<std::string> failure_reason = {},
                     std::optional<std::string> failure_category = {});

    void acquire_lease(const LeaseGrant& grant, LeaseEventType opening, std::optional<std::string> reason);
    void renew_lease(std::uint64_t ttl_ms, bool emit_event);
    void release_lease(std::string_view reason);
    // The owner has fallen silent; another worker may reclaim the execution.
    void expire_lease(std::string_view reason);
    // A deadline has ended the attempt; its lease ends with it.
    void end_lease_by_timeout(std::string_view reason);
    // Takes a live lease away from its owner; the execution ends.
    void revoke_lease(std::string_view reason, std::string_view revoked_by);
    // Takes a live lease away from its owner; another worker may reclaim the execution.
    void revoke_for_reclaim(std::string_view reason, std::string_view revoked_by);
    // The lease was renewed: the scanner's next look is due at its present expiry.
    void rearm_lease_check();

    void set_attempt_deadline(std::optional<std::uint64_t> timeout_ms);
    void set_failure(std::string reason, std::string category);
    void delay_until(std::int64_t delay_until_ms);
    void schedule_retry(std::int64_t delay_until_ms, std::string detail);
    void count_reclaim();
    void store_result(std::optional<Bytes> result, std::optional<std::string> encoding);
    void set_cancellation(std::string reason, std::string by, CancellationCause cause);
    void set_progress(std::optional<std::uint32_t> percent, std::optional<std::string> message);
    // The attempt has put something out: its stream is open, and is loaded with the execution.
    void note_output();
    void set_tags(const Tags& tags);
    // What a new execution is found by.
    void note_terms();

    void set_priority(std::int32_t priority);
    // Takes a terminal execution back into the queue.
    void replay();

    // The owner gives its lease back until the suspension ends.
    void suspend(const SuspensionId& suspension, const WaitpointId& primary, BlockingReason reason);
    // The suspension has ended, and the row names it no more.
    void leave_suspension();
    // The interrupted attempt goes on as soon as the delay is over.
    void resume_interrupted(std::uint64_t delay_ms);
    void wait_for_operator();
    // A waitpoint is open: from now on the rows of its suspension are loaded with the execution.
    void expect_signals();
    // Notes on the row whether a waitpoint is still open.
    void count_open_waitpoints();
    std::int32_t next_signal();
    void tell_signal(const SignalRow& signal);

    // Claims without the grant pass the execution over until then.
    void grant_until(std::int64_t until_ms);
    void withdraw_grants();

    void join_flow(const FlowId& flow_id);
    // Edges that are not resolved yet keep the execution from being claimed.
    void hold_for_dependencies(std::string detail);
    // All edges are satisfied.
    void release_dependencies();
    // The edges can never be satisfied: the execution ends.
    void skip();

    void tell_operators(OperatorEventType type, Json details);

    // The list of what ends with an execution, whichever way it ends: a line for each thing that it owns. An open
    // attempt and a live lease end before, since how they end differs.
    void finish(TerminalOutcome outcome);

  private:
    // What the row still tells of a lease that has ended.
    enum class LeaseTrace : std::uint8_t {
        none,
        owner,  // the lease's id and worker, for the history of an attempt that is still open
        all,    // its times as well, while the execution waits to be reclaimed
    };
    struct LeaseEnd {
        LeaseEventType how = LeaseEventType::released;
        std::string_view reason;
        LeaseTrace trace = LeaseTrace::none;
        std::string_view revoked_by;  // empty unless it is revoked
    };

    // The list of what ends with a lease: every way in which one ends leads through here.
    void end_lease(const LeaseEnd& end);
    void tell_lease_end(const LeaseEnd& end);
    void leave_lease_trace(LeaseTrace trace);
    // Its lease is lost, as if the attempt had ended so; it does when another worker takes over.
    void become_reclaimable(const StateVector& vector, const AttemptEnding& ending);
    void end_stream(const AttemptEnding& ending);

    void stop_timers();
    void forget_hindrances();
    void become_terminal(TerminalOutcome outcome);
    void note_retention();
    void note_term(const Uuid& term);
    void forget_term(const Uuid& term);
    void tell_completion(TerminalOutcome outcome);

    void touch();
    void move_to(const StateVector& vector);
    LeaseEvent& emit(LeaseEventType type, std::uint64_t epoch, std::optional<std::string> reason);

    ExecutionEntry& entry_;
    WorkingSet& set_;
    std::int64_t now_ms_;
};

// The execution can be claimed at once.
bool is_waiting(const ExecutionRow& row);
// A worker has lost the lease: a claim can take the execution over.
bool has_lost_lease(const ExecutionRow& row);

// An attempt was begun and has not ended, with or without a lease.
bool has_open_attempt(const ExecutionRow& row);

// The epoch of the lease that the row carries, live or lost. Losing a lease by force raises the row's epoch once more.
std::uint64_t epoch_of_last_lease(const ExecutionRow& row);

}  // namespace flowfabric
