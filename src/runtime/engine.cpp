#include "flowfabric/engine.hpp"

#include <algorithm>
#include <chrono>
#include <future>

#include "runtime/engine_impl.hpp"
#include "runtime/engine_keys.hpp"
#include "runtime/log.hpp"
#include "runtime/open_store.hpp"

namespace flowfabric {
namespace {

// Of the two seconds within which an engine ends, for what is under way.
constexpr std::chrono::milliseconds stop_grace{1300};

std::int64_t wall_clock_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::uint64_t random_seed() {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32U | device();
}

std::optional<std::uint64_t> count_of(const std::optional<std::chrono::milliseconds>& duration) {
    return duration ? std::optional(static_cast<std::uint64_t>(duration->count())) : std::nullopt;
}

SettingOverrides overrides_of(const EngineOptions& options) {
    return {.execution_retention_ms = count_of(options.execution_retention),
            .event_retention_ms = count_of(options.event_retention),
            .default_retry_policy = options.default_retry_policy,
            .emit_renewed_events = options.emit_renewed_events,
            .instance_tag_key = options.instance_tag_key};
}

Settings settings_of(const EngineOptions& options, const StoreTraits& traits) {
    return {.backend = traits.tag,
            .max_payload_bytes = options.max_payload_bytes,
            .master_key = *master_key_of(options),
            .overrides = overrides_of(options)};
}

BatchPolicy policy_of(const EngineOptions& options, const StoreTraits& traits) {
    return {.second_writer = traits.max_writers > 1,
            .max_queued = options.max_queued_commands,
            .max_queued_bytes = options.max_queued_bytes};
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
        .filter = {.namespace_name = options.reconciler_filter.namespace_name, .tag = options.reconciler_filter.tag}};
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
      readers_(backend_, options_.command_deadline),
      id_seed_(random_seed()),
      hub_(settings_of(options_, backend_->traits()), policy_of(options_, backend_->traits()),
           backend_->traits().claim_floors, steady_now, executor_of(options_, own_executor_)) {
    try {
        start();
    } catch (...) {
        hub_.stop();  // what has started ends
        throw;
    }
}

void Engine::Impl::start() {
    backend_->damage()->listen([](const Damage& damage) {
        log_error(damage.table + " " + damage.key + " cannot be read and is passed over: " + damage.detail);
    });
    hub_.health().log_to(operator_log());
    ending_.emplace([this] { hub_.stop(); },
                    [this] {
                        hub_.health().mute();
                        backend_->interrupt();
                    });
    tail_.emplace(backend_, hub_.health());
    deadlines_.emplace(hub_);
    hub_.listen_to_events([this] { tail_->on_commit(); });
    if (options_.run_reconcilers) supervisor_.emplace(hub_, backend_, supervision_of(options_));
    dispatch_.emplace(hub_, backend_);
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
    ending_->within(stop_grace);
    dispatch_->stop();
    if (supervisor_) supervisor_->stop();
    hub_.stop();
    wake_.reset();
    // Their last batches still tell the others of what they committed.
    writers_.clear();
    supervisor_.reset();
    dispatch_.reset();
    deadlines_.reset();
    tail_.reset();
    ending_.reset();
    // Its last answers may ask this engine again, and are refused.
    own_executor_.reset();
}

Result<void> Engine::Impl::check_store(std::chrono::milliseconds within) {
    if (auto there = backend_->look(); !there) return to_engine_error(there.error());
    auto row = readers_.run([](StoreReader& reader) { return reader.execution({}); }, within);
    if (!row) return row.error();
    return {};
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
        hub_.refuse([completion = std::move(completion), error = std::move(admitted).error()] { completion(error); },
                    where);
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
    if (options.execution_retention.value_or(std::chrono::milliseconds(0)).count() < 0) {
        return invalid_input("execution_retention", "must not be negative");
    }
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

void Engine::end_within(std::chrono::milliseconds grace) {
    impl_->end_within(grace);
}

Result<void> Engine::check_store(std::chrono::milliseconds within) {
    return impl_->check_store(within);
}

std::vector<ReconcilerView> Engine::list_reconcilers() {
    return impl_->reconcilers();
}

template <CommandType C>
void Engine::submit(C command, Completion<C> completion) {
    impl_->submit<C>(std::move(command), std::move(completion));
}

template <CommandType C>
void Engine::submit_past_executor(C command, Completion<C> completion) {
    impl_->submit<C>(std::move(command), std::move(completion), GiveOn::any_thread);
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

namespace detail {

// Their definitions stand in this file alone, and are wanted for every command.
template <class AnyOfThem>
struct ForEvery;
template <class... C>
struct ForEvery<std::variant<C...>> {
    static constexpr auto submits = std::tuple{&Engine::submit<C>...};
    static constexpr auto direct_submits = std::tuple{&Engine::submit_past_executor<C>...};
    static constexpr auto runs = std::tuple{&Engine::run_all<C>...};
};
template struct ForEvery<Commands>;

}  // namespace detail

template Result<FlowCancelled> Engine::Impl::call(CancelFlow);

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
Result<SettingChanged> Engine::set_setting(SetSetting command) {
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
Result<FlowSubmitted> Engine::submit_flow(SubmitFlow command) {
    return impl_->call(std::move(command));
}
Result<FlowCreated> Engine::create_flow(CreateFlow command) {
    return impl_->call(std::move(command));
}
Result<MemberAdded> Engine::add_execution_to_flow(AddExecutionToFlow command) {
    return impl_->call(std::move(command));
}
Result<EdgeStaged> Engine::stage_dependency_edge(StageDependencyEdge command) {
    return impl_->call(std::move(command));
}
Result<DependencyApplied> Engine::apply_dependency_to_child(ApplyDependencyToChild command) {
    return impl_->call(std::move(command));
}
Result<GroupPolicySet> Engine::set_edge_group_policy(SetEdgeGroupPolicy command) {
    return impl_->call(command);
}
Result<FlowSealed> Engine::seal_flow(SealFlow command) {
    return impl_->call(command);
}
Result<FlowTagSet> Engine::set_flow_tag(SetFlowTag command) {
    return impl_->call(std::move(command));
}
Result<MemberAcknowledged> Engine::ack_cancel_member(AckCancelMember command) {
    return impl_->call(command);
}
Result<WaitingChildren> Engine::wait_children(WaitChildren command) {
    return impl_->call(std::move(command));
}
Result<KeySeeded> Engine::seed_waitpoint_hmac_secret(SeedWaitpointHmacSecret command) {
    return impl_->call(std::move(command));
}
Result<KeyRotated> Engine::rotate_waitpoint_hmac_secret(RotateWaitpointHmacSecret command) {
    return impl_->call(std::move(command));
}
Result<KeysResealed> Engine::reseal_signing_keys(ResealSigningKeys command) {
    return impl_->call(command);
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
