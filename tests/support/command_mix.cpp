#include "support/command_mix.hpp"

#include <algorithm>

#include "core/base/handle_codec.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric::test {
namespace {

const std::vector<std::string> lanes{"default", "a", "b"};
const std::vector<std::string> capabilities{"arm", "gpu"};
const std::vector<std::string> workers{"w1", "w2", "w3"};
const std::vector<std::string> categories{"transient", "transient", "timeout", "permanent", "x"};

std::string text_of(const LeaseRef& lease) {
    if (const auto* fence = std::get_if<Fence>(&lease)) return "fence of " + fence->execution_id.to_string();
    const auto& handle = std::get<Handle>(lease);
    const auto content = decode_handle(handle, handle.backend);
    if (!content) return "damaged handle";
    return "handle of " + content->execution_id.to_string() + " epoch " + std::to_string(content->lease_epoch);
}

ExecutionId subject_of(const LeaseRef& lease) {
    if (const auto* fence = std::get_if<Fence>(&lease)) return fence->execution_id;
    const auto& handle = std::get<Handle>(lease);
    const auto content = decode_handle(handle, handle.backend);
    return content ? content->execution_id : ExecutionId{};
}

struct Describe {
    std::string operator()(const CreateExecution& c) const {
        return "create on " + c.lane_id + (c.execution_id ? " as " + c.execution_id->to_string() : "") +
               (c.idempotency_key.empty() ? "" : " under key " + c.idempotency_key) +
               (c.policy ? " with " + c.policy->to_json() : "");
    }
    std::string operator()(const Claim& c) const {
        std::string text = "claim " + std::to_string(c.max_count) + " by " + c.worker_id + " on";
        for (const std::string& lane : c.lanes) text += " " + lane;
        for (const std::string& capability : c.capabilities) text += " +" + capability;
        if (!c.request_id.empty()) text += " by request " + c.worker_instance_id + "/" + c.request_id;
        return text;
    }
    std::string operator()(const Renew& c) const { return "renew with " + text_of(c.lease); }
    std::string operator()(const Complete& c) const { return "complete with " + text_of(c.lease); }
    std::string operator()(const Fail& c) const { return "fail with " + text_of(c.lease) + " as " + c.category; }
    std::string operator()(const Progress& c) const { return "progress with " + text_of(c.lease); }
    std::string operator()(const Delay& c) const {
        return "delay until " + std::to_string(c.delay_until_ms) + " with " + text_of(c.lease);
    }
    std::string operator()(const ReleaseUnstarted& c) const { return "release with " + text_of(c.lease); }
    std::string operator()(const Cancel& c) const { return "cancel with " + text_of(c.lease); }
    std::string operator()(const CancelExecution& c) const {
        return "cancel by " + c.source + " with " + text_of(c.execution);
    }
    std::string operator()(const SetExecutionTags& c) const { return "tag " + c.execution_id.to_string(); }
    std::string operator()(const ChangePriority& c) const {
        return "priority " + std::to_string(c.new_priority) + " for " + c.execution_id.to_string();
    }
    std::string operator()(const ReplayExecution& c) const { return "replay " + c.execution_id.to_string(); }
    std::string operator()(const PurgeExecution& c) const { return "purge " + c.execution_id.to_string(); }
    std::string operator()(const RevokeLease& c) const { return "revoke " + c.execution_id.to_string(); }
    std::string operator()(const IssueGrantAndClaim& c) const {
        return "operator claims " + c.execution_id.to_string();
    }
    std::string operator()(const SetLaneState& c) const {
        return "lane " + c.lane_id + " becomes " + std::string(to_string(c.state));
    }
    std::string operator()(const SetSetting& c) const { return "set " + c.name + " to " + c.value; }
    std::string operator()(const FireTimer& c) const {
        return std::string(to_string(c.timer)) + " of " + c.execution_id.to_string();
    }
    std::string operator()(const RegisterConsumer& c) const { return "register consumer " + c.consumer; }
    std::string operator()(const AcknowledgeEvents& c) const {
        return c.consumer + " acknowledges up to " + std::to_string(**parse_cursor(c.cursor));
    }
    std::string operator()(const RemoveConsumer& c) const { return "remove consumer " + c.consumer; }
    std::string operator()(const RegisterWorker& c) const {
        return "register " + c.worker_id + " as " + c.worker_instance_id;
    }
    std::string operator()(const HeartbeatWorker& c) const { return "heartbeat of " + c.worker_instance_id; }
    std::string operator()(const MarkWorkerDead& c) const { return c.worker_instance_id + " is dead"; }
    std::string operator()(const SetWorkerMode& c) const {
        return "ask " + c.worker_id.value_or(c.worker_instance_id.value_or("")) + " to " +
               std::string(to_string(c.mode));
    }
    std::string operator()(const IssueClaimGrant& c) const { return "grant " + c.grant.execution_id.to_string(); }
    std::string operator()(const ClaimForWorker& c) const {
        return "grant work of " + c.lane_id + " to " + c.worker_id;
    }
    std::string operator()(const IssueReclaimGrant& c) const {
        return "reclaim grant for " + c.grant.execution_id.to_string();
    }
    std::string operator()(const ClaimExecution& c) const { return "redeem " + c.claim.execution_id.to_string(); }
    std::string operator()(const ClaimResumedExecution& c) const {
        return "redeem to resume " + c.claim.execution_id.to_string();
    }
    std::string operator()(const ClaimFromResumeGrant& c) const {
        return "redeem " + c.grant.grant_key + " to resume " + c.grant.execution_id.to_string();
    }
    std::string operator()(const ReclaimExecution& c) const { return "reclaim " + c.claim.execution_id.to_string(); }
    std::string operator()(const AppendFrame& c) const {
        return std::string(to_string(c.mode)) + " frame with " + text_of(c.lease);
    }
    std::string operator()(const TailStream& c) const { return "tail " + c.execution_id.to_string(); }
    std::string operator()(const CreateWaitpoint& c) const { return "waitpoint with " + text_of(c.lease); }
    std::string operator()(const CloseWaitpoint& c) const { return "close " + c.waitpoint_id.to_string(); }
    std::string operator()(const Suspend& c) const {
        return "suspend until " + c.resume_condition.to_json() + " with " + text_of(c.lease);
    }
    std::string operator()(const DeliverSignal& c) const {
        return "signal " + c.signal_name + " to " + c.waitpoint_id.to_string();
    }
    std::string operator()(const DeliverApprovalSignal& c) const {
        return c.signal_name + " for " + c.waitpoint_id.to_string();
    }
    std::string operator()(const ResumeExecution& c) const { return "resume " + c.execution_id.to_string(); }
    std::string operator()(const SeedWaitpointHmacSecret& c) const { return "seed key " + c.kid; }
    std::string operator()(const RotateWaitpointHmacSecret& c) const { return "rotate to key " + c.new_kid; }
    std::string operator()(const ResealSigningKeys&) const { return "reseal keys"; }
    std::string operator()(const SubmitFlow& c) const {
        return "submit flow of " + std::to_string(c.nodes.size()) + " nodes and " + std::to_string(c.edges.size()) +
               " edges";
    }
    std::string operator()(const CreateFlow& c) const { return "create flow of kind " + c.flow_kind; }
    std::string operator()(const AddExecutionToFlow& c) const {
        return "add " + c.execution_id.to_string() + " to flow " + c.flow_id.to_string();
    }
    std::string operator()(const StageDependencyEdge& c) const {
        return "stage " + c.upstream.to_string() + " before " + c.downstream.to_string();
    }
    std::string operator()(const ApplyDependencyToChild& c) const {
        return "apply " + c.upstream.to_string() + " before " + c.downstream.to_string();
    }
    std::string operator()(const SetEdgeGroupPolicy& c) const {
        return "set group policy of " + c.downstream.to_string();
    }
    std::string operator()(const SealFlow& c) const { return "seal flow " + c.flow_id.to_string(); }
    std::string operator()(const SetFlowTag& c) const { return "tag flow " + c.flow_id.to_string(); }
    std::string operator()(const CancelFlow& c) const { return "cancel flow " + c.flow_id.to_string(); }
    std::string operator()(const AckCancelMember& c) const { return "acknowledge " + c.execution_id.to_string(); }
    std::string operator()(const WaitChildren& c) const { return "wait for children with " + text_of(c.lease); }
    std::string operator()(const ProjectFlowSummary& c) const { return "count flow " + c.flow_id.to_string(); }
    std::string operator()(const CreateToken& c) const { return "create token " + c.name; }
    std::string operator()(const RotateToken& c) const { return "rotate token " + c.name; }
    std::string operator()(const RevokeToken& c) const { return "revoke token " + c.name; }
    std::string operator()(const CreateWebhook& c) const { return "create webhook " + c.name; }
    std::string operator()(const UpdateWebhook& c) const { return "update webhook " + c.name; }
    std::string operator()(const RotateWebhookSecret& c) const { return "rotate the secret of webhook " + c.name; }
    std::string operator()(const RemoveWebhook& c) const { return "remove webhook " + c.name; }
    std::string operator()(const RedeliverWebhookEvents& c) const { return "redeliver events of webhook " + c.name; }
    std::string operator()(const CreateBudget& c) const {
        return "create budget " + c.budget_id.to_string() +
               (c.parent_budget_id ? " below " + c.parent_budget_id->to_string() : "");
    }
    std::string operator()(const UpdateBudget& c) const { return "change budget " + c.budget_id.to_string(); }
    std::string operator()(const DeleteBudget& c) const { return "delete budget " + c.budget_id.to_string(); }
    std::string operator()(const ReportUsage& c) const {
        return "report to budget " + c.budget_id.to_string() + " with " + text_of(c.lease);
    }
    std::string operator()(const ReportUsageAdmin& c) const { return "report to budget " + c.budget_id.to_string(); }
    std::string operator()(const RecordSpend& c) const {
        return c.execution_id.to_string() + " spends on budget " + c.budget_id.to_string();
    }
    std::string operator()(const ReleaseBudget& c) const {
        return "release " + c.execution_id.to_string() + " of budget " + c.budget_id.to_string();
    }
    std::string operator()(const ResetBudget& c) const { return "reset budget " + c.budget_id.to_string(); }
    std::string operator()(const StartBulkOperation& c) const { return std::string(to_string(c.action)) + " in bulk"; }
    std::string operator()(const CancelBulkOperation& c) const {
        return "cancel bulk operation " + c.operation_id.to_string();
    }
};

}  // namespace

