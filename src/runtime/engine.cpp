#include "flowfabric/engine.hpp"

#include <algorithm>
#include <chrono>

#include "engine/queries/queries.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/engine_keys.hpp"
#include "runtime/log.hpp"
#include "runtime/open_store.hpp"

namespace flowfabric {
namespace {

// The part of the two seconds within which an engine ends that is left to running batches.
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
        .filter = {.namespace_name = options.reconciler_filter.namespace_name, .tag = options.reconciler_filter.tag},
        .observer = options.observer};
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
      readers_(std::make_shared<ReaderPool>(backend_, options_.command_deadline)),
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
    shutdown_deadline_.emplace([this] { hub_.stop(); },
                               [this] {
                                   hub_.health().mute();
                                   backend_->interrupt();
                               });
    tail_.emplace(backend_, hub_.health());
    deadlines_.emplace(hub_);
    hub_.listen_to_batches(options_.observer);
    hub_.listen_to_events([this] { tail_->on_commit(); });
    if (options_.run_reconcilers) supervisor_.emplace(hub_, backend_, supervision_of(options_));
    looks_.emplace();
    streams_.emplace(backend_, readers_);
    hub_.listen_to_streams([this](const WorkingSet& set) { streams_->on_commit(set); });
    dispatch_.emplace(hub_, backend_, [this] { looks_->wake(); });
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
    shutdown_deadline_->within(stop_grace);
    dispatch_->stop();
    looks_->stop();
    streams_->stop();
    if (supervisor_) supervisor_->stop();
    hub_.stop();
    wake_.reset();
    // Their last batches still tell the others of what they committed.
    writers_.clear();
    supervisor_.reset();
    dispatch_.reset();
    deadlines_.reset();
    tail_.reset();
    shutdown_deadline_.reset();
    // Its last answers may ask this engine again, and are refused.
    own_executor_.reset();
}

Result<void> Engine::Impl::check_store(std::chrono::milliseconds within) {
    if (auto there = backend_->look(); !there) return to_engine_error(there.error());
    auto row = readers_->run([](StoreReader& reader) { return reader.execution({}); }, within);
    if (!row) return row.error();
    return {};
}

IdSource Engine::Impl::next_ids() {
    const std::uint64_t number = commands_admitted_.fetch_add(1, std::memory_order_relaxed);
    return {wall_clock_ms(), mix64(id_seed_ + number), mix64(~id_seed_ ^ number)};
}

void Engine::Impl::submit(Commands command, Reply reply, GiveOn where) {
    reply = behind_looks(command, std::move(reply), where);
    auto admitted =
        std::visit([&](auto& asked) { return admit(std::move(asked), hub_.settings(), next_ids()); }, command);
    if (!admitted) {
        give(std::move(reply), std::move(admitted).error(), where);
        return;
    }
    if (const TailStream* tail = (*admitted)->tail()) return follow_stream(*tail, std::move(reply), where);
    submit_admitted(
        *std::move(admitted),
        [reply = std::move(reply)](Result<Answer> answer) {
            if (answer) {
                reply(std::move(*answer).take());
            } else {
                reply(std::move(answer).error());
            }
        },
        where);
}

void Engine::Impl::submit_admitted(Command command, AnyCompletion completion, GiveOn where) {
    hub_.submit(std::move(command), options_.command_deadline.count(), std::move(completion), where);
}

Result<std::any> Engine::Impl::read(const Queries& query) {
    const auto rates = supervisor_ ? supervisor_->rates() : nullptr;
    QueryContext context = query_context();
    context.rates = rates.get();
    return readers_->run([&](StoreReader& reader) { return answer_any(query, reader, context); });
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

ReaderUse Engine::reader_use() {
    return impl_->readers().use();
}

std::size_t Engine::waiting_tails() {
    return impl_->parked_tails();
}

void Engine::submit_any(Commands command, Reply reply, AnswerOn where) {
    impl_->submit(std::move(command), std::move(reply),
                  where == AnswerOn::executor ? GiveOn::executor : GiveOn::any_thread);
}

Result<std::any> Engine::read_any(Queries query) {
    return impl_->read(query);
}

}  // namespace flowfabric
