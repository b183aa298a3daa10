#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/policy.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/suspension.hpp"

// Every change that a caller can ask for, with the answer it gets. Times are milliseconds since the epoch on the
// store's clock; a caller's own clock decides nothing.
namespace flowfabric {

using Bytes = std::string;
using Tags = std::map<std::string, std::string>;

// ---- create_execution -------------------------------------------------------------------------------------------

struct Created {
    ExecutionId execution_id;  // the original's, when this is a duplicate
    bool duplicate = false;
    std::optional<PublicState> public_state;  // of a new execution; a duplicate's original is not read

    bool operator==(const Created&) const = default;
};

struct CreateExecution {
    using Answer = Created;

    std::optional<ExecutionId> execution_id;  // absent: minted on the lane's partition
    std::string namespace_name = "default";
    std::string lane_id = "default";
    std::string execution_kind;
    Bytes input_payload;
    std::optional<std::string> payload_encoding;
    std::int32_t priority = 0;  // clamped to 0..9000; 0 leaves it to the policy
    std::string creator_identity;
    std::string idempotency_key;  // empty: none
    Tags tags;
    std::optional<ExecutionPolicy> policy;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> execution_deadline_at_ms;
};

// ---- claim ------------------------------------------------------------------------------------------------------

struct ClaimedExecution {
    ExecutionId execution_id;
    Handle handle;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    AttemptId attempt_id;
    std::uint32_t attempt_index = 0;
    AttemptType attempt_type = AttemptType::initial;
    std::int64_t lease_expires_at_ms = 0;
    std::string lane_id;
    std::string execution_kind;
    std::optional<std::string> payload_encoding;
    Bytes input_payload;
    std::vector<ResumeSignal> signals;  // accepted in this run, in order, whichever attempt asked for them
    bool more_signals = false;          // and others behind them, for observe_signals

    bool operator==(const ClaimedExecution&) const = default;
};

struct Claimed {
    std::vector<ClaimedExecution> executions;  // none is not an error

    bool operator==(const Claimed&) const = default;
};

inline constexpr std::uint32_t max_claim_count = 500;

struct Claim {
    using Answer = Claimed;

    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t lease_ttl_ms = 30'000;
    std::optional<std::uint64_t> attempt_timeout_ms;  // absent: the execution's policy decides
    std::uint32_t max_count = 1;                      // at most max_claim_count
    std::uint64_t max_wait_ms = 0;                    // how long to wait for work when there is none
};

// ---- operations of a lease holder -------------------------------------------------------------------------------

struct Renewed {
    std::int64_t lease_expires_at_ms = 0;
    LeaseEpoch lease_epoch;

    bool operator==(const Renewed&) const = default;
};

struct Renew {
    using Answer = Renewed;

    LeaseRef lease;
    std::optional<std::uint64_t> lease_ttl_ms;  // absent: the handle's; required with a bare fence
};

struct Completed {
    ExecutionId execution_id;
    PublicState public_state = PublicState::completed;

    bool operator==(const Completed&) const = default;
};

struct Complete {
    using Answer = Completed;

    LeaseRef lease;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;
    Source source = Source::lease_holder;
};

struct RetryScheduled {
    std::int64_t delay_until_ms = 0;
    std::uint32_t next_attempt_index = 0;

    bool operator==(const RetryScheduled&) const = default;
};

struct TerminalFailed {
    bool operator==(const TerminalFailed&) const = default;
};

using Failed = std::variant<RetryScheduled, TerminalFailed>;

struct Fail {
    using Answer = Failed;

    LeaseRef lease;
    std::string reason;
    std::string category = "transient";  // transient, permanent, infra_crash, timeout, cancelled or your own
    Source source = Source::lease_holder;
};

struct ProgressRecorded {
    std::int64_t progress_updated_at_ms = 0;

    bool operator==(const ProgressRecorded&) const = default;
};

// Overwrites what was reported before; what is absent stays.
struct Progress {
    using Answer = ProgressRecorded;

