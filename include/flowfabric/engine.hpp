#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flowfabric/client.hpp"
#include "flowfabric/health.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/operations.hpp"
#include "flowfabric/subscription.hpp"

namespace flowfabric {

// Runs a completion, for example on a thread pool, an event loop or a strand. The engine never waits for it. If the
// executor throws, a thread of the engine runs the completion, unless it has run already.
using Executor = std::function<void(std::function<void()>)>;

// How often a reconciler looks for work although nothing is known to be due, and how many rows it takes at once.
struct ReconcilerSettings {
    std::chrono::milliseconds interval;  // 0: it does not run
    std::uint32_t batch = 1000;
};

// Limits the reconcilers of this engine to some executions; other engines serve the rest.
struct ReconcilerFilter {
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> tag;  // any tag of the execution, and its value
};

struct EngineOptions {
    // `sqlite:PATH`, `postgres://…` or `memory:`.
    std::string store = "sqlite:flowfabric.db";
    bool migrate = true;  // bring the schema up to date at open; otherwise an older one is refused
    // Reconcilers end leases, delays and time limits, remove old executions and events, and empty the inbox of
    // ff_create_execution. Any number of engines may run them on one store. An engine that does also generates a
    // signing key if the store has none.
    bool run_reconcilers = true;
    std::map<std::string, ReconcilerSettings> reconcilers;  // by name, where they differ from docs/operations.md
    ReconcilerFilter reconciler_filter;
    std::size_t max_payload_bytes = default_max_payload_bytes;
    // Limits on commands that are not answered yet; a command beyond either is refused with `resource_exhausted`.
    std::size_t max_queued_commands = 100'000;
    std::size_t max_queued_bytes = 268'435'456;
    std::chrono::milliseconds command_deadline{30'000};
    // 64 hex digits. Encrypts the secrets of signing keys, so that a copy of the database does not reveal them. Absent:
    // secrets are stored in plain, and refused if the store holds encrypted ones.
    std::optional<std::string> master_key_hex;
    Executor executor;  // runs completions; absent: one thread of the engine
    // For tests: each overrides the store's setting of the same name, for this engine only.
    std::optional<std::chrono::milliseconds> execution_retention;
    std::optional<std::chrono::milliseconds> event_retention;
    std::optional<RetryPolicy> default_retry_policy;
    std::optional<bool> emit_renewed_events;
    std::optional<std::string> instance_tag_key;
};

// One open store with everything that drives it.
//
// Life cycle: `open` connects, migrates and starts the threads. The destructor answers queued commands with
// `unavailable`, lets running batches finish and joins. A store that hangs delays it by two seconds at most; a command
// that had reached COMMIT by then is answered with `unknown_outcome`.
// Threads: any thread may call any member. Completions run on the executor, except those of submit_past_executor().
// Every call ends by its deadline.
class Engine final : public Client {
  public:
    static Result<std::unique_ptr<Engine>> open(EngineOptions options);
    ~Engine() override;

    // Returns at once. After the grace, every call that waits for the store fails, and so does every later call. For a
    // program that must end although some of its threads still wait.
    void end_within(std::chrono::milliseconds grace);

    // ---- commands: `call` by name -------------------------------------------------------------------------------

