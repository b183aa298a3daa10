#include <utility>

#include "flowfabric/client.hpp"
#include "flowfabric/read_all.hpp"

// Every command and query by its name.
namespace flowfabric {
namespace {

Result<std::optional<std::string>> token_in(Result<std::optional<WaitpointToken>> found) {
    if (!found) return found.error();
    return *found ? std::optional(std::move((*found)->token)) : std::nullopt;
}

}  // namespace

Result<Created> Client::create_execution(CreateExecution command) {
    return call(std::move(command));
}

Result<Claimed> Client::claim(Claim command) {
    return call(std::move(command));
}

Result<Renewed> Client::renew(Renew command) {
    return call(std::move(command));
}

Result<ProgressRecorded> Client::progress(Progress command) {
    return call(std::move(command));
}

Result<Completed> Client::complete(Complete command) {
    return call(std::move(command));
}

Result<Failed> Client::fail(Fail command) {
    return call(std::move(command));
}

Result<Delayed> Client::delay(Delay command) {
    return call(std::move(command));
}

Result<Released> Client::release_unstarted(ReleaseUnstarted command) {
    return call(std::move(command));
}

Result<Cancelled> Client::cancel(Cancel command) {
    return call(std::move(command));
}

Result<Cancelled> Client::cancel_execution(CancelExecution command) {
    return call(std::move(command));
}

Result<TagsSet> Client::set_execution_tags(SetExecutionTags command) {
    return call(std::move(command));
}

Result<PriorityChanged> Client::change_priority(ChangePriority command) {
    return call(command);
}

Result<Purged> Client::purge_execution(PurgeExecution command) {
    return call(command);
}

Result<Replayed> Client::replay_execution(ReplayExecution command) {
    return call(command);
}

Result<Revocation> Client::revoke_lease(RevokeLease command) {
    return call(std::move(command));
}

Result<LeasedExecution> Client::issue_grant_and_claim(IssueGrantAndClaim command) {
    return call(command);
}

Result<TimerFired> Client::fire_timer(FireTimer command) {
    return call(command);
}

Result<LaneChanged> Client::set_lane_state(SetLaneState command) {
    return call(std::move(command));
}

Result<SettingChanged> Client::set_setting(SetSetting command) {
    return call(std::move(command));
}

Result<ConsumerPosition> Client::register_consumer(RegisterConsumer command) {
    return call(std::move(command));
}

Result<ConsumerPosition> Client::acknowledge_events(AcknowledgeEvents command) {
    return call(std::move(command));
}

Result<ConsumerRemoved> Client::remove_consumer(RemoveConsumer command) {
    return call(std::move(command));
}

Result<WorkerRegistered> Client::register_worker(RegisterWorker command) {
    return call(std::move(command));
}

Result<Heartbeat> Client::heartbeat_worker(HeartbeatWorker command) {
    return call(std::move(command));
}

Result<WorkerDeath> Client::mark_worker_dead(MarkWorkerDead command) {
    return call(std::move(command));
}

Result<WorkerModeSet> Client::set_worker_mode(SetWorkerMode command) {
    return call(std::move(command));
}

Result<ClaimGrant> Client::issue_claim_grant(IssueClaimGrant command) {
    return call(std::move(command));
}

Result<std::optional<ClaimGrant>> Client::claim_for_worker(ClaimForWorker command) {
    return call(std::move(command));
}

Result<LeasedExecution> Client::claim_execution(ClaimExecution command) {
    return call(std::move(command));
}

Result<LeasedExecution> Client::claim_resumed_execution(ClaimResumedExecution command) {
    return call(std::move(command));
}

Result<std::optional<LeasedExecution>> Client::claim_from_resume_grant(ClaimFromResumeGrant command) {
    return call(std::move(command));
}

Result<ReclaimGrantOutcome> Client::issue_reclaim_grant(IssueReclaimGrant command) {
    return call(std::move(command));
}

Result<ReclaimOutcome> Client::reclaim_execution(ReclaimExecution command) {
    return call(std::move(command));
}

Result<PendingWaitpoint> Client::create_waitpoint(CreateWaitpoint command) {
    return call(std::move(command));
}

Result<WaitpointClosed> Client::close_waitpoint(CloseWaitpoint command) {
    return call(std::move(command));
}

Result<SuspendOutcome> Client::suspend(Suspend command) {
    return call(std::move(command));
}

Result<SignalOutcome> Client::deliver_signal(DeliverSignal command) {
    return call(std::move(command));
}

Result<SignalOutcome> Client::deliver_approval_signal(DeliverApprovalSignal command) {
    return call(std::move(command));
}

Result<Resumed> Client::resume_execution(ResumeExecution command) {
    return call(command);
}

Result<FlowSubmitted> Client::submit_flow(SubmitFlow command) {
    return call(std::move(command));
}

Result<FlowCreated> Client::create_flow(CreateFlow command) {
    return call(std::move(command));
}

Result<MemberAdded> Client::add_execution_to_flow(AddExecutionToFlow command) {
    return call(std::move(command));
}

Result<EdgeStaged> Client::stage_dependency_edge(StageDependencyEdge command) {
    return call(std::move(command));
}

Result<DependencyApplied> Client::apply_dependency_to_child(ApplyDependencyToChild command) {
    return call(std::move(command));
}

Result<GroupPolicySet> Client::set_edge_group_policy(SetEdgeGroupPolicy command) {
    return call(command);
}

Result<FlowSealed> Client::seal_flow(SealFlow command) {
    return call(command);
}

Result<FlowTagSet> Client::set_flow_tag(SetFlowTag command) {
    return call(std::move(command));
}

Result<MemberAcknowledged> Client::ack_cancel_member(AckCancelMember command) {
    return call(command);
}

Result<WaitingChildren> Client::wait_children(WaitChildren command) {
    return call(std::move(command));
}

Result<KeySeeded> Client::seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command) {
    return call(std::move(command));
}