std::string describe(const UserCommand& command) {
    return std::visit(Describe{}, command);
}

UserCommand CommandMix::next(std::int64_t now_ms) {
    if (purges_ == Purges::yes && !created_.empty() && random_.chance(4)) {
        return PurgeExecution{.execution_id = random_.pick(created_)};
    }
    if (random_.chance(flow_percent_)) return about_flows(now_ms);
    const std::uint64_t dice = random_.below(100);
    if (dice < 24 || claimed_.empty()) return dice % 2 == 0 ? UserCommand(create(now_ms)) : UserCommand(claim());
    if (dice < 48) return claim();
    return dice < 90 ? by_lease_holder(now_ms) : by_others();
}

UserCommand CommandMix::by_lease_holder(std::int64_t now_ms) {
    const std::uint64_t dice = random_.below(100);
    if (dice < 25) {
        Renew renew{.lease = lease()};
        if (random_.chance(50) || std::holds_alternative<Fence>(renew.lease)) {
            renew.lease_ttl_ms = random_.pick<std::uint64_t>({1000, 5000, 20'000, 60'000, 10});
        }
        return renew;
    }
    const Source source = random_.chance(5) ? Source::operator_override : Source::lease_holder;
    if (dice < 50) {
        Complete complete{.lease = lease(), .source = source};
        if (random_.chance(70)) complete.result = random_.bytes(40);
        if (random_.chance(30)) complete.result_encoding = "raw";
        return complete;
    }
    if (dice < 65) {
        return Fail{.lease = lease(),
                    .reason = "reason " + std::to_string(random_.below(1000)),
                    .category = random_.pick(categories),
                    .source = source};
    }
    if (dice < 72 && random_.chance(60)) return append();
    if (dice < 72) {
        Progress progress{.lease = lease()};
        if (random_.chance(70)) progress.percent = static_cast<std::uint32_t>(random_.below(103));
        if (random_.chance(70)) progress.message = "step " + std::to_string(random_.below(10));
        return progress;
    }
    // Few different times, so that a repeat with the same one happens.
    if (dice < 77) return suspend(now_ms);
    if (dice < 80) {
        LeaseRef shown = lease();
        const ExecutionId id = subject_of(shown);
        return flows_.wait(std::move(shown), id);
    }
    if (dice < 86) return Delay{.lease = lease(), .delay_until_ms = now_ms / 4000 * 4000 + 4000, .source = source};
    if (dice < 95) return ReleaseUnstarted{.lease = lease()};
    return Cancel{.lease = lease(), .reason = "enough"};
}

