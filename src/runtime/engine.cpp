#include "flowfabric/engine.hpp"

#include <algorithm>
#include <chrono>
#include <future>

#include "runtime/engine_impl.hpp"
#include "runtime/engine_keys.hpp"
#include "runtime/open_store.hpp"

namespace flowfabric {
namespace {

std::int64_t wall_clock_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::uint64_t random_seed() {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32U | device();
}

Settings settings_of(const EngineOptions& options, const StoreTraits& traits) {
    return {.backend = traits.tag,
            .max_payload_bytes = options.max_payload_bytes,
            .emit_renewed_events = options.emit_renewed_events,
            .instance_tag_key = options.instance_tag_key,
            .execution_retention_ms = static_cast<std::uint64_t>(options.execution_retention.count()),
            .master_key = *master_key_of(options)};
}

BatchPolicy policy_of(const EngineOptions& options, const StoreTraits& traits) {
    return {.second_writer = traits.max_writers > 1, .max_queued = options.max_queued_commands};
}

// Fails on what does not name a reconciler.
Result<std::vector<ReconcilerSpec>> reconcilers_of(const EngineOptions& options) {
    auto settings = options.reconcilers;
    std::vector<ReconcilerSpec> specs;
    for (ReconcilerSpec spec : all_reconcilers()) {
        if (const auto own = settings.extract(std::string(spec.name))) {
            spec.interval_ms = own.mapped().interval.count();
            spec.batch = std::max(own.mapped().batch, 1U);
        }
        if (spec.interval_ms > 0) specs.push_back(spec);
    }
    if (!settings.empty()) {
        return invalid_input("reconcilers", "there is no reconciler '" + settings.begin()->first + "'");
    }
    return specs;
}

Supervisor::Options supervision_of(const EngineOptions& options) {
    return {
        .reconcilers = *reconcilers_of(options),
        .filter = {.namespace_name = options.reconciler_filter.namespace_name, .tag = options.reconciler_filter.tag},
        .execution_retention_ms = options.execution_retention.count(),
        .event_retention_ms = options.event_retention.count()};
}

Executor executor_of(const EngineOptions& options, std::optional<SerialExecutor>& own) {
    if (options.executor) return options.executor;
    SerialExecutor& serial = own.emplace();
    return [&serial](std::function<void()> job) { serial.post(std::move(job)); };
}

}  // namespace

Engine::Impl::Impl(std::shared_ptr<Backend> backend, EngineOptions options)
    : options_(std::move(options)),
      backend_(std::move(backend)),
      readers_(backend_),
      tail_(backend_),
      id_seed_(random_seed()),
      hub_(settings_of(options_, backend_->traits()), policy_of(options_, backend_->traits()),
           backend_->traits().claim_floors, steady_now, executor_of(options_, own_executor_)) {
    hub_.listen_to_events([this] { tail_.on_commit(); });
    if (options_.run_reconcilers) supervisor_.emplace(hub_, backend_, supervision_of(options_));
    const auto start_writer = [&](WriterRole role) {
        writers_.push_back(std::make_unique<WriterThread>(hub_, backend_, role));
    };
    start_writer(WriterRole::primary);
    if (backend_->traits().max_writers > 1) {
        start_writer(WriterRole::secondary);
        start_writer(WriterRole::patient);
    }
    wake_.emplace(hub_, backend_, options_.run_reconcilers && backend_->traits().inbox);
}

Engine::Impl::~Impl() {
    if (supervisor_) supervisor_->stop();
    hub_.stop();
    wake_.reset();
    writers_.clear();
}

IdSource Engine::Impl::next_ids() {
    const std::uint64_t number = commands_admitted_.fetch_add(1, std::memory_order_relaxed);
    return {wall_clock_ms(), mix64(id_seed_ + number), mix64(~id_seed_ ^ number)};
}

// NOLINTBEGIN(performance-unnecessary-value-param): the door takes most commands apart and only reads a few
template <CommandType C>
void Engine::Impl::submit(C command, Completion<C> completion, GiveOn where) {
    auto admitted = admit(std::move(command), hub_.settings(), next_ids());
    if (!admitted) {
        hub_.refuse([completion = std::move(completion), error = std::move(admitted).error()] { completion(error); });
        return;
    }
    hub_.submit(
        std::move(*admitted), options_.command_deadline.count(),
        [completion = std::move(completion)](Result<Answer> answer) {
            if (answer) {
                completion(std::get<typename C::Answer>(std::move(*answer)));
            } else {
                completion(std::move(answer).error());
            }
        },
        where);
}

// NOLINTEND(performance-unnecessary-value-param)

template <CommandType C>
Result<typename C::Answer> Engine::Impl::call(C command) {
    std::promise<Result<typename C::Answer>> promise;
    auto answer = promise.get_future();
    submit<C>(
        std::move(command), [&promise](Result<typename C::Answer> result) { promise.set_value(std::move(result)); },
        GiveOn::any_thread);
    return answer.get();
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> open_engine(std::shared_ptr<Backend> backend, EngineOptions options) {
    if (auto reconcilers = reconcilers_of(options); !reconcilers) return reconcilers.error();
    if (auto key = master_key_of(options); !key) return key.error();
    if (options.execution_retention.count() < 0) return invalid_input("execution_retention", "must not be negative");
    if (options.migrate) {
        if (auto migrated = backend->migrate(); !migrated) return to_engine_error(migrated.error());
    }
    if (auto checked = backend->check(); !checked) return to_engine_error(checked.error());
    const bool installs_key = options.run_reconcilers;
    auto engine = std::make_unique<Engine>(std::make_unique<Engine::Impl>(std::move(backend), std::move(options)));
    if (installs_key) {
        if (auto ensured = ensure_signing_key(*engine); !ensured) return ensured.error();
    }
    return engine;
}

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
    auto backend = open_store(options.store);
    if (!backend) return backend.error();
    return open_engine(std::move(*backend), std::move(options));
}

Result<std::vector<std::string>> migrate(const std::string& store) {
    auto backend = open_store(store);
    if (!backend) return backend.error();
    auto applied = (*backend)->migrate();
    if (!applied) return to_engine_error(applied.error());
    return std::move(*applied);
}

std::vector<ReconcilerView> Engine::list_reconcilers() {
    return impl_->reconcilers();
}

template <CommandType C>
void Engine::submit(C command, Completion<C> completion) {
    impl_->submit<C>(std::move(command), std::move(completion));
}

template <CommandType C>
std::vector<Result<typename C::Answer>> Engine::run_all(std::vector<C> commands) {
    using Answers = std::vector<Result<typename C::Answer>>;
    if (commands.empty()) return {};
    Answers answers(commands.size(), EngineError{});
    std::atomic<std::size_t> open = commands.size();
    std::promise<void> all;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        impl_->submit<C>(
            std::move(commands[i]),
            [&, i](Result<typename C::Answer> answer) {
                answers[i] = std::move(answer);
                if (open.fetch_sub(1) == 1) all.set_value();
            },
            GiveOn::any_thread);
    }
    all.get_future().wait();
    return answers;
}

