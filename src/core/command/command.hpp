#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/command/admitted.hpp"
#include "core/execution/execution_filter.hpp"
#include "core/flow/flow_command.hpp"
#include "core/flow/flow_upkeep.hpp"
#include "core/inbox/submission.hpp"
#include "flowfabric/result.hpp"

// Commands as the engine carries them: past the front door, so that every field is within its limits, handles are
// decoded and ids are fixed. `admit` is that door.
namespace flowfabric {

struct AdmittedClaim {
    static constexpr CommandTraits traits{.name = "claim", .urgency = Urgency::claim};

    Claim claim;  // lanes and capabilities sorted, without repeats
    IdSource ids;

    std::size_t rows() const { return claim.max_count; }
};

struct AdmittedRenew {
    static constexpr CommandTraits traits{.name = "renew"};

    HeldLease lease;
    std::uint64_t lease_ttl_ms = 0;
};

struct AdmittedComplete {
    static constexpr CommandTraits traits{.name = "complete"};

    HeldLease lease;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;
};

struct AdmittedFail {
    static constexpr CommandTraits traits{.name = "fail"};

    HeldLease lease;
    std::string reason;
    std::string category;
};

struct AdmittedProgress {
    static constexpr CommandTraits traits{.name = "progress"};

    HeldLease lease;
    std::optional<std::uint32_t> percent;
    std::optional<std::string> message;
};

struct AdmittedDelay {
    static constexpr CommandTraits traits{.name = "delay"};

    HeldLease lease;
    std::int64_t delay_until_ms = 0;
};

struct AdmittedRelease {
    static constexpr CommandTraits traits{.name = "release_unstarted"};

    HeldLease lease;
};

struct AdmittedCancel {
    static constexpr CommandTraits traits{.name = "cancel_execution"};

    HeldLease lease;  // proof of ownership where the source is the lease's holder
    std::string reason;
    std::string source;
    bool by_worker = false;  // called as a lease operation
};

struct AdmittedTags {
    static constexpr CommandTraits traits{.name = "set_execution_tags", .urgency = Urgency::bulk};

    ExecutionId execution_id;
    Tags tags;
};

struct AdmittedPriority {
    static constexpr CommandTraits traits{.name = "change_priority"};

    ExecutionId execution_id;
    std::int32_t new_priority = 0;
};

struct AdmittedRevoke {
    static constexpr CommandTraits traits{.name = "revoke_lease"};

    ExecutionId execution_id;
    std::optional<LeaseId> expected_lease_id;
    std::string worker_instance_id;
    std::string reason;
};

struct AdmittedOperatorClaim {
    static constexpr CommandTraits traits{.name = "issue_grant_and_claim"};

    ExecutionId execution_id;
    std::uint64_t lease_ttl_ms = 0;
    IdSource ids;

    const ExecutionId& takes() const { return execution_id; }
};

struct AdmittedLaneState {
    static constexpr CommandTraits traits{.name = "set_lane_state", .urgency = Urgency::bulk};

    std::string lane_id;
    LaneState state = LaneState::active;

    void needs(SideRowsWanted& wanted) const { wanted.of<LaneRow>().keys.push_back({lane_id}); }
};

struct AdmittedSetting {
    static constexpr CommandTraits traits{.name = "set_setting", .urgency = Urgency::bulk};

    std::string name;
    std::string value;  // in its normal form

    void needs(SideRowsWanted& wanted) const { wanted.of<SettingRow>().keys.push_back({name}); }
};

struct AdmittedRegistration {
    static constexpr CommandTraits traits{.name = "register_consumer", .urgency = Urgency::bulk};

    ConsumerKey consumer;
    std::int64_t event_id = 0;

    void needs(SideRowsWanted& wanted) const { wanted.of<ConsumerRow>().keys.push_back(consumer); }
};

struct AdmittedAcknowledgement {
    static constexpr CommandTraits traits{.name = "acknowledge_events", .urgency = Urgency::bulk};

    ConsumerKey consumer;
    std::int64_t event_id = 0;

    void needs(SideRowsWanted& wanted) const { wanted.of<ConsumerRow>().keys.push_back(consumer); }
};

struct AdmittedRemoval {
    static constexpr CommandTraits traits{.name = "remove_consumer", .urgency = Urgency::bulk};

    ConsumerKey consumer;

    void needs(SideRowsWanted& wanted) const { wanted.of<ConsumerRow>().keys.push_back(consumer); }
};

struct AdmittedWorker {
    static constexpr CommandTraits traits{.name = "register_worker", .urgency = Urgency::bulk};

    WorkerRow row;  // all but its times