    Result<Created> create_execution(CreateExecution command) { return call(std::move(command)); }
    Result<Claimed> claim(Claim command) { return call(std::move(command)); }
    Result<Renewed> renew(Renew command) { return call(std::move(command)); }
    Result<ProgressRecorded> progress(Progress command) { return call(std::move(command)); }
    Result<Completed> complete(Complete command) { return call(std::move(command)); }
    Result<Failed> fail(Fail command) { return call(std::move(command)); }
    Result<Delayed> delay(Delay command) { return call(std::move(command)); }
    Result<Released> release_unstarted(ReleaseUnstarted command) { return call(std::move(command)); }
    Result<Cancelled> cancel(Cancel command) { return call(std::move(command)); }
    Result<Cancelled> cancel_execution(CancelExecution command) { return call(std::move(command)); }
    Result<TagsSet> set_execution_tags(SetExecutionTags command) { return call(std::move(command)); }
    Result<PriorityChanged> change_priority(ChangePriority command) { return call(command); }
    Result<Replayed> replay_execution(ReplayExecution command) { return call(command); }
    Result<Revocation> revoke_lease(RevokeLease command) { return call(std::move(command)); }
    Result<LeasedExecution> issue_grant_and_claim(IssueGrantAndClaim command) { return call(command); }
    Result<TimerFired> fire_timer(FireTimer command) { return call(command); }
    Result<LaneChanged> set_lane_state(SetLaneState command) { return call(std::move(command)); }
    Result<SettingChanged> set_setting(SetSetting command) { return call(std::move(command)); }
    Result<ConsumerPosition> register_consumer(RegisterConsumer command) { return call(std::move(command)); }
    Result<ConsumerPosition> acknowledge_events(AcknowledgeEvents command) { return call(std::move(command)); }
    Result<ConsumerRemoved> remove_consumer(RemoveConsumer command) { return call(std::move(command)); }
    Result<WorkerRegistered> register_worker(RegisterWorker command) { return call(std::move(command)); }
    Result<Heartbeat> heartbeat_worker(HeartbeatWorker command) { return call(std::move(command)); }
    Result<WorkerDeath> mark_worker_dead(MarkWorkerDead command) { return call(std::move(command)); }
    Result<ClaimGrant> issue_claim_grant(IssueClaimGrant command) { return call(std::move(command)); }
    Result<LeasedExecution> claim_execution(ClaimExecution command) { return call(std::move(command)); }
    Result<LeasedExecution> claim_resumed_execution(ClaimResumedExecution command) { return call(std::move(command)); }
    Result<std::optional<LeasedExecution>> claim_from_resume_grant(ClaimFromResumeGrant command) {
        return call(std::move(command));
    }
    Result<ReclaimGrantOutcome> issue_reclaim_grant(IssueReclaimGrant command) { return call(std::move(command)); }
    Result<ReclaimOutcome> reclaim_execution(ReclaimExecution command) { return call(std::move(command)); }
    Result<PendingWaitpoint> create_waitpoint(CreateWaitpoint command) { return call(std::move(command)); }
    Result<WaitpointClosed> close_waitpoint(CloseWaitpoint command) { return call(std::move(command)); }
    Result<SuspendOutcome> suspend(Suspend command) { return call(std::move(command)); }
    Result<SignalOutcome> deliver_signal(DeliverSignal command) { return call(std::move(command)); }
    Result<SignalOutcome> deliver_approval_signal(DeliverApprovalSignal command) { return call(std::move(command)); }
    Result<Resumed> resume_execution(ResumeExecution command) { return call(command); }
    Result<FlowSubmitted> submit_flow(SubmitFlow command) { return call(std::move(command)); }
    Result<FlowCreated> create_flow(CreateFlow command) { return call(std::move(command)); }
    Result<MemberAdded> add_execution_to_flow(AddExecutionToFlow command) { return call(std::move(command)); }
    Result<EdgeStaged> stage_dependency_edge(StageDependencyEdge command) { return call(std::move(command)); }
    Result<DependencyApplied> apply_dependency_to_child(ApplyDependencyToChild command) {
        return call(std::move(command));
    }
    Result<GroupPolicySet> set_edge_group_policy(SetEdgeGroupPolicy command) { return call(command); }
    Result<FlowSealed> seal_flow(SealFlow command) { return call(command); }
    Result<FlowTagSet> set_flow_tag(SetFlowTag command) { return call(std::move(command)); }
    Result<MemberAcknowledged> ack_cancel_member(AckCancelMember command) { return call(command); }
    Result<WaitingChildren> wait_children(WaitChildren command) { return call(std::move(command)); }
    Result<KeySeeded> seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command) { return call(std::move(command)); }
    Result<KeyRotated> rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command) {
        return call(std::move(command));
    }
    Result<KeysResealed> reseal_signing_keys(ResealSigningKeys command = {}) { return call(command); }
    Result<FlowCancelled> cancel_flow(CancelFlow command) { return call(std::move(command)); }
    Result<FlowSummaryProjected> project_flow_summary(const FlowId& id) { return call(ProjectFlowSummary{id}); }

    // ---- reads: `read` by name ----------------------------------------------------------------------------------