template void Engine::submit(CreateExecution command, Completion<CreateExecution> completion);
template void Engine::submit(Claim command, Completion<Claim> completion);
template void Engine::submit(Renew command, Completion<Renew> completion);
template void Engine::submit(Complete command, Completion<Complete> completion);
template void Engine::submit(Fail command, Completion<Fail> completion);
template void Engine::submit(Progress command, Completion<Progress> completion);
template void Engine::submit(Delay command, Completion<Delay> completion);
template void Engine::submit(ReleaseUnstarted command, Completion<ReleaseUnstarted> completion);
template void Engine::submit(Cancel command, Completion<Cancel> completion);
template void Engine::submit(CancelExecution command, Completion<CancelExecution> completion);
template void Engine::submit(SetExecutionTags command, Completion<SetExecutionTags> completion);
template void Engine::submit(ChangePriority command, Completion<ChangePriority> completion);
template void Engine::submit(ReplayExecution command, Completion<ReplayExecution> completion);
template void Engine::submit(RevokeLease command, Completion<RevokeLease> completion);
template void Engine::submit(IssueGrantAndClaim command, Completion<IssueGrantAndClaim> completion);
template void Engine::submit(FireTimer command, Completion<FireTimer> completion);
template void Engine::submit(SetLaneState command, Completion<SetLaneState> completion);
template void Engine::submit(RegisterConsumer command, Completion<RegisterConsumer> completion);
template void Engine::submit(AcknowledgeEvents command, Completion<AcknowledgeEvents> completion);
template void Engine::submit(RemoveConsumer command, Completion<RemoveConsumer> completion);
template void Engine::submit(RegisterWorker command, Completion<RegisterWorker> completion);
template void Engine::submit(HeartbeatWorker command, Completion<HeartbeatWorker> completion);
template void Engine::submit(MarkWorkerDead command, Completion<MarkWorkerDead> completion);
template void Engine::submit(IssueClaimGrant command, Completion<IssueClaimGrant> completion);
template void Engine::submit(ClaimExecution command, Completion<ClaimExecution> completion);
template void Engine::submit(ClaimResumedExecution command, Completion<ClaimResumedExecution> completion);
template void Engine::submit(ClaimFromResumeGrant command, Completion<ClaimFromResumeGrant> completion);
template void Engine::submit(IssueReclaimGrant command, Completion<IssueReclaimGrant> completion);
template void Engine::submit(ReclaimExecution command, Completion<ReclaimExecution> completion);
template void Engine::submit(SeedWaitpointHmacSecret command, Completion<SeedWaitpointHmacSecret> completion);
template void Engine::submit(RotateWaitpointHmacSecret command, Completion<RotateWaitpointHmacSecret> completion);
template void Engine::submit(CreateWaitpoint command, Completion<CreateWaitpoint> completion);
template void Engine::submit(CloseWaitpoint command, Completion<CloseWaitpoint> completion);
template void Engine::submit(Suspend command, Completion<Suspend> completion);
template void Engine::submit(DeliverSignal command, Completion<DeliverSignal> completion);
template void Engine::submit(DeliverApprovalSignal command, Completion<DeliverApprovalSignal> completion);
template void Engine::submit(ResumeExecution command, Completion<ResumeExecution> completion);
template std::vector<Result<Created>> Engine::run_all(std::vector<CreateExecution> commands);
template std::vector<Result<Claimed>> Engine::run_all(std::vector<Claim> commands);
template std::vector<Result<Renewed>> Engine::run_all(std::vector<Renew> commands);
template std::vector<Result<Completed>> Engine::run_all(std::vector<Complete> commands);
template std::vector<Result<Failed>> Engine::run_all(std::vector<Fail> commands);
template std::vector<Result<ProgressRecorded>> Engine::run_all(std::vector<Progress> commands);
template std::vector<Result<Delayed>> Engine::run_all(std::vector<Delay> commands);
template std::vector<Result<Released>> Engine::run_all(std::vector<ReleaseUnstarted> commands);
template std::vector<Result<Cancelled>> Engine::run_all(std::vector<Cancel> commands);
template std::vector<Result<Cancelled>> Engine::run_all(std::vector<CancelExecution> commands);
template std::vector<Result<TagsSet>> Engine::run_all(std::vector<SetExecutionTags> commands);
template std::vector<Result<PriorityChanged>> Engine::run_all(std::vector<ChangePriority> commands);
template std::vector<Result<Replayed>> Engine::run_all(std::vector<ReplayExecution> commands);
template std::vector<Result<Revocation>> Engine::run_all(std::vector<RevokeLease> commands);
template std::vector<Result<LeasedExecution>> Engine::run_all(std::vector<IssueGrantAndClaim> commands);
template std::vector<Result<TimerFired>> Engine::run_all(std::vector<FireTimer> commands);
template std::vector<Result<LaneChanged>> Engine::run_all(std::vector<SetLaneState> commands);
template std::vector<Result<ConsumerPosition>> Engine::run_all(std::vector<RegisterConsumer> commands);
template std::vector<Result<ConsumerPosition>> Engine::run_all(std::vector<AcknowledgeEvents> commands);
template std::vector<Result<ConsumerRemoved>> Engine::run_all(std::vector<RemoveConsumer> commands);
template std::vector<Result<WorkerRegistered>> Engine::run_all(std::vector<RegisterWorker> commands);
template std::vector<Result<Heartbeat>> Engine::run_all(std::vector<HeartbeatWorker> commands);
template std::vector<Result<WorkerDeath>> Engine::run_all(std::vector<MarkWorkerDead> commands);
template std::vector<Result<ClaimGrant>> Engine::run_all(std::vector<IssueClaimGrant> commands);
template std::vector<Result<LeasedExecution>> Engine::run_all(std::vector<ClaimExecution> commands);
template std::vector<Result<LeasedExecution>> Engine::run_all(std::vector<ClaimResumedExecution> commands);
template std::vector<Result<std::optional<LeasedExecution>>> Engine::run_all(
    std::vector<ClaimFromResumeGrant> commands);
