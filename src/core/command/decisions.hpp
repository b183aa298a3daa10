#pragma once

#include <optional>

#include "core/command/command.hpp"
#include "core/rows/working_set.hpp"

// What every command does to the locked rows it was given: pure functions of (rows, command, the store's time).
// An error leaves the rows as they were, except that what has lapsed is ended on the way: a lease, a grant, a pending
// waitpoint. A command is not consumed: a batch that could not commit decides it again.
namespace flowfabric {

struct DecisionContext {
    WorkingSet& set;  // carries the batch's time, takes the rows and events
    const Settings& settings;
};

// `key_owner`: the idempotency row under the command's key; `existing`: the row under its id.
struct CreateFacts {
    const IdempotencyRow* key_owner = nullptr;
    const ExecutionRow* existing = nullptr;
    LaneState lane_state = LaneState::active;
};

struct CreateDecision {
    Created answer;
    std::optional<ExecutionEntry> inserted;
};

Result<CreateDecision> decide_create(const AdmittedCreate& command, const CreateFacts& facts, DecisionContext& context);

// Takes one candidate for a claim as its n-th execution. Nothing: the candidate is not to be had.
std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context);

Result<Answer> decide(const AdmittedRenew& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedComplete& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedFail& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedProgress& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedDelay& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedRelease& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedCancel& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedTags& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedPriority& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedRevoke& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedOperatorClaim& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const ExpireLease& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const PromoteDelayed& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const TimeOutAttempt& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const ExpireExecution& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedGrant& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedRedemption& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedWaitpoint& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedWaitpointClose& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedSuspend& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedSignal& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const AdmittedResume& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const TimeOutSuspension& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const ExpireWaitpoints& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const LapseGrant& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const RemoveEnded& command, ExecutionEntry& entry, DecisionContext& context);

// What a command on a flow asks of its batch. References to rows hold until the next insert.
class BatchRows {
  public:
    virtual ~BatchRows() = default;
    virtual ExecutionEntry* find(const ExecutionId& id) = 0;
    virtual void insert(ExecutionEntry entry) = 0;
    virtual LaneState lane_state(const std::string& lane_id) const = 0;
    // The members that the batch holds, whoever asked for them or made them, and those that were only looked up.
    virtual std::vector<ExecutionEntry*> held_members(const FlowKey& flow) = 0;
    virtual const std::vector<FlowMember>& members(const FlowKey& flow) const = 0;
    virtual bool is_undispatched(std::int64_t event_id) const = 0;
};

Result<Answer> decide(const AdmittedFlow& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedGraph& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedMember& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedEdge& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedDependency& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedGroupPolicy& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedSeal& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedFlowTag& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedFlowCancel& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedMemberAck& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const FinishDispatch& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const DrainSiblings& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const DropBacklog& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedChildWait& command, ExecutionEntry& entry, DecisionContext& context);
Result<Answer> decide(const ResolveEdges& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const CancelMembers& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const AdmittedReplay& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const ProjectFlowSummary& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const RemoveFlow& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const RemoveEdges& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const RemoveMember& command, BatchRows& rows, DecisionContext& context);
Result<Answer> decide(const FinishRemoval& command, BatchRows& rows, DecisionContext& context);

// On rows of side tables, which the set carries.
Result<Answer> decide(const AdmittedLaneState& command, DecisionContext& context);
Result<Answer> decide(const AdmittedSetting& command, DecisionContext& context);
Result<Answer> decide(const AdmittedRegistration& command, DecisionContext& context);
Result<Answer> decide(const AdmittedAcknowledgement& command, DecisionContext& context);
Result<Answer> decide(const AdmittedRemoval& command, DecisionContext& context);
Result<Answer> decide(const AdmittedWorker& command, DecisionContext& context);
Result<Answer> decide(const AdmittedHeartbeat& command, DecisionContext& context);
Result<Answer> decide(const AdmittedWorkerDeath& command, DecisionContext& context);
Result<Answer> decide(const SweepWorker& command, DecisionContext& context);
Result<Answer> decide(const AdmittedKeySeed& command, DecisionContext& context);
Result<Answer> decide(const AdmittedKeyRotation& command, DecisionContext& context);
Result<Answer> decide(const AdmittedReseal& command, DecisionContext& context);

// A worker that has not been heard of for too long.
bool has_lapsed(const WorkerRow& row, std::int64_t now_ms);

// The error of a cursor whose events are gone.
EngineError cursor_expired(std::int64_t event_id, std::int64_t trimmed);

// What a lane in this state does.
bool accepts_work(LaneState state);
bool hands_out_work(LaneState state);

EngineError lane_not_accepting(const std::string& lane_id, LaneState state);

// A row that is not there: the error of the fence ladder's first step, or nothing to do for a scanner.
Result<Answer> decide_missing(const Command& command, const ExecutionId& id);
// Who shows a token is not told what exists.
Result<Answer> decide_missing_target(const AdmittedSignal& command);

}  // namespace flowfabric