Result<KeyRotated> Client::rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command) {
    return call(std::move(command));
}

Result<FlowCancelled> Client::cancel_flow(CancelFlow command) {
    return call(std::move(command));
}

Result<FlowSummaryProjected> Client::project_flow_summary(const FlowId& id) {
    return call(ProjectFlowSummary{id});
}

Result<FrameAppended> Client::append_frame(AppendFrame command) {
    return call(std::move(command));
}

Result<StreamPage> Client::tail_stream(TailStream command) {
    return call(command);
}

Result<std::optional<ExecutionView>> Client::describe_execution(const ExecutionId& id) {
    return read(DescribeExecution{id});
}

Result<std::optional<ExecutionInfo>> Client::read_execution_info(const ExecutionId& id) {
    return read(ReadExecutionInfo{id});
}

Result<std::optional<PublicState>> Client::read_execution_state(const ExecutionId& id) {
    return read(ReadExecutionState{id});
}

Result<std::optional<std::string>> Client::get_execution_namespace(const ExecutionId& id) {
    return read(GetExecutionNamespace{id});
}

Result<std::optional<std::string>> Client::get_execution_tag(const ExecutionId& id, std::string key) {
    return read(GetExecutionTag{id, std::move(key)});
}

Result<std::optional<FlowId>> Client::resolve_execution_flow_id(const ExecutionId& id) {
    return read(ResolveExecutionFlowId{id});
}

Result<std::vector<AttemptView>> Client::list_attempts(const ExecutionId& id) {
    return read_all(*this, ListAttempts{id}, &AttemptPage::attempts);
}

Result<std::optional<Explanation>> Client::explain_execution(const ExecutionId& id) {
    return read(ExplainExecution{id});
}

Result<std::map<std::string, std::optional<std::string>>> Client::read_exec_core_fields(
    const ExecutionId& id, std::vector<std::string> names) {
    return read(ReadExecCoreFields{id, std::move(names)});
}

Result<ExecutionContext> Client::read_execution_context(const ExecutionId& id) {
    return read(ReadExecutionContext{id});
}

Result<std::uint32_t> Client::read_current_attempt_index(const ExecutionId& id) {
    return read(ReadCurrentAttemptIndex{id});
}

Result<std::uint32_t> Client::read_total_attempt_count(const ExecutionId& id) {
    return read(ReadTotalAttemptCount{id});
}

Result<ExecutionPage> Client::list_executions(ListExecutions query) {
    return read(query);
}

