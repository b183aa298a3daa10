#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/working_set.hpp"

namespace flowfabric {

// The new lease of a claim.
struct LeaseGrant {
    LeaseId lease_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t ttl_ms = 0;
};

// The changes that operations are made of. A decision first checks, on the row; then it calls these, and each keeps
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
    // The owner gives its lease back and the attempt stays open; `call` tells a repeat of this very request.
    void interrupt_attempt(std::string_view cause, std::string_view release_reason, std::string call);
    // The owner gives back what it has not begun: the row is as before the claim, and so is the attempt count.
    void return_unstarted();
    void resume_attempt_deadline();
    void end_attempt(AttemptOutcome outcome, std::optional<std::string> failure_reason = {},
                     std::optional<std::string> failure_category = {});

    void acquire_lease(const LeaseGrant& grant, LeaseEventType opening, std::optional<std::string> reason);
    void renew_lease(std::uint64_t ttl_ms, bool emit_event);
    void release_lease(std::string_view reason);
    void expire_lease(std::string_view reason);
    // The attempt has ended, and its lease with it.
    void end_lease_by_timeout(std::string_view reason);
    // Takes a live lease away from its owner, for the execution's end …
    void revoke_lease(std::string_view reason, std::string_view revoked_by);
    // … or for another worker to claim.
    void revoke_for_reclaim(std::string_view reason, std::string_view revoked_by);
    // Puts off the scanner's next look to the lease's present expiry.
    void rearm_lease_check();

    void set_attempt_deadline(std::optional<std::uint64_t> timeout_ms);
    void set_failure(std::string reason, std::string category);
    void delay_until(std::int64_t delay_until_ms);
    void schedule_retry(std::int64_t delay_until_ms, std::string detail);
    void count_reclaim();
    void store_result(std::optional<Bytes> result, std::optional<std::string> encoding);
    void set_cancellation(std::string reason, std::string by, CancellationCause cause);
    void set_progress(std::optional<std::uint32_t> percent, std::optional<std::string> message);
    void set_tags(const Tags& tags);

    void set_priority(std::int32_t priority);
    // From the end back into the queue.
    void replay();

    // The owner gives its lease back until the suspension ends …
    void suspend(const SuspensionId& suspension, const WaitpointId& primary, BlockingReason reason);
    // … which the row then no longer speaks of …
    void leave_suspension();
    // … and the attempt goes on, as soon as the delay is over.
    void resume_interrupted(std::uint64_t delay_ms);
    void wait_for_operator();
    // Whether any of its waitpoints is open.
    void expect_signals();
    void count_open_waitpoints();
    std::int32_t next_signal();
    void tell_signal(const SignalRow& signal);

    // Others pass it over until then.
    void grant_until(std::int64_t until_ms);
    void withdraw_grants();

    void join_flow(const FlowId& flow_id);
    // Its edges keep it from being claimed …
    void hold_for_dependencies(std::string detail);
    // … until they are satisfied …
    void release_dependencies();
    // … or never can be.
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
    void become_reclaimable(const StateVector& vector);

    void stop_timers();
    void forget_hindrances();
    void become_terminal(TerminalOutcome outcome);
    void note_retention();
    void tell_completion(TerminalOutcome outcome);

    void touch(RowChange change);
    void move_to(const StateVector& vector);
    LeaseEvent& emit(LeaseEventType type, std::uint64_t epoch, std::optional<std::string> reason);

    ExecutionEntry& entry_;
    WorkingSet& set_;
    std::int64_t now_ms_;
};

// It can be claimed at once …
bool is_waiting(const ExecutionRow& row);
// … or taken over from a worker that lost it.
bool has_lost_lease(const ExecutionRow& row);

// An attempt that was begun and has not ended, with or without a lease.
bool has_open_attempt(const ExecutionRow& row);

// The epoch of the lease that the row carries, live or lost. Losing a lease by force raises the row's epoch once more.
std::uint64_t epoch_of_last_lease(const ExecutionRow& row);

}  // namespace flowfabric