    LeaseRef lease;
    std::optional<std::uint32_t> percent;  // 0 to 100
    std::optional<std::string> message;
};

struct Delayed {
    PublicState public_state = PublicState::delayed;  // `resumable` when the time has already come

    bool operator==(const Delayed&) const = default;
};

// Gives the lease back until then; the same attempt goes on afterwards.
struct Delay {
    using Answer = Delayed;

    LeaseRef lease;
    std::int64_t delay_until_ms = 0;
    Source source = Source::lease_holder;
};

struct Released {
    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;

    bool operator==(const Released&) const = default;
};

// Gives back work that was claimed and never started, as if it had not been claimed.
struct ReleaseUnstarted {
    using Answer = Released;

    LeaseRef lease;
};

struct Cancelled {
    ExecutionId execution_id;
    PublicState public_state = PublicState::cancelled;

    bool operator==(const Cancelled&) const = default;
};

// By the worker that holds the lease.
struct Cancel {
    using Answer = Cancelled;

    LeaseRef lease;
    std::string reason;
};

// ---- operations on an execution by others -----------------------------------------------------------------------

// By an operator or a part of the system. Only the source `lease_holder` has to prove that it holds a live lease.
struct CancelExecution {
    using Answer = Cancelled;

    Fence execution;  // the three lease fields may stay empty
    std::string reason;
    std::string source = "operator_override";  // or lease_holder, flow_cascade, system_timeout, your own text
};

struct TagsSet {
    std::uint32_t count = 0;

    bool operator==(const TagsSet&) const = default;
};

// Adds or replaces these tags, all or none.
struct SetExecutionTags {
    using Answer = TagsSet;

    ExecutionId execution_id;
    Tags tags;
};

struct PriorityChanged {
    ExecutionId execution_id;
    std::int32_t old_priority = 0;
    std::int32_t new_priority = 0;

    bool operator==(const PriorityChanged&) const = default;
};

// Of an execution that waits for a worker.
struct ChangePriority {
    using Answer = PriorityChanged;

    ExecutionId execution_id;
    std::int32_t new_priority = 0;  // clamped to 0..9000
};

struct Replayed {
    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;

    bool operator==(const Replayed&) const = default;
};

// Runs an execution that has ended once more, as a new attempt.
struct ReplayExecution {
    using Answer = Replayed;

    ExecutionId execution_id;
};

struct Revoked {
    LeaseId lease_id;
    LeaseEpoch lease_epoch;  // now in force

    bool operator==(const Revoked&) const = default;
};

struct AlreadySatisfied {
    std::string reason;

    bool operator==(const AlreadySatisfied&) const = default;
};

using Revocation = std::variant<Revoked, AlreadySatisfied>;

// Takes a live lease away from whoever holds it; the execution can be claimed again.
struct RevokeLease {
    using Answer = Revocation;

    ExecutionId execution_id;
    std::optional<LeaseId> expected_lease_id;  // absent: whichever it is
    std::string worker_instance_id;            // empty: whoever holds it
    std::string reason;
};

struct LeasedExecution {
    ExecutionId execution_id;
    Handle handle;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    AttemptId attempt_id;
    std::uint32_t attempt_index = 0;
    AttemptType attempt_type = AttemptType::initial;
    std::int64_t lease_expires_at_ms = 0;
    std::vector<ResumeSignal> signals;  // accepted in this run, in order, whichever attempt asked for them
    bool more_signals = false;          // and others behind them, for observe_signals

    bool operator==(const LeasedExecution&) const = default;
};

// An operator takes one waiting execution, whatever its lane or capabilities say.
struct IssueGrantAndClaim {
    using Answer = LeasedExecution;