UserCommand CommandMix::by_others() {
    if (random_.chance(15)) return about_budgets();
    const std::uint64_t dice = random_.below(100);
    if (dice < 45 && !created_.empty()) {
        CancelExecution cancel{.execution = {.execution_id = random_.pick(created_)}, .reason = "not needed"};
        cancel.source = random_.pick<std::string>(
            {"operator_override", "operator_override", "lease_holder", "flow_cascade", "system_timeout", "audit"});
        const LeaseRef shown = lease();
        if (random_.chance(20) && std::holds_alternative<Fence>(shown)) cancel.execution = std::get<Fence>(shown);
        return cancel;
    }
    if (dice < 85 && dice >= 70 && !created_.empty()) {
        const ExecutionId id = random_.pick(created_);
        if (dice < 73)
            return ChangePriority{.execution_id = id, .new_priority = random_.pick<std::int32_t>({-1, 0, 5, 9001})};
        if (dice < 76) return ReplayExecution{.execution_id = id};
        if (dice < 77) {
            return FireTimer{.execution_id = id,
                             .timer = random_.pick<Timer>(
                                 {Timer::lease_expiry, Timer::delayed_promotion, Timer::attempt_timeout,
                                  Timer::execution_deadline, Timer::grant_expiry, Timer::retention,
                                  Timer::suspension_timeout, Timer::waitpoint_expiry, Timer::stream_expiry})};
        }
        if (dice < 80) return IssueGrantAndClaim{.execution_id = id, .lease_ttl_ms = 5000};
        RevokeLease revoke{.execution_id = id, .reason = "stuck"};
        if (random_.chance(30)) revoke.worker_instance_id = "w1-0";
        return revoke;
    }
    if (dice < 70 && !created_.empty()) {
        SetExecutionTags tags{.execution_id = random_.pick(created_), .tags = {}};
        tags.tags["team.name"] = "tag " + std::to_string(random_.below(4));
        if (random_.chance(5)) tags.tags["Team"] = "refused";
        return tags;
    }
    if (dice < 86) return random_.chance(70) ? about_consumers() : about_webhooks();
    if (dice < 90 && !waitpoints_.empty() && random_.chance(80)) return about_signals();
    if (dice < 90) return about_workers();
    if (dice < 91) return about_keys();
    if (dice < 93) return about_settings();
    if (dice < 97 && !created_.empty()) return about_grants();
    // Mostly back to active, so that work goes on.
    return SetLaneState{
        .lane_id = random_.pick(lanes),
        .state = random_.pick<LaneState>({LaneState::active, LaneState::active, LaneState::active, LaneState::paused,
                                          LaneState::draining, LaneState::disabled})};
}

