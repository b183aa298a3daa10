#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "flowfabric/commands.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/submit_flow.hpp"
#include "flowfabric/subscription.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

// Runs a completion somewhere: on a thread pool, an event loop, the caller's own strand. The engine itself never waits
// for it. One that throws has refused the job, which then runs on a thread of the engine's, unless it was run after
// all.
using Executor = std::function<void(std::function<void()>)>;

// How often a reconciler looks even if nothing is known to be due, and how many rows it takes at once.
struct ReconcilerSettings {
    std::chrono::milliseconds interval;  // 0: it does not run
    std::uint32_t batch = 1000;
};

// Which executions the reconcilers of this engine care for; the others are left to other engines.
struct ReconcilerFilter {
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> tag;  // any tag of the execution, and its value
};

struct EngineOptions {
    // `sqlite:PATH`, `postgres://…` or `memory:`.
    std::string store = "sqlite:flowfabric.db";
    bool migrate = true;  // bring the schema up to date at open; otherwise an older one is refused
    // Leases, delays and time limits that end, old executions and events, the inbox of ff_create_execution. Any number
    // of engines may run them on one store. The first one also installs a signing key, generated, if there is none.
    bool run_reconcilers = true;
    std::map<std::string, ReconcilerSettings> reconcilers;  // by name, where they differ from docs/operations.md
    ReconcilerFilter reconciler_filter;
    std::size_t max_payload_bytes = default_max_payload_bytes;
    // Commands that are not answered yet, and the memory that they hold; beyond it they are refused.
    std::size_t max_queued_commands = 100'000;
    std::size_t max_queued_bytes = 268'435'456;
    std::chrono::milliseconds command_deadline{30'000};
    // 64 hex digits. The secrets of signing keys are encrypted with it, so that a copy of the database does not reveal
    // them; absent: they are stored as they are, unless the store has encrypted ones already.
    std::optional<std::string> master_key_hex;
    Executor executor;  // where completions run; absent: one thread of the engine's own
    // For tests alone, where one engine is to differ: each takes the place of the store's setting of its name.
    std::optional<std::chrono::milliseconds> execution_retention;
    std::optional<std::chrono::milliseconds> event_retention;
    std::optional<RetryPolicy> default_retry_policy;
    std::optional<bool> emit_renewed_events;
    std::optional<std::string> instance_tag_key;
};

// Every command there is.
using Commands =
    std::variant<CreateExecution, Claim, Renew, Complete, Fail, Progress, Delay, ReleaseUnstarted, Cancel,
                 CancelExecution, SetExecutionTags, ChangePriority, ReplayExecution, RevokeLease, IssueGrantAndClaim,
                 FireTimer, ResealSigningKeys, SetLaneState, SetSetting, RegisterConsumer, AcknowledgeEvents,
                 RemoveConsumer, RegisterWorker, HeartbeatWorker, MarkWorkerDead, IssueClaimGrant, ClaimExecution,
                 ClaimResumedExecution, ClaimFromResumeGrant, IssueReclaimGrant, ReclaimExecution,
                 SeedWaitpointHmacSecret, RotateWaitpointHmacSecret, CreateWaitpoint, CloseWaitpoint, Suspend,
                 DeliverSignal, DeliverApprovalSignal, ResumeExecution, SubmitFlow, CreateFlow, AddExecutionToFlow,
                 StageDependencyEdge, ApplyDependencyToChild, SetEdgeGroupPolicy, SealFlow, SetFlowTag, CancelFlow,
                 AckCancelMember, WaitChildren>;

namespace detail {
template <class C, class V>
inline constexpr bool is_alternative = false;
template <class C, class... Cs>
inline constexpr bool is_alternative<C, std::variant<Cs...>> = (std::same_as<C, Cs> || ...);
}  // namespace detail

template <class C>
concept CommandType = detail::is_alternative<C, Commands>;

template <CommandType C>
using Completion = std::function<void(Result<typename C::Answer>)>;

// One open store with everything that drives it.
//
// Life cycle: `open` connects, migrates and starts the threads; the destructor answers what is still queued with
// `unavailable`, lets running batches finish and joins. A store that hangs holds it up for two seconds at the most;
// what had reached COMMIT by then is answered with `unknown_outcome`. Every call ends by its deadline. All members may
// be called from any thread. A completion is called exactly once, on the executor unless it asks for none, and only
// after the commit that contains its answer.
class Engine {
  public:
    static Result<std::unique_ptr<Engine>> open(EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // When the grace has passed, every call that waits for the store fails, and every later one; returns at once. For a
    // program that has to end although parts of it still wait.
    void end_within(std::chrono::milliseconds grace);

    // The one way in; everything below that changes state is this, with a wait.
    template <CommandType C>
    void submit(C command, Completion<C> completion);

    // Likewise, for answers that no executor may hold up: the completion runs on whichever thread has the answer, which
    // may be this one, before the call returns. The engine stands still there meanwhile, so it may only pass the answer
    // on: no wait, and no call of this engine.
    template <CommandType C>
    void submit_past_executor(C command, Completion<C> completion);

    // Submits all and waits for all; answers stand in the order of the commands. Each succeeds or fails on its own.
    template <CommandType C>
    std::vector<Result<typename C::Answer>> run_all(std::vector<C> commands);

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
    Result<ClaimGrant> issue_claim_grant(IssueClaimGrant command);
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
    // With a wait: until its members have ended, or `timeout` when they have not by then; they will all the same.
    Result<FlowCancelled> cancel_flow(CancelFlow command, std::chrono::milliseconds wait = {});
    Result<MemberAcknowledged> ack_cancel_member(AckCancelMember command);
    Result<WaitingChildren> wait_children(WaitChildren command);
    Result<KeySeeded> seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command);
    Result<KeyRotated> rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command);
    Result<KeysResealed> reseal_signing_keys(ResealSigningKeys command = {});