    void needs(SideRowsWanted& wanted) const { wanted.of<WorkerRow>().keys.push_back(row.key); }
};

struct AdmittedHeartbeat {
    static constexpr CommandTraits traits{.name = "heartbeat_worker"};

    WorkerKey worker;

    void needs(SideRowsWanted& wanted) const { wanted.of<WorkerRow>().keys.push_back(worker); }
};

struct AdmittedWorkerDeath {
    static constexpr CommandTraits traits{.name = "mark_worker_dead"};

    WorkerKey worker;
    std::string reason;

    void needs(SideRowsWanted& wanted) const { wanted.of<WorkerRow>().keys.push_back(worker); }
};

struct SweepWorker {
    static constexpr CommandTraits traits{.name = "sweep_worker", .urgency = Urgency::bulk, .by_timer = true};

    WorkerKey worker;

    void needs(SideRowsWanted& wanted) const { wanted.of<WorkerRow>().keys.push_back(worker); }
};

struct AdmittedGrant {
    static constexpr CommandTraits traits{.name = "issue_grant"};

    ExecutionId execution_id;
    GrantKind kind = GrantKind::claim;
    GrantRequest request;  // capabilities sorted, without repeats
    std::optional<std::uint32_t> max_reclaim_count;

    void needs(SideRowsWanted& wanted) const { wanted.of<SigningKeyRow>().all = true; }
};

// How a grant is redeemed.
enum class GrantUse : std::uint8_t {
    fresh_attempt,
    resumed_attempt,
    resumed_attempt_if_any,  // without one the answer is nothing
    reclaim,
};

struct AdmittedRedemption {
    static constexpr CommandTraits traits{.name = "claim_execution", .urgency = Urgency::claim};

    ExecutionId execution_id;
    GrantUse use = GrantUse::fresh_attempt;
    GrantRedemption claim;  // with its ids
    std::optional<std::uint32_t> max_reclaim_count;

    const ExecutionId& takes() const { return execution_id; }
    void needs(SideRowsWanted& wanted) const { wanted.of<SigningKeyRow>().all = true; }
};

struct AdmittedKeySeed {
    static constexpr CommandTraits traits{.name = "seed_waitpoint_hmac_secret", .urgency = Urgency::bulk};

    SigningKey signing_key;
    Binary stored;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<SigningKeyRow>().all = wanted.of<SigningKeyRow>().alone = true;
    }
};

struct AdmittedKeyRotation {
    static constexpr CommandTraits traits{.name = "rotate_waitpoint_hmac_secret", .urgency = Urgency::bulk};

    SigningKey signing_key;
    Binary stored;
    std::int64_t grace_ms = 0;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<SigningKeyRow>().all = wanted.of<SigningKeyRow>().alone = true;
    }
};

struct AdmittedReseal {
    static constexpr CommandTraits traits{.name = "reseal_signing_keys", .urgency = Urgency::bulk};

    IdSource ids;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<SigningKeyRow>().all = wanted.of<SigningKeyRow>().alone = true;
    }
};

struct AdmittedWaitpoint {
    static constexpr CommandTraits traits{.name = "create_waitpoint"};

    HeldLease lease;
    WaitpointId waitpoint_id;
    std::string waitpoint_key;
    std::uint64_t expires_in_ms = 0;

    void needs(SideRowsWanted& wanted) const { wanted.of<SigningKeyRow>().all = true; }
};

struct AdmittedWaitpointClose {
    static constexpr CommandTraits traits{.name = "close_waitpoint"};

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    WaitpointCloseReason reason = WaitpointCloseReason::proactive_close;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<WaitpointRow>().keys.push_back({execution_id.partition, waitpoint_id});
    }
};

struct AdmittedSuspend {
    static constexpr CommandTraits traits{.name = "suspend"};

    HeldLease lease;
    SuspensionId suspension_id;
    std::vector<WaitpointBinding> waitpoints;  // all with their ids
    std::vector<WaitpointId> named;            // those of them that the caller chose, so that they may exist
    ResumeCondition resume_condition;
    ResumePolicy resume_policy;
    SuspensionReason reason_code = SuspensionReason::waiting_for_signal;
    SuspensionRequester requested_by = SuspensionRequester::worker;
    std::optional<std::int64_t> timeout_at_ms;
    std::optional<TimeoutBehavior> timeout_behavior;
    std::optional<std::string> continuation_pointer;
    std::string idempotency_key;
    std::vector<std::int32_t> recalled;  // seqs of the signals that its answer may carry

    void widen(const MoreRows& more) { recalled = more.signals; }
    void needs(SideRowsWanted& wanted) const;
};