UserCommand CommandMix::about_consumers() {
    const auto channel = random_.pick<Channel>({Channel::lease, Channel::completion});
    const auto consumer = random_.pick<std::string>({"a", "b"});
    const Bytes cursor = cursor_at(static_cast<std::int64_t>(random_.below(20)));
    if (random_.chance(40)) return RegisterConsumer{channel, consumer, cursor};
    if (random_.chance(10)) return AcknowledgeEvents{channel, consumer, cursor_at(1'000'000'000)};  // is yet to come
    if (random_.chance(80)) return AcknowledgeEvents{channel, consumer, cursor};
    return RemoveConsumer{channel, consumer};
}

UserCommand CommandMix::about_webhooks() {
    const auto name = random_.pick<std::string>({"hook", "hook", "other"});
    const std::uint64_t dice = random_.below(100);
    if (dice < 40) {
        CreateWebhook create{.name = name, .url = "https://example.org"};
        create.channel = random_.pick<Channel>({Channel::lease, Channel::completion});
        if (random_.chance(30)) create.cursor = cursor_at(static_cast<std::int64_t>(random_.below(20)));
        return create;
    }
    if (dice < 70) {
        UpdateWebhook update{.name = name};
        update.state = random_.pick<WebhookState>({WebhookState::active, WebhookState::paused, WebhookState::dead});
        return update;
    }
    if (dice < 80) return RotateWebhookSecret{.name = name, .overlap_ms = 5000};
    if (dice < 90) return RedeliverWebhookEvents{name};
    return RemoveWebhook{name};
}

UserCommand CommandMix::about_budgets() {
    // Few of them, so that they stand above one another and run out.
    const auto some_budget = [&] {
        BudgetId id;
        id.uuid.bytes[15] = static_cast<std::uint8_t>(random_.below(6));  // one of them is refused
        return id;
    };
    const BudgetId id = some_budget();
    const auto amounts = [&] {
        std::map<std::string, std::uint64_t> used{{"tokens", random_.below(8)}};
        if (random_.chance(40)) used.emplace("calls", 1);
        return used;
    };
    const auto key = random_.chance(50) ? std::string() : "key " + std::to_string(random_.below(4));
    const std::uint64_t dice = random_.below(100);
    if (dice < 25) {
        CreateBudget create{.budget_id = id};
        create.enforcement_mode = random_.chance(80) ? EnforcementMode::strict : EnforcementMode::warn;
        create.dimensions = {"calls", "tokens"};
        create.hard_limits = {random_.below(10), 20};
        create.soft_limits = {0, random_.below(15)};
        create.reset_interval_ms = random_.pick<std::uint64_t>({0, 0, 3000});
        if (random_.chance(50)) create.parent_budget_id = some_budget();
        return create;
    }
    if (dice < 45) return ReportUsageAdmin{id, amounts(), key};
    if (dice < 55 && !claimed_.empty()) return ReportUsage{lease(), id, amounts(), key};
    if (dice < 75 && !created_.empty()) return RecordSpend{id, random_.pick(created_), amounts(), key};
    if (dice < 85 && !created_.empty()) return ReleaseBudget{id, random_.pick(created_)};
    if (dice < 91) return ResetBudget{id};
    if (dice < 96) {
        UpdateBudget update{.budget_id = id};
        update.hard_limits.emplace("tokens", 40);  // never lowered: see check_charges of the invariants
        if (random_.chance(30)) update.reset_interval_ms = random_.pick<std::uint64_t>({0, 2000});
        return update;
    }
    return DeleteBudget{id};
}

UserCommand CommandMix::suspend(std::int64_t now_ms) {
    Suspend suspend{.lease = lease()};
    const WaitpointId id{uuid()};
    waitpoints_.emplace_back(subject_of(suspend.lease), id);
    suspend.waitpoints = {FreshWaitpoint{id, "k"}};
    suspend.resume_condition.node = random_.chance(70) ? Single{"k", Wildcard{}} : Single{"k", ByName{"approved"}};
    suspend.reason_code = random_.pick<SuspensionReason>(
        {SuspensionReason::waiting_for_signal, SuspensionReason::waiting_for_approval, SuspensionReason::manual_pause});
    if (random_.chance(50)) suspend.timeout_at_ms = now_ms + random_.pick<std::int64_t>({1000, 9000});
    suspend.timeout_behavior =
        random_.pick<TimeoutBehavior>({TimeoutBehavior::fail, TimeoutBehavior::cancel, TimeoutBehavior::expire,
                                       TimeoutBehavior::auto_resume_with_timeout_signal, TimeoutBehavior::escalate});
    if (random_.chance(50)) suspend.idempotency_key = "suspend";
    return suspend;
}

// Streams are cut short early, and what is refused is among it.
UserCommand CommandMix::append() {
    AppendFrame append{.lease = lease(), .payload = random_.bytes(40)};
    append.mode = random_.pick<FrameMode>({FrameMode::durable, FrameMode::summary, FrameMode::best_effort});
    append.kind = random_.pick<FrameKind>({FrameKind::standard_output, FrameKind::standard_error, FrameKind::blob});
    if (random_.chance(30)) append.frame_type = "delta";
    if (random_.chance(30)) append.correlation_id = "c";
    if (random_.chance(30)) append.payload_encoding = "raw";
    if (append.mode == FrameMode::summary && random_.chance(90)) {
        append.payload =
            random_.pick<std::string>({R"({"a":{"b":1}})", R"({"a":{"c":[1,"__ff_null__"]}})", R"({"a":null})",
                                       R"({"d":"__ff_null__","e":"\u0000"})", R"({"a":7})"});
    }
    if (append.mode == FrameMode::best_effort) {
        append.ttl_ms = random_.pick<std::uint64_t>({1, 500, 30'000});
        append.maxlen_floor = random_.pick<std::uint32_t>({1, 2, 64});
        if (random_.chance(20)) append.ema_alpha = random_.pick<double>({1.0, -1.0, 0.5});
    }
    return append;
}

UserCommand CommandMix::about_signals() {
    const auto& [id, waitpoint] = random_.pick(waitpoints_);
    if (random_.chance(15)) return ResumeExecution{.execution_id = id, .resume_delay_ms = random_.below(2) * 500};
    if (random_.chance(10)) return CloseWaitpoint{.execution_id = id, .waitpoint_id = waitpoint};
    return DeliverApprovalSignal{.execution_id = id,
                                 .lane_id = random_.pick(lanes),
                                 .waitpoint_id = waitpoint,
                                 .signal_name = random_.pick<std::string>({"approved", "rejected"}),
                                 .idempotency_suffix = std::to_string(random_.below(3))};
}

UserCommand CommandMix::about_workers() {
    const auto instance = random_.pick<std::string>({"w1-0", "w1-1", "w2-0"});
    if (random_.chance(50)) {
        return RegisterWorker{.worker_id = random_.pick(workers),
                              .worker_instance_id = instance,
                              .lanes = lanes,
                              .capabilities = random_.some_of(capabilities),
                              .liveness_ttl_ms = random_.pick<std::uint64_t>({1000, 30'000})};
    }
    if (random_.chance(50)) return HeartbeatWorker{.worker_instance_id = instance};
    if (random_.chance(40)) {
        SetWorkerMode ask{
            .mode = random_.pick<WorkerMode>({WorkerMode::run, WorkerMode::run, WorkerMode::quiet, WorkerMode::stop})};
        (random_.chance(30) ? ask.worker_id : ask.worker_instance_id) = random_.chance(30) ? "w1" : instance;
        return ask;
    }
    return MarkWorkerDead{.worker_instance_id = instance, .reason = "gone"};
}

UserCommand CommandMix::about_keys() {
    const auto kid = random_.pick<std::string>({"k1", "k2", "k3"});
    const std::string secret = std::string(62, 'a') + random_.pick<std::string>({"01", "02"});
    if (random_.chance(50)) return SeedWaitpointHmacSecret{kid, secret};
    return RotateWaitpointHmacSecret{kid, secret, random_.pick<std::int64_t>({0, 5000, 1'000'000})};
}

UserCommand CommandMix::about_settings() {
    return random_.pick<SetSetting>({
        {"default_retry_policy", R"({"max_retries":0})"},
        {"default_retry_policy", R"({"max_retries":2,"backoff":{"type":"fixed","delay_ms":500}})"},
        {"default_retry_policy", R"({"max_retries":1,"backoff":{"type":"exponential","jitter":true}})"},
        {"emit_renewed_events", "true"},
        {"emit_renewed_events", "false"},
        {"instance_tag_key", "team.name"},
        {"instance_tag_key", "cairn.instance_id"},
        {"event_retention", "0"},
        {"execution_retention", "a while"},
    });
}

UserCommand CommandMix::about_grants() {
    const ExecutionId id = random_.pick(created_);
    const std::string worker = random_.pick(workers);
    const GrantRequest request{.execution_id = id,
                               .worker_id = worker,
                               .worker_instance_id = worker + "-0",
                               .capabilities = random_.chance(80) ? capabilities : random_.some_of(capabilities),
                               .grant_ttl_ms = random_.pick<std::uint64_t>({1000, 20'000})};
    const GrantRedemption redemption{.execution_id = id,
                                     .worker_id = worker,
                                     .worker_instance_id = worker + random_.pick<std::string>({"-0", "-0", "-1"}),
                                     .lease_ttl_ms = random_.pick<std::uint64_t>({1000, 30'000})};
    if (!grants_.empty() && random_.chance(20)) {
        return ClaimFromResumeGrant{.grant = random_.chance(70) ? grants_.back() : random_.pick(grants_),
                                    .worker_id = redemption.worker_id,
                                    .worker_instance_id = redemption.worker_instance_id,
                                    .lease_ttl_ms = redemption.lease_ttl_ms};
    }
    switch (random_.below(6)) {
        case 0:
            return IssueClaimGrant{request};
        case 5:
            return ClaimForWorker{.lane_id = random_.pick(lanes),
                                  .worker_id = request.worker_id,
                                  .worker_instance_id = request.worker_instance_id,
                                  .capabilities = request.capabilities,
                                  .grant_ttl_ms = request.grant_ttl_ms};
        case 1:
            return IssueReclaimGrant{request, random_.chance(20) ? std::optional(1U) : std::nullopt};
        case 2:
            return ClaimExecution{redemption};
        case 3:
            return ClaimResumedExecution{redemption};
        default:
            return ReclaimExecution{redemption, std::nullopt};
    }
}

UserCommand CommandMix::about_flows(std::int64_t now_ms) {
    FlowMix::Surroundings around{
        .execution = [this, now_ms] { return create(now_ms); }, .lease = nullptr, .created = created_};
    if (!claimed_.empty()) around.lease = [this] { return lease(); };
    return flows_.next(around);
}

void CommandMix::learn(const UserCommand& command, const Answer& answer) {
    flows_.learn(command, answer);
    if (const auto* created = answer.get_if<Created>()) created_.push_back(created->execution_id);
    if (const auto* submitted = answer.get_if<FlowSubmitted>()) {
        created_.insert(created_.end(), submitted->members.begin(), submitted->members.end());
    }
    if (const auto* claimed = answer.get_if<Claimed>()) {
        claimed_.insert(claimed_.end(), claimed->executions.begin(), claimed->executions.end());
    }
    if (const auto* grant = answer.get_if<ClaimGrant>()) grants_.push_back(*grant);
    if (const auto* grant = answer.get_if<std::optional<ClaimGrant>>(); grant != nullptr && *grant) {
        grants_.push_back(**grant);
    }
}

Claim CommandMix::claim_everything(std::uint32_t count) {
    return {.lanes = lanes,
            .capabilities = capabilities,
            .worker_id = "last",
            .worker_instance_id = "last-1",
            .max_count = count};
}

std::vector<UserCommand> CommandMix::resume_every_lane() {
    std::vector<UserCommand> commands;
    for (const std::string& lane : lanes) commands.emplace_back(SetLaneState{.lane_id = lane});
    return commands;
}

CreateExecution CommandMix::create(std::int64_t now_ms) {
    CreateExecution command;
    command.lane_id = random_.pick(lanes);
    command.execution_kind = "kind";
    command.namespace_name = random_.chance(80) ? "default" : "tenant";
    command.input_payload = random_.bytes(40);
    command.priority = random_.pick<std::int32_t>({0, 0, 1, 5, 5, 9000, 99'999, -3});
    if (random_.chance(20)) command.execution_id = ExecutionId{static_cast<std::uint16_t>(random_.below(257)), uuid()};
    if (random_.chance(8) && !created_.empty()) command.execution_id = random_.pick(created_);
    if (random_.chance(30)) command.idempotency_key = "key " + std::to_string(random_.below(5));
    if (random_.chance(20)) command.delay_until_ms = now_ms + random_.between(-1000, 8000);
    if (random_.chance(20))
        command.execution_deadline_at_ms = now_ms + random_.pick<std::int64_t>({-5, 9000, 60'000, 1'000'000});
    if (random_.chance(30)) command.payload_encoding = "raw";
    if (random_.chance(30)) command.tags["cairn.instance_id"] = "i-" + std::to_string(random_.below(3));
    if (random_.chance(30)) command.tags["team.name"] = "näme \"" + std::to_string(random_.below(3));
    if (random_.chance(60)) command.policy = policy(now_ms);
    if (random_.chance(2)) command.lane_id = "";
    if (random_.chance(2)) command.execution_kind = std::string("a\0b", 3);
    return command;
}

ExecutionPolicy CommandMix::policy(std::int64_t now_ms) {
    ExecutionPolicy policy;
    if (random_.chance(20)) policy.priority = static_cast<std::int32_t>(random_.below(10));
    if (random_.chance(10)) policy.delay_until_ms = now_ms + random_.between(0, 5000);
    if (random_.chance(60)) {
        RetryPolicy retry{.max_retries = static_cast<std::uint32_t>(random_.below(4))};
        if (random_.chance(50)) {
            retry.backoff = FixedBackoff{random_.pick<std::uint64_t>({0, 500, 3000})};
        } else {
            retry.backoff = ExponentialBackoff{100, 5000, random_.pick<double>({1.0, 1.5, 2.0}), random_.chance(50)};
        }
        if (random_.chance(20)) retry.retryable_categories = {"transient", "x"};
        policy.retry_policy = retry;
    }
    if (random_.chance(20))
        policy.timeout_policy = TimeoutPolicy{.attempt_timeout_ms = random_.pick<std::uint64_t>({4000, 600'000})};
    if (random_.chance(40)) {
        policy.routing_requirements = RoutingRequirements{.required_capabilities = random_.some_of(capabilities)};
    }
    if (random_.chance(30)) policy.dedup_window_ms = random_.below(20'000);
    if (random_.chance(10)) policy.stream_policy.emplace().retention_maxlen = random_.below(4);
    if (random_.chance(30)) policy.max_reclaim_count = static_cast<std::uint32_t>(random_.below(3));
    return policy;
}

Claim CommandMix::claim() {
    Claim command;
    command.lanes = random_.some_of(lanes);
    if (command.lanes.empty()) command.lanes = lanes;
    command.capabilities = random_.some_of(capabilities);
    command.worker_id = random_.pick(workers);
    command.worker_instance_id = command.worker_id + "-" + std::to_string(random_.below(2));
    command.lease_ttl_ms = random_.pick<std::uint64_t>({1000, 5000, 30'000});
    command.max_count = static_cast<std::uint32_t>(random_.below(5));
    if (random_.chance(10)) command.attempt_timeout_ms = random_.pick<std::uint64_t>({1000, 7000, 500'000});
    if (random_.chance(10)) command.max_wait_ms = 100;
    if (random_.chance(30)) command.request_id = std::to_string(random_.below(3));
    if (random_.chance(20)) command.namespace_name = "default";
    return command;
}

// Mostly a handle of late, as it was given.
LeaseRef CommandMix::lease() {
    const std::size_t recent = random_.chance(75) ? std::min<std::size_t>(claimed_.size(), 6) : claimed_.size();
    const ClaimedExecution& claimed = claimed_[claimed_.size() - 1 - random_.below(recent)];
    const std::uint64_t dice = random_.below(100);
    if (dice < 80) return claimed.handle;
    if (dice < 90) return damaged(claimed.handle);
    const Fence fence{.execution_id = claimed.execution_id,
                      .lease_id = claimed.lease_id,
                      .lease_epoch = claimed.lease_epoch,
                      .attempt_id = claimed.attempt_id};
    return dice < 95 ? fence : distorted(fence);
}

Handle CommandMix::damaged(Handle handle) {
    switch (random_.below(5)) {
        case 0:
            handle.opaque.resize(random_.below(handle.opaque.size()));
            break;
        case 1:
            handle.opaque += 'x';
            break;
        case 2:
            handle.backend = BackendTag::valkey;
            break;
        case 3:
            handle.kind = HandleKind::suspended;
            break;
        default: {
            char& byte = handle.opaque[3 + random_.below(handle.opaque.size() - 3)];
            byte = static_cast<char>(byte ^ (1 << random_.below(8)));
        }
    }
    return handle;
}

Fence CommandMix::distorted(Fence fence) {
    switch (random_.below(5)) {
        case 0:
            fence.lease_id.reset();
            break;
        case 1:
            fence.lease_epoch = LeaseEpoch{random_.below(5)};
            break;
        case 2:
            fence.execution_id = random_.pick(claimed_).execution_id;
            break;
        case 3:
            fence.execution_id.uuid = uuid();
            break;
        default:
            fence = {.execution_id = fence.execution_id};
    }
    return fence;
}

Uuid CommandMix::uuid() {
    Uuid id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    return id;
}

}  // namespace flowfabric::test