    ExecutionId execution_id;
    std::uint64_t lease_ttl_ms = 30'000;
};

// ---- grants: permission for one worker to claim one execution -------------------------------------------------------

// What the worker is known by, and what it can do.
struct GrantRequest {
    ExecutionId execution_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::string lane_id = "default";
    std::vector<std::string> capabilities;
    std::uint64_t grant_ttl_ms = 5000;
    // Kept with the grant as they are.
    std::optional<std::string> capability_hash;
    std::optional<std::string> route_snapshot_json;
    std::optional<std::string> admission_summary;
};

struct ClaimGrant {
    ExecutionId execution_id;
    std::string grant_key;  // signed; whoever presents it must be the worker that it was issued to
    std::int64_t expires_at_ms = 0;
    std::string lane_id;

    bool operator==(const ClaimGrant&) const = default;
};

// Of an execution that waits for a worker. Others pass it over until the grant is redeemed or has lapsed.
struct IssueClaimGrant {
    using Answer = ClaimGrant;

    GrantRequest grant;
};

// Who redeems a grant, and the lease that it wants.
struct GrantRedemption {
    ExecutionId execution_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::optional<std::string> grant_key;  // absent: the worker's grant for this execution, if it has one
    std::uint64_t lease_ttl_ms = 30'000;
    std::optional<LeaseId> lease_id;      // absent: minted
    std::optional<AttemptId> attempt_id;  // of a new attempt; absent: minted
    std::optional<std::uint32_t> expected_attempt_index;
    std::optional<std::uint64_t> attempt_timeout_ms;
};

// Redeems a claim grant for a new attempt …
struct ClaimExecution {
    using Answer = LeasedExecution;

    GrantRedemption claim;
};

// … or to go on with one that was interrupted.
struct ClaimResumedExecution {
    using Answer = LeasedExecution;

    GrantRedemption claim;
};

// The same for whoever got the grant from a scheduler; nothing if there is no interrupted attempt to go on with any
// more.
struct ClaimFromResumeGrant {
    using Answer = std::optional<LeasedExecution>;

    ClaimGrant grant;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t lease_ttl_ms = 30'000;
};

struct NotReclaimable {
    std::string detail;

    bool operator==(const NotReclaimable&) const = default;
};

struct ReclaimCapExceeded {
    std::uint32_t reclaim_count = 0;

    bool operator==(const ReclaimCapExceeded&) const = default;
};

struct GrantNotFound {
    bool operator==(const GrantNotFound&) const = default;
};

using ReclaimGrantOutcome = std::variant<ClaimGrant, NotReclaimable, ReclaimCapExceeded>;
using ReclaimOutcome = std::variant<LeasedExecution, NotReclaimable, ReclaimCapExceeded, GrantNotFound>;

// Of an execution whose lease was lost.
struct IssueReclaimGrant {
    using Answer = ReclaimGrantOutcome;

    GrantRequest grant;
    std::optional<std::uint32_t> max_reclaim_count;  // where the execution's policy has none
};

struct ReclaimExecution {
    using Answer = ReclaimOutcome;

    GrantRedemption claim;
    std::optional<std::uint32_t> max_reclaim_count;
};

// ---- signing keys -----------------------------------------------------------------------------------------------

struct KeySeeded {
    std::string kid;
    bool already_there = false;
    bool same_secret = true;

    bool operator==(const KeySeeded&) const = default;
};

// Installs the first key. Safe to repeat at every start.
struct SeedWaitpointHmacSecret {
    using Answer = KeySeeded;

    std::string kid;
    std::string secret_hex;  // of 32 bytes
};

struct KeyRotated {
    std::optional<std::string> previous_kid;
    std::string new_kid;
    std::uint32_t gc_count = 0;  // retired keys that were removed
    bool changed = true;         // false: it was the active key already

    bool operator==(const KeyRotated&) const = default;
};

// The new key signs from now on; the old one verifies until its grace is over.
struct RotateWaitpointHmacSecret {
    using Answer = KeyRotated;

    std::string new_kid;
    std::string new_secret_hex;
    std::int64_t grace_ms = 86'400'000;
};

struct KeysResealed {
    std::uint32_t resealed = 0;  // secrets that were stored in plain until now
    std::uint32_t keys = 0;      // all there are, the sealed ones included