struct AdmittedSignal {
    static constexpr CommandTraits traits{.name = "deliver_signal"};

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    std::string token;
    bool by_operator = false;  // who needs no token
    std::string lane_id;       // by an operator
    SignalId signal_id;
    std::string signal_name;
    std::string signal_category;
    std::string source_type;
    std::string source_identity;
    std::optional<Bytes> payload;
    std::string payload_encoding;
    std::optional<std::string> correlation_id;
    std::string idempotency_key;
    SignalScope target_scope = SignalScope::waitpoint;
    std::optional<std::int64_t> created_at_ms;
    std::uint64_t dedup_ttl_ms = 0;
    std::optional<std::uint64_t> resume_delay_ms;
    std::optional<std::uint32_t> max_signals;
    std::optional<EngineError> refused;  // what is wrong with it, told only to whom the token admits

    bool remembers() const { return !idempotency_key.empty() && dedup_ttl_ms > 0; }
    void needs(SideRowsWanted& wanted) const;
};

struct AdmittedResume {
    static constexpr CommandTraits traits{.name = "resume_execution"};

    ExecutionId execution_id;
    ResumeTrigger trigger = ResumeTrigger::operator_request;
    std::uint64_t resume_delay_ms = 0;
};

// What the scanners ask for; all are no-ops unless the row, once locked, is still due.
struct ExpireLease {
    static constexpr CommandTraits traits{.name = "expire_lease", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

struct PromoteDelayed {
    static constexpr CommandTraits traits{.name = "promote_delayed", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

struct TimeOutAttempt {
    static constexpr CommandTraits traits{.name = "time_out_attempt", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

struct ExpireExecution {
    static constexpr CommandTraits traits{.name = "expire_execution", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

struct LapseGrant {
    static constexpr CommandTraits traits{.name = "lapse_grant", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;

    // A claim that passed a lapsed grant has left no trace of it on the execution.
    void needs(SideRowsWanted& wanted) const { wanted.of<GrantRow>().owners.push_back(execution_id); }
};

struct TimeOutSuspension {
    static constexpr CommandTraits traits{.name = "time_out_suspension", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

struct ExpireWaitpoints {
    static constexpr CommandTraits traits{.name = "expire_waitpoints", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
};

// Removes an ended execution whose time has come, or notes when it will have.
struct RemoveEnded {
    static constexpr CommandTraits traits{.name = "remove_ended", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
    ExecutionFilter filter;
};

using CommandKinds =
    std::variant<AdmittedCreate, AdmittedClaim, AdmittedRenew, AdmittedComplete, AdmittedFail, AdmittedProgress,
                 AdmittedDelay, AdmittedRelease, AdmittedCancel, AdmittedTags, AdmittedPriority, AdmittedReplay,
                 AdmittedRevoke, AdmittedOperatorClaim, AdmittedLaneState, AdmittedSetting, AdmittedRegistration,
                 AdmittedAcknowledgement, AdmittedRemoval, ExpireLease, PromoteDelayed, TimeOutAttempt, ExpireExecution,
                 LapseGrant, RemoveEnded, AdmittedWorker, AdmittedHeartbeat, AdmittedWorkerDeath, SweepWorker,
                 AdmittedGrant, AdmittedRedemption, AdmittedKeySeed, AdmittedKeyRotation, AdmittedReseal,
                 AdmittedWaitpoint, AdmittedWaitpointClose, AdmittedSuspend, AdmittedSignal, AdmittedResume,
                 TimeOutSuspension, ExpireWaitpoints, AdmittedFlow, AdmittedGraph, AdmittedMember, AdmittedEdge,
                 AdmittedDependency, AdmittedGroupPolicy, AdmittedSeal, AdmittedFlowTag, AdmittedFlowCancel,
                 AdmittedMemberAck, AdmittedChildWait, ResolveEdges, FinishDispatch, DrainSiblings, CancelMembers,
                 DropBacklog, ProjectFlowSummary, RemoveFlow, RemoveEdges, RemoveMember, FinishRemoval>;

// Copied, moved and destroyed in one file: to compile that for sixty kinds takes seconds, and most files would do it.
template <class Kinds>
struct CompiledOnce : Kinds {
    using Kinds::Kinds;
    CompiledOnce(const CompiledOnce& other);
    CompiledOnce(CompiledOnce&& other) noexcept;
    CompiledOnce& operator=(const CompiledOnce& other);
    CompiledOnce& operator=(CompiledOnce&& other) noexcept;
    ~CompiledOnce();
};

extern template struct CompiledOnce<CommandKinds>;
struct Command : CompiledOnce<CommandKinds> {
    using CompiledOnce::CompiledOnce;
};

using AnswerKinds =
    std::variant<Created, Claimed, Renewed, Completed, Failed, ProgressRecorded, Delayed, Released, Cancelled, TagsSet,
                 PriorityChanged, Replayed, Revocation, LeasedExecution, LaneChanged, SettingChanged, ConsumerPosition,
                 ConsumerRemoved, TimerFired, WorkerRegistered, Heartbeat, WorkerDeath, ClaimGrant, ReclaimGrantOutcome,
                 ReclaimOutcome, std::optional<LeasedExecution>, KeySeeded, KeyRotated, KeysResealed, PendingWaitpoint,
                 WaitpointClosed, SuspendOutcome, SignalOutcome, Resumed, FlowCreated, FlowSubmitted, MemberAdded,
                 EdgeStaged, DependencyApplied, GroupPolicySet, FlowSealed, FlowTagSet, FlowCancelled,
                 MemberAcknowledged, WaitingChildren, EdgesResolved, DispatchFinished, MoreRows>;

extern template struct CompiledOnce<AnswerKinds>;
struct Answer : CompiledOnce<AnswerKinds> {
    using CompiledOnce::CompiledOnce;
};

Result<Command> admit(CreateExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Claim command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Renew command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Complete command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Fail command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Progress command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const Delay& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const ReleaseUnstarted& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Cancel command, const Settings& settings, const IdSource& ids);
Result<Command> admit(CancelExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(SetExecutionTags command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ChangePriority command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ReplayExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(RevokeLease command, const Settings& settings, const IdSource& ids);
Result<Command> admit(IssueGrantAndClaim command, const Settings& settings, const IdSource& ids);
Result<Command> admit(FireTimer command, const Settings& settings, const IdSource& ids);
Result<Command> admit(SetLaneState command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const SetSetting& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(RegisterConsumer command, const Settings& settings, const IdSource& ids);
Result<Command> admit(AcknowledgeEvents command, const Settings& settings, const IdSource& ids);
Result<Command> admit(RemoveConsumer command, const Settings& settings, const IdSource& ids);
Result<Command> admit(RegisterWorker command, const Settings& settings, const IdSource& ids);
Result<Command> admit(HeartbeatWorker command, const Settings& settings, const IdSource& ids);
Result<Command> admit(MarkWorkerDead command, const Settings& settings, const IdSource& ids);
Result<Command> admit(IssueClaimGrant command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ClaimExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ClaimResumedExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ClaimFromResumeGrant command, const Settings& settings, const IdSource& ids);
Result<Command> admit(IssueReclaimGrant command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ReclaimExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(CreateWaitpoint command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const CloseWaitpoint& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Suspend command, const Settings& settings, const IdSource& ids);
Result<Command> admit(DeliverSignal command, const Settings& settings, const IdSource& ids);
Result<Command> admit(DeliverApprovalSignal command, const Settings& settings, const IdSource& ids);
Result<Command> admit(ResumeExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const SeedWaitpointHmacSecret& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const RotateWaitpointHmacSecret& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const ResealSigningKeys& command, const Settings& settings, const IdSource& ids);

Result<Command> admit(CreateFlow command, const Settings& settings, const IdSource& ids);
Result<Command> admit(SubmitFlow command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const AddExecutionToFlow& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(StageDependencyEdge command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const ApplyDependencyToChild& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const SetEdgeGroupPolicy& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const SealFlow& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(SetFlowTag command, const Settings& settings, const IdSource& ids);
Result<Command> admit(CancelFlow command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const AckCancelMember& command, const Settings& settings, const IdSource& ids);
Result<Command> admit(const WaitChildren& command, const Settings& settings, const IdSource& ids);

// A submission always becomes an execution: what the front door refuses, a failed one.
Command admit_submission(const Submission& submission, const Settings& settings);

// What the timer's reconciler asks for.
Command command_of(Timer timer, const ExecutionId& id);

// The execution that a command is about; a claim finds its own, lanes and consumers are none.
std::optional<ExecutionId> subject_of(const Command& command);

// Every execution that a command needs locked.
template <class Visit>
void each_execution(const Command& command, Visit&& visit) {
    if (const auto subject = subject_of(command)) visit(*subject);
    std::visit(
        [&](const auto& c) {
            if constexpr (requires { c.each_execution(visit); }) c.each_execution(visit);
        },
        command);
}

// Every execution that it creates, if nothing speaks against it.
template <class AnyCommand, class Visit>
void each_create(AnyCommand& command, Visit&& visit) {
    if (auto* create = std::get_if<AdmittedCreate>(&command)) visit(*create);
    if (auto* graph = std::get_if<AdmittedGraph>(&command)) {
        for (auto& member : graph->members) visit(member);
    }
}
const CommandTraits& traits_of(const Command& command);

// The same command, to be decided again with more rows.
void widen(Command& command, const MoreRows& more);

}  // namespace flowfabric