    // An unknown execution is nothing here …
    Result<std::optional<ExecutionView>> describe_execution(const ExecutionId& id);
    Result<std::optional<ExecutionInfo>> read_execution_info(const ExecutionId& id);
    Result<std::optional<PublicState>> read_execution_state(const ExecutionId& id);
    Result<std::optional<Bytes>> get_execution_result(const ExecutionId& id);
    Result<std::optional<Bytes>> get_execution_input(const ExecutionId& id);
    Result<std::optional<std::string>> get_execution_namespace(const ExecutionId& id);
    Result<std::optional<std::string>> get_execution_tag(const ExecutionId& id, const std::string& key);
    Result<std::optional<FlowId>> resolve_execution_flow_id(const ExecutionId& id);
    Result<std::vector<AttemptView>> list_attempts(const ExecutionId& id);
    Result<std::optional<Explanation>> explain_execution(const ExecutionId& id);
    // Columns of the row as text, by name; an unknown name or execution gives nothing.
    Result<std::map<std::string, std::optional<std::string>>> read_exec_core_fields(
        const ExecutionId& id, const std::vector<std::string>& names);
    // … and the error execution_not_found here.
    Result<ExecutionContext> read_execution_context(const ExecutionId& id);
    Result<std::uint32_t> read_current_attempt_index(const ExecutionId& id);
    Result<std::uint32_t> read_total_attempt_count(const ExecutionId& id);

    Result<ExecutionPage> list_executions(const ExecutionListQuery& query);
    Result<LanePage> list_lanes(const LaneListQuery& query = {});
    // Nothing for a lane that is not known yet.
    Result<std::optional<LaneView>> describe_lane(const std::string& lane_id);
    Result<std::vector<SettingView>> list_settings();  // all there are
    Result<WorkerPage> list_workers(const WorkerListQuery& query = {});
    Result<ExpiredLeasePage> list_expired_leases(const ExpiredLeaseQuery& query = {});
    Result<SigningKids> list_waitpoint_hmac_kids();
    Result<std::vector<SigningKeyView>> list_signing_keys();  // all there are, by kid
    Result<SuspendedPage> list_suspended(const SuspendedListQuery& query = {});
    // Those that can be signalled; `execution_not_found` for an unknown execution.
    Result<WaitpointPage> list_pending_waitpoints(const WaitpointListQuery& query);
    // For operators; nothing for a waitpoint that is unknown or closed.
    Result<std::optional<std::string>> read_waitpoint_token(std::uint16_t partition, const WaitpointId& waitpoint_id);
    // All signals that the handle's execution has accepted since it was created or last replayed, in order of
    // acceptance.
    Result<std::vector<ResumeSignal>> observe_signals(const Handle& handle);

    // An unknown flow or edge is nothing.
    Result<std::optional<FlowSnapshot>> describe_flow(const FlowId& id);
    Result<std::optional<std::string>> get_flow_tag(const FlowId& id, const std::string& key);
    Result<FlowPage> list_flows(const FlowListQuery& query);
    // Counts the members for get_flow_summary, which a reconciler does all the time; false: there are none.
    Result<bool> project_flow_summary(const FlowId& id);
    Result<std::optional<FlowProjection>> get_flow_summary(const FlowId& id);
    Result<std::vector<EdgeSnapshot>> list_edges(const EdgesOf& query);  // by edge id
    Result<std::optional<EdgeSnapshot>> describe_edge(const FlowId& flow_id, const EdgeId& edge_id);
    Result<FlowEligibility> evaluate_flow_eligibility(const ExecutionId& id);

    // Whether the store is there and can be read, by a look at the store itself and not at what is remembered of it.
    Result<void> check_store(std::chrono::milliseconds within);

    std::vector<ReconcilerView> list_reconcilers();      // of this engine
    Result<std::vector<ConsumerView>> list_consumers();  // by channel and name

    // What happens from the cursor on, or from now; see subscription.hpp. A malformed cursor fails here, and one whose
    // events are gone does with `cursor_expired`.
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_completion(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_lease_history(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_signal_delivery(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_operator(const SubscribeOptions& options = {});

    class Impl;
    explicit Engine(std::unique_ptr<Impl> impl);

  private:
    std::unique_ptr<Impl> impl_;
};

// Migrates the store that `store` names and tells which migrations were applied.
Result<std::vector<std::string>> migrate(const std::string& store);

// Looks at versions, settings that endanger data and the schema of the store that `store` names. Changes nothing.
Result<std::vector<Finding>> examine(const std::string& store);

}  // namespace flowfabric
