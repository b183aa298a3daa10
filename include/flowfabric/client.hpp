#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/operations.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// The interface through which programs and workers use FlowFabric, wherever the engine runs; `Engine` implements it in
// the caller's own process. Members may be called from any thread. A completion is called exactly once, and only after
// the commit that contains its answer.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    // Returns at once. The completion runs on the client's executor.
    template <CommandType C>
    void submit(C command, Completion<C> completion);

    // Returns at once. The completion bypasses the executor: it runs on the thread that has the answer, possibly the
    // calling one before this call returns. It holds up the client meanwhile, so it may only pass the answer on; it
    // must neither wait nor call this client.
    template <CommandType C>
    void submit_past_executor(C command, Completion<C> completion);

    // Submits and waits for the answer.
    template <CommandType C>
    Result<typename C::Answer> call(C command);

    // Submits all commands and waits for all answers, which come in the order of the commands. Each command succeeds or
    // fails on its own.
    template <CommandType C>
    std::vector<Result<typename C::Answer>> run_all(std::vector<C> commands);

    template <QueryType Q>
    Result<typename Q::Answer> read(Q query);

    // ---- commands: `call` by name -------------------------------------------------------------------------------

    Result<Created> create_execution(CreateExecution command);
    Result<Claimed> claim(Claim command);
    Result<Renewed> renew(Renew command);
    Result<ProgressRecorded> progress(Progress command);
    Result<Completed> complete(Complete command);
    Result<Failed> fail(Fail command);
    Result<Delayed> delay(Delay command);
    Result<Released> release_unstarted(ReleaseUnstarted command);
    Result<Cancelled> cancel(Cancel command);
    Result<Cancelled> cancel_execution(CancelExecution command);
    Result<TagsSet> set_execution_tags(SetExecutionTags command);
    Result<PriorityChanged> change_priority(ChangePriority command);
    Result<Replayed> replay_execution(ReplayExecution command);
    Result<Purged> purge_execution(PurgeExecution command);
    Result<Revocation> revoke_lease(RevokeLease command);
    Result<LeasedExecution> issue_grant_and_claim(IssueGrantAndClaim command);
    Result<TimerFired> fire_timer(FireTimer command);
    Result<LaneChanged> set_lane_state(SetLaneState command);
    Result<SettingChanged> set_setting(SetSetting command);
    Result<ConsumerPosition> register_consumer(RegisterConsumer command);
    Result<ConsumerPosition> acknowledge_events(AcknowledgeEvents command);
    Result<ConsumerRemoved> remove_consumer(RemoveConsumer command);
    Result<WorkerRegistered> register_worker(RegisterWorker command);
    Result<Heartbeat> heartbeat_worker(HeartbeatWorker command);
    Result<WorkerDeath> mark_worker_dead(MarkWorkerDead command);
    Result<WorkerModeSet> set_worker_mode(SetWorkerMode command);
    Result<ClaimGrant> issue_claim_grant(IssueClaimGrant command);
    Result<std::optional<ClaimGrant>> claim_for_worker(ClaimForWorker command);
    Result<LeasedExecution> claim_execution(ClaimExecution command);
    Result<LeasedExecution> claim_resumed_execution(ClaimResumedExecution command);
    Result<std::optional<LeasedExecution>> claim_from_resume_grant(ClaimFromResumeGrant command);
    Result<ReclaimGrantOutcome> issue_reclaim_grant(IssueReclaimGrant command);
    Result<ReclaimOutcome> reclaim_execution(ReclaimExecution command);
    Result<PendingWaitpoint> create_waitpoint(CreateWaitpoint command);
    Result<WaitpointClosed> close_waitpoint(CloseWaitpoint command);
    Result<SuspendOutcome> suspend(Suspend command);
    Result<SignalOutcome> deliver_signal(DeliverSignal command);
    Result<SignalOutcome> deliver_approval_signal(DeliverApprovalSignal command);
    Result<Resumed> resume_execution(ResumeExecution command);
    Result<FlowSubmitted> submit_flow(SubmitFlow command);
    Result<FlowCreated> create_flow(CreateFlow command);
    Result<MemberAdded> add_execution_to_flow(AddExecutionToFlow command);
    Result<EdgeStaged> stage_dependency_edge(StageDependencyEdge command);
    Result<DependencyApplied> apply_dependency_to_child(ApplyDependencyToChild command);
    Result<GroupPolicySet> set_edge_group_policy(SetEdgeGroupPolicy command);
    Result<FlowSealed> seal_flow(SealFlow command);
    Result<FlowTagSet> set_flow_tag(SetFlowTag command);
    Result<MemberAcknowledged> ack_cancel_member(AckCancelMember command);
    Result<WaitingChildren> wait_children(WaitChildren command);
    Result<KeySeeded> seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command);
    Result<KeyRotated> rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command);
    Result<KeysResealed> reseal_signing_keys(ResealSigningKeys command = {});
    Result<FlowCancelled> cancel_flow(CancelFlow command);
    Result<FlowSummaryProjected> project_flow_summary(const FlowId& id);
    Result<FrameAppended> append_frame(AppendFrame command);
    Result<StreamPage> tail_stream(TailStream command);

    // ---- reads: `read` by name ----------------------------------------------------------------------------------

    // A list that is answered without a page is all of it, however many pages that takes.

    // nullopt, or an empty list or map, for an unknown execution.
    Result<std::optional<ExecutionView>> describe_execution(const ExecutionId& id);
    Result<std::optional<ExecutionInfo>> read_execution_info(const ExecutionId& id);
    Result<std::optional<PublicState>> read_execution_state(const ExecutionId& id);
    Result<std::optional<Bytes>> get_execution_result(const ExecutionId& id);  // without its encoding
    Result<std::optional<Bytes>> get_execution_input(const ExecutionId& id);   // without its encoding
    Result<std::optional<std::string>> get_execution_namespace(const ExecutionId& id);
    Result<std::optional<std::string>> get_execution_tag(const ExecutionId& id, std::string key);
    Result<std::optional<FlowId>> resolve_execution_flow_id(const ExecutionId& id);
    Result<std::vector<AttemptView>> list_attempts(const ExecutionId& id);
    Result<std::optional<Explanation>> explain_execution(const ExecutionId& id);
    Result<std::map<std::string, std::optional<std::string>>> read_exec_core_fields(const ExecutionId& id,
                                                                                    std::vector<std::string> names);
    // The error `execution_not_found` for an unknown execution.
    Result<ExecutionContext> read_execution_context(const ExecutionId& id);
    Result<std::uint32_t> read_current_attempt_index(const ExecutionId& id);
    Result<std::uint32_t> read_total_attempt_count(const ExecutionId& id);

    Result<ExecutionPage> list_executions(ListExecutions query);
    Result<LanePage> list_lanes(ListLanes query = {});
    Result<std::optional<LaneView>> describe_lane(std::string lane_id);
    Result<std::vector<SettingView>> list_settings();
    Result<WorkerPage> list_workers(ListWorkers query = {});
    Result<ExpiredLeasePage> list_expired_leases(ListExpiredLeases query = {});
    Result<SigningKids> list_waitpoint_hmac_kids();
    Result<std::vector<SigningKeyView>> list_signing_keys();
    Result<std::vector<ConsumerView>> list_consumers();
    Result<SuspendedPage> list_suspended(ListSuspended query = {});
    // The error `execution_not_found` for an unknown execution.
    Result<WaitpointPage> list_pending_waitpoints(ListPendingWaitpoints query);
    // Nothing for a waitpoint of another execution, or for one that is unknown or closed.
    Result<std::optional<std::string>> read_waitpoint_token(const ExecutionId& id, const WaitpointId& waitpoint_id);
    Result<std::optional<std::string>> read_waitpoint_token(std::uint16_t partition, const WaitpointId& waitpoint_id);
    Result<std::vector<ResumeSignal>> observe_signals(LeaseRef lease);

    Result<StreamPage> read_stream(ReadStream query);
    Result<std::optional<StreamSummary>> read_stream_summary(const ExecutionId& id, std::uint32_t attempt_index);

    Result<std::optional<FlowSnapshot>> describe_flow(const FlowId& id);
    Result<std::optional<std::string>> get_flow_tag(const FlowId& id, std::string key);
    Result<FlowPage> list_flows(ListFlows query = {});
    Result<std::optional<FlowProjection>> get_flow_summary(const FlowId& id);
    Result<std::vector<EdgeSnapshot>> list_edges(ListEdges query);
    Result<std::optional<FlowMemberPage>> list_flow_members(ListFlowMembers query);
    Result<std::optional<FlowEdgePage>> list_flow_edges(ListFlowEdges query);
    Result<std::optional<FlowGraph>> get_flow_graph(const FlowId& id);
    Result<std::optional<EdgeSnapshot>> describe_edge(const FlowId& flow_id, const EdgeId& edge_id);
    Result<FlowEligibility> evaluate_flow_eligibility(const ExecutionId& id);

    // ---- operations that are known at run time only ---------------------------------------------------------------

    enum class AnswerOn : std::uint8_t { executor, any_thread };
    // Takes the `Answer` of the command, or the error.
    using Reply = std::function<void(Result<std::any>)>;

    // `submit`, or `submit_past_executor`, for a command of any type.
    virtual void submit_any(Commands command, Reply reply, AnswerOn where) = 0;
    // `read` for a query of any type. Returns its `Answer`.
    virtual Result<std::any> read_any(Queries query) = 0;

  private:
    // `call` and `run_all` for commands of any type.
    Result<std::any> call_any(Commands command);
    std::vector<Result<std::any>> run_all_any(std::vector<Commands> commands);
};

}  // namespace flowfabric