    bool operator==(const KeysResealed&) const = default;
};

// Seals with the engine's master key every secret that is stored in plain. Safe to repeat.
struct ResealSigningKeys {
    using Answer = KeysResealed;
};

// ---- timers -----------------------------------------------------------------------------------------------------

struct TimerFired {
    bool changed = false;  // false: it was not due, or somebody else was faster

    bool operator==(const TimerFired&) const = default;
};

// What a reconciler does when it finds this execution due. Nothing happens unless it is.
struct FireTimer {
    using Answer = TimerFired;

    ExecutionId execution_id;
    Timer timer = Timer::lease_expiry;
};

// ---- lanes ------------------------------------------------------------------------------------------------------

struct LaneChanged {
    std::string lane_id;
    std::optional<LaneState> previous;  // absent: the lane is new
    LaneState state = LaneState::active;

    bool operator==(const LaneChanged&) const = default;
};

// Holds for every claim and every creation that begins after the answer. An unknown lane is registered.
struct SetLaneState {
    using Answer = LaneChanged;

    std::string lane_id;
    LaneState state = LaneState::active;
};

// ---- settings ---------------------------------------------------------------------------------------------------

struct SettingChanged {
    std::string name;
    std::string previous;  // what held before: its value or its default
    std::string value;

    bool operator==(const SettingChanged&) const = default;
};

// Settings are the store's, for every engine on it (`Engine::list_settings` has all of them). The value holds for
// whatever begins after the answer, in every process.
struct SetSetting {
    using Answer = SettingChanged;

    std::string name;
    std::string value;  // a duration such as `7d`, `true` or `false`, a text, or JSON, as the setting's type says
};

// ---- consumers of events ----------------------------------------------------------------------------------------

// Where a consumer that is known by name stands on its channel. What it has not acknowledged is kept for it.
struct ConsumerPosition {
    Bytes cursor;
    bool registered = false;  // by this call

    bool operator==(const ConsumerPosition&) const = default;
};

// A consumer that is registered already stays where it is.
struct RegisterConsumer {
    using Answer = ConsumerPosition;

    Channel channel = Channel::completion;
    std::string consumer;
    Bytes cursor;  // of the last event that it does not want
};

// Everything up to the cursor has been dealt with. A position never goes back.
struct AcknowledgeEvents {
    using Answer = ConsumerPosition;

    Channel channel = Channel::completion;
    std::string consumer;
    Bytes cursor;
};

struct ConsumerRemoved {
    bool existed = false;

    bool operator==(const ConsumerRemoved&) const = default;
};

struct RemoveConsumer {
    using Answer = ConsumerRemoved;

    Channel channel = Channel::completion;
    std::string consumer;
};

// ---- workers ----------------------------------------------------------------------------------------------------

struct WorkerRegistered {
    bool refreshed = false;  // it was registered and alive
    std::int64_t next_expiry_ms = 0;

    bool operator==(const WorkerRegistered&) const = default;
};

// Tells others that this worker is there. Claims do not depend on it.
struct RegisterWorker {
    using Answer = WorkerRegistered;

    std::string namespace_name = "default";
    std::string worker_id;
    std::string worker_instance_id;
    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::uint64_t liveness_ttl_ms = 30'000;
};

struct NotRegistered {
    bool operator==(const NotRegistered&) const = default;
};

struct WorkerAlive {
    std::int64_t next_expiry_ms = 0;

    bool operator==(const WorkerAlive&) const = default;
};

using Heartbeat = std::variant<WorkerAlive, NotRegistered>;

struct HeartbeatWorker {
    using Answer = Heartbeat;

    std::string namespace_name = "default";
    std::string worker_instance_id;
};

struct WorkerMarkedDead {
    bool operator==(const WorkerMarkedDead&) const = default;
};

using WorkerDeath = std::variant<WorkerMarkedDead, NotRegistered>;

// Its leases stay until they expire.
struct MarkWorkerDead {
    using Answer = WorkerDeath;

    std::string namespace_name = "default";
    std::string worker_instance_id;
    std::string reason;
};

}  // namespace flowfabric