Result<std::optional<LaneView>> Client::describe_lane(std::string lane_id) {
    return read(DescribeLane{std::move(lane_id)});
}

Result<std::vector<SettingView>> Client::list_settings() {
    return read_all(*this, ListSettings{}, &SettingPage::settings);
}

Result<SigningKids> Client::list_waitpoint_hmac_kids() {
    return read(ListWaitpointHmacKids{});
}

Result<std::vector<SigningKeyView>> Client::list_signing_keys() {
    return read_all(*this, ListSigningKeys{}, &SigningKeyPage::keys);
}

Result<std::vector<ConsumerView>> Client::list_consumers() {
    return read_all(*this, ListConsumers{}, &ConsumerPage::consumers);
}

Result<WaitpointPage> Client::list_pending_waitpoints(ListPendingWaitpoints query) {
    return read(query);
}

Result<std::vector<ResumeSignal>> Client::observe_signals(LeaseRef lease) {
    return read(ObserveSignals{std::move(lease)});
}

Result<StreamPage> Client::read_stream(ReadStream query) {
    return read(query);
}

Result<std::optional<StreamSummary>> Client::read_stream_summary(const ExecutionId& id, std::uint32_t attempt_index) {
    return read(ReadStreamSummary{id, attempt_index});
}

Result<std::optional<FlowSnapshot>> Client::describe_flow(const FlowId& id) {
    return read(DescribeFlow{id});
}

Result<std::optional<std::string>> Client::get_flow_tag(const FlowId& id, std::string key) {
    return read(GetFlowTag{id, std::move(key)});
}

Result<FlowPage> Client::list_flows(ListFlows query) {
    return read(std::move(query));
}

Result<std::optional<FlowProjection>> Client::get_flow_summary(const FlowId& id) {
    return read(GetFlowSummary{id});
}

Result<std::vector<EdgeSnapshot>> Client::list_edges(ListEdges query) {
    return read_all(*this, query, &FlowEdgePage::edges);
}

Result<std::optional<FlowMemberPage>> Client::list_flow_members(ListFlowMembers query) {
    return read(query);
}

Result<std::optional<FlowEdgePage>> Client::list_flow_edges(ListFlowEdges query) {
    return read(query);
}

Result<std::optional<FlowGraph>> Client::get_flow_graph(const FlowId& id) {
    return read(GetFlowGraph{id});
}

Result<std::optional<EdgeSnapshot>> Client::describe_edge(const FlowId& flow_id, const EdgeId& edge_id) {
    return read(DescribeEdge{flow_id, edge_id});
}

Result<FlowEligibility> Client::evaluate_flow_eligibility(const ExecutionId& id) {
    return read(EvaluateFlowEligibility{id});
}

Result<KeysResealed> Client::reseal_signing_keys(ResealSigningKeys command) {
    return call(command);
}

Result<LanePage> Client::list_lanes(ListLanes query) {
    return read(std::move(query));
}

Result<WorkerPage> Client::list_workers(ListWorkers query) {
    return read(std::move(query));
}

Result<ExpiredLeasePage> Client::list_expired_leases(ListExpiredLeases query) {
    return read(std::move(query));
}

Result<SuspendedPage> Client::list_suspended(ListSuspended query) {
    return read(query);
}

Result<std::optional<Bytes>> Client::get_execution_result(const ExecutionId& id) {
    auto found = read(GetExecutionResult{id});
    if (!found) return found.error();
    return *found ? std::move((*found)->result) : std::nullopt;
}

Result<std::optional<Bytes>> Client::get_execution_input(const ExecutionId& id) {
    auto found = read(GetExecutionInput{id});
    if (!found) return found.error();
    return *found ? std::optional(std::move((*found)->input)) : std::nullopt;
}

Result<std::optional<std::string>> Client::read_waitpoint_token(const ExecutionId& id,
                                                                const WaitpointId& waitpoint_id) {
    return token_in(read(ReadWaitpointToken{id.partition, waitpoint_id, id}));
}

Result<std::optional<std::string>> Client::read_waitpoint_token(std::uint16_t partition,
                                                                const WaitpointId& waitpoint_id) {
    return token_in(read(ReadWaitpointToken{.partition = partition, .waitpoint_id = waitpoint_id}));
}

}  // namespace flowfabric