    // nullopt, or an empty list or map, for an unknown execution.
    Result<std::optional<ExecutionView>> describe_execution(const ExecutionId& id) {
        return read(DescribeExecution{id});
    }
    Result<std::optional<ExecutionInfo>> read_execution_info(const ExecutionId& id) {
        return read(ReadExecutionInfo{id});
    }
    Result<std::optional<PublicState>> read_execution_state(const ExecutionId& id) {
        return read(ReadExecutionState{id});
    }
    Result<std::optional<Bytes>> get_execution_result(const ExecutionId& id);  // without its encoding
    Result<std::optional<Bytes>> get_execution_input(const ExecutionId& id);   // without its encoding
    Result<std::optional<std::string>> get_execution_namespace(const ExecutionId& id) {
        return read(GetExecutionNamespace{id});
    }
    Result<std::optional<std::string>> get_execution_tag(const ExecutionId& id, std::string key) {
        return read(GetExecutionTag{id, std::move(key)});
    }
    Result<std::optional<FlowId>> resolve_execution_flow_id(const ExecutionId& id) {
        return read(ResolveExecutionFlowId{id});
    }
    Result<std::vector<AttemptView>> list_attempts(const ExecutionId& id) { return read(ListAttempts{id}); }
    Result<std::optional<Explanation>> explain_execution(const ExecutionId& id) { return read(ExplainExecution{id}); }
    Result<std::map<std::string, std::optional<std::string>>> read_exec_core_fields(const ExecutionId& id,
                                                                                    std::vector<std::string> names) {
        return read(ReadExecCoreFields{id, std::move(names)});
    }
    // The error `execution_not_found` for an unknown execution.
    Result<ExecutionContext> read_execution_context(const ExecutionId& id) { return read(ReadExecutionContext{id}); }
    Result<std::uint32_t> read_current_attempt_index(const ExecutionId& id) {
        return read(ReadCurrentAttemptIndex{id});
    }
    Result<std::uint32_t> read_total_attempt_count(const ExecutionId& id) { return read(ReadTotalAttemptCount{id}); }

    Result<ExecutionPage> list_executions(ListExecutions query) { return read(query); }
    Result<LanePage> list_lanes(ListLanes query = {}) { return read(std::move(query)); }
    Result<std::optional<LaneView>> describe_lane(std::string lane_id) {
        return read(DescribeLane{std::move(lane_id)});
    }
    Result<std::vector<SettingView>> list_settings() { return read(ListSettings{}); }
    Result<WorkerPage> list_workers(ListWorkers query = {}) { return read(std::move(query)); }
    Result<ExpiredLeasePage> list_expired_leases(ListExpiredLeases query = {}) { return read(std::move(query)); }
    Result<SigningKids> list_waitpoint_hmac_kids() { return read(ListWaitpointHmacKids{}); }
    Result<std::vector<SigningKeyView>> list_signing_keys() { return read(ListSigningKeys{}); }
    Result<std::vector<ConsumerView>> list_consumers() { return read(ListConsumers{}); }
    Result<SuspendedPage> list_suspended(ListSuspended query = {}) { return read(query); }
    // The error `execution_not_found` for an unknown execution.
    Result<WaitpointPage> list_pending_waitpoints(ListPendingWaitpoints query) { return read(query); }
    Result<std::optional<std::string>> read_waitpoint_token(std::uint16_t partition, const WaitpointId& waitpoint_id);
    Result<std::vector<ResumeSignal>> observe_signals(LeaseRef lease) { return read(ObserveSignals{std::move(lease)}); }

    Result<std::optional<FlowSnapshot>> describe_flow(const FlowId& id) { return read(DescribeFlow{id}); }
    Result<std::optional<std::string>> get_flow_tag(const FlowId& id, std::string key) {
        return read(GetFlowTag{id, std::move(key)});
    }
    Result<FlowPage> list_flows(ListFlows query) { return read(query); }
    Result<std::optional<FlowProjection>> get_flow_summary(const FlowId& id) { return read(GetFlowSummary{id}); }
    Result<std::vector<EdgeSnapshot>> list_edges(ListEdges query) { return read(query); }
    Result<std::optional<EdgeSnapshot>> describe_edge(const FlowId& flow_id, const EdgeId& edge_id) {
        return read(DescribeEdge{flow_id, edge_id});
    }
    Result<FlowEligibility> evaluate_flow_eligibility(const ExecutionId& id) {
        return read(EvaluateFlowEligibility{id});
    }

    // ---- this engine itself -------------------------------------------------------------------------------------

    // Succeeds if the store answers a read in time; the result is never a remembered one.
    Result<void> check_store(std::chrono::milliseconds within);

    std::vector<ReconcilerView> list_reconcilers();

    // Follows a channel from the cursor on, or from now (subscription.hpp). Fails for a malformed cursor, and with
    // `cursor_expired` if the events after the cursor are removed.
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_completion(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_lease_history(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_signal_delivery(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_operator(const SubscribeOptions& options = {});

    class Impl;
    explicit Engine(std::unique_ptr<Impl> impl);

  private:
    void submit_any(Commands command, Reply reply, AnswerOn where) override;
    Result<std::any> read_any(Queries query) override;

    std::unique_ptr<Impl> impl_;
};

// Migrates the store at the URL `store` and returns the names of the migrations that were applied.
Result<std::vector<std::string>> migrate(const std::string& store);

// Checks the versions, the schema and the settings that endanger data of the store at the URL `store`. Changes nothing.
Result<std::vector<Finding>> examine(const std::string& store);

}  // namespace flowfabric