template std::vector<Result<ReclaimGrantOutcome>> Engine::run_all(std::vector<IssueReclaimGrant> commands);
template std::vector<Result<ReclaimOutcome>> Engine::run_all(std::vector<ReclaimExecution> commands);
template std::vector<Result<KeySeeded>> Engine::run_all(std::vector<SeedWaitpointHmacSecret> commands);
template std::vector<Result<KeyRotated>> Engine::run_all(std::vector<RotateWaitpointHmacSecret> commands);
template std::vector<Result<PendingWaitpoint>> Engine::run_all(std::vector<CreateWaitpoint> commands);
template std::vector<Result<WaitpointClosed>> Engine::run_all(std::vector<CloseWaitpoint> commands);
template std::vector<Result<SuspendOutcome>> Engine::run_all(std::vector<Suspend> commands);
template std::vector<Result<SignalOutcome>> Engine::run_all(std::vector<DeliverSignal> commands);
template std::vector<Result<SignalOutcome>> Engine::run_all(std::vector<DeliverApprovalSignal> commands);
template std::vector<Result<Resumed>> Engine::run_all(std::vector<ResumeExecution> commands);

Result<Created> Engine::create_execution(CreateExecution command) {
    return impl_->call(std::move(command));
}
Result<Claimed> Engine::claim(Claim command) {
    return impl_->call(std::move(command));
}
Result<Renewed> Engine::renew(Renew command) {
    return impl_->call(std::move(command));
}
Result<Completed> Engine::complete(Complete command) {
    return impl_->call(std::move(command));
}
Result<Failed> Engine::fail(Fail command) {
    return impl_->call(std::move(command));
}
Result<ProgressRecorded> Engine::progress(Progress command) {
    return impl_->call(std::move(command));
}
Result<Delayed> Engine::delay(Delay command) {
    return impl_->call(std::move(command));
}
Result<Released> Engine::release_unstarted(ReleaseUnstarted command) {
    return impl_->call(std::move(command));
}
Result<Cancelled> Engine::cancel(Cancel command) {
    return impl_->call(std::move(command));
}
Result<Cancelled> Engine::cancel_execution(CancelExecution command) {
    return impl_->call(std::move(command));
}
Result<TagsSet> Engine::set_execution_tags(SetExecutionTags command) {
    return impl_->call(std::move(command));
}
Result<PriorityChanged> Engine::change_priority(ChangePriority command) {
    return impl_->call(command);
}
Result<Replayed> Engine::replay_execution(ReplayExecution command) {
    return impl_->call(command);
}
Result<Revocation> Engine::revoke_lease(RevokeLease command) {
    return impl_->call(std::move(command));
}
Result<LeasedExecution> Engine::issue_grant_and_claim(IssueGrantAndClaim command) {
    return impl_->call(command);
}
Result<TimerFired> Engine::fire_timer(FireTimer command) {
    return impl_->call(command);
}
Result<LaneChanged> Engine::set_lane_state(SetLaneState command) {
    return impl_->call(std::move(command));
}
Result<ConsumerPosition> Engine::register_consumer(RegisterConsumer command) {
    return impl_->call(std::move(command));
}
Result<ConsumerPosition> Engine::acknowledge_events(AcknowledgeEvents command) {
    return impl_->call(std::move(command));
}
Result<ConsumerRemoved> Engine::remove_consumer(RemoveConsumer command) {
    return impl_->call(std::move(command));
}
Result<WorkerRegistered> Engine::register_worker(RegisterWorker command) {
    return impl_->call(std::move(command));
}
Result<Heartbeat> Engine::heartbeat_worker(HeartbeatWorker command) {
    return impl_->call(std::move(command));
}
Result<WorkerDeath> Engine::mark_worker_dead(MarkWorkerDead command) {
    return impl_->call(std::move(command));
}
Result<ClaimGrant> Engine::issue_claim_grant(IssueClaimGrant command) {
    return impl_->call(std::move(command));
}
Result<LeasedExecution> Engine::claim_execution(ClaimExecution command) {
    return impl_->call(std::move(command));
}
Result<LeasedExecution> Engine::claim_resumed_execution(ClaimResumedExecution command) {
    return impl_->call(std::move(command));
}
Result<std::optional<LeasedExecution>> Engine::claim_from_resume_grant(ClaimFromResumeGrant command) {
    return impl_->call(std::move(command));
}
Result<ReclaimGrantOutcome> Engine::issue_reclaim_grant(IssueReclaimGrant command) {
    return impl_->call(std::move(command));
}
Result<ReclaimOutcome> Engine::reclaim_execution(ReclaimExecution command) {
    return impl_->call(std::move(command));
}
Result<KeySeeded> Engine::seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command) {
    return impl_->call(std::move(command));
}
Result<KeyRotated> Engine::rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command) {
    return impl_->call(std::move(command));
}
Result<PendingWaitpoint> Engine::create_waitpoint(CreateWaitpoint command) {
    return impl_->call(std::move(command));
}
Result<WaitpointClosed> Engine::close_waitpoint(CloseWaitpoint command) {
    return impl_->call(std::move(command));
}
Result<SuspendOutcome> Engine::suspend(Suspend command) {
    return impl_->call(std::move(command));
}
Result<SignalOutcome> Engine::deliver_signal(DeliverSignal command) {
    return impl_->call(std::move(command));
}
Result<SignalOutcome> Engine::deliver_approval_signal(DeliverApprovalSignal command) {
    return impl_->call(std::move(command));
}
Result<Resumed> Engine::resume_execution(ResumeExecution command) {
    return impl_->call(command);
}

}  // namespace flowfabric
