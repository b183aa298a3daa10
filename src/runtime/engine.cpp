#include "flowfabric/engine.hpp"

#include <algorithm>
#include <chrono>
#include <future>

#include "core/view.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/open_store.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t max_page = 1000;

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
            .instance_tag_key = options.instance_tag_key};
}

BatchPolicy policy_of(const EngineOptions& options, const StoreTraits& traits) {
    return {.second_writer = traits.max_writers > 1, .max_queued = options.max_queued_commands};
}

Executor executor_of(const EngineOptions& options, std::optional<SerialExecutor>& own) {
    if (options.executor) return options.executor;
    SerialExecutor& serial = own.emplace();
    return [&serial](std::function<void()> job) { serial.post(std::move(job)); };
}

template <class C>
Result<typename C::Answer> call(Engine& engine, C command) {
    std::promise<Result<typename C::Answer>> promise;
    auto answer = promise.get_future();
    engine.submit<C>(std::move(command),
                     [&promise](Result<typename C::Answer> result) { promise.set_value(std::move(result)); });
    return answer.get();
}

}  // namespace

Engine::Impl::Impl(std::shared_ptr<Backend> backend, EngineOptions options)
    : options_(std::move(options)),
      backend_(std::move(backend)),
      readers_(backend_),
      id_seed_(random_seed()),
      hub_(settings_of(options_, backend_->traits()), policy_of(options_, backend_->traits()),
           backend_->traits().claim_floors, steady_now, executor_of(options_, own_executor_)) {
    if (options_.run_reconcilers) supervisor_.emplace(hub_, backend_);
    const auto start_writer = [&](WriterRole role) {
        writers_.push_back(std::make_unique<WriterThread>(hub_, backend_, role));
    };
    start_writer(WriterRole::primary);
    if (backend_->traits().max_writers > 1) {
        start_writer(WriterRole::secondary);
        start_writer(WriterRole::patient);
    }
    wake_.emplace(hub_, backend_);
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

template <CommandType C>
void Engine::Impl::submit(C command, Completion<C> completion) {
    auto admitted = admit(std::move(command), hub_.settings(), next_ids());
    if (!admitted) {
        hub_.refuse([completion = std::move(completion), error = std::move(admitted).error()] { completion(error); });
        return;
    }
    hub_.submit(std::move(*admitted), options_.command_deadline.count(),
                [completion = std::move(completion)](Result<Answer> answer) {
                    if (answer) {
                        completion(std::get<typename C::Answer>(std::move(*answer)));
                    } else {
                        completion(std::move(answer).error());
                    }
                });
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> open_engine(std::shared_ptr<Backend> backend, EngineOptions options) {
    if (options.migrate) {
        if (auto migrated = backend->migrate(); !migrated) return to_engine_error(migrated.error());
    }
    if (auto checked = backend->check(); !checked) return to_engine_error(checked.error());
    return std::make_unique<Engine>(std::make_unique<Engine::Impl>(std::move(backend), std::move(options)));
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

template <CommandType C>
void Engine::submit(C command, Completion<C> completion) {
    impl_->submit<C>(std::move(command), std::move(completion));
}

template void Engine::submit(CreateExecution command, Completion<CreateExecution> completion);
template void Engine::submit(Claim command, Completion<Claim> completion);
template void Engine::submit(Renew command, Completion<Renew> completion);
template void Engine::submit(Complete command, Completion<Complete> completion);
template void Engine::submit(Fail command, Completion<Fail> completion);

Result<Created> Engine::create_execution(CreateExecution command) {
    return call(*this, std::move(command));
}
Result<Claimed> Engine::claim(Claim command) {
    return call(*this, std::move(command));
}
Result<Renewed> Engine::renew(Renew command) {
    return call(*this, std::move(command));
}
Result<Completed> Engine::complete(Complete command) {
    return call(*this, std::move(command));
}
Result<Failed> Engine::fail(Fail command) {
    return call(*this, std::move(command));
}

Result<std::optional<ExecutionView>> Engine::describe_execution(const ExecutionId& id) {
    auto row = impl_->readers().run([&](StoreReader& reader) { return reader.execution(id); });
    if (!row) return row.error();
    return *row ? std::optional(view_of(**row)) : std::nullopt;
}

Result<std::optional<Bytes>> Engine::get_execution_result(const ExecutionId& id) {
    return impl_->readers().run([&](StoreReader& reader) { return reader.result(id); });
}

Result<std::optional<Bytes>> Engine::get_execution_input(const ExecutionId& id) {
    return impl_->readers().run([&](StoreReader& reader) { return reader.input(id); });
}

Result<ExecutionPage> Engine::list_executions(const ExecutionListQuery& query) {
    ExecutionPage page;
    if (query.limit == 0) return page;
    ExecutionListQuery one_more = query;
    one_more.limit = std::min(query.limit, max_page) + 1;
    auto rows = impl_->readers().run([&](StoreReader& reader) { return reader.list(one_more); });
    if (!rows) return rows.error();
    const bool more = rows->size() == one_more.limit;
    if (more) rows->pop_back();
    for (const ExecutionRow& row : *rows) page.executions.push_back(view_of(row));
    if (more) page.next = rows->back().id;
    return page;
}

Result<std::vector<AttemptView>> Engine::list_attempts(const ExecutionId& id) {
    // The row first: an attempt that ends in between is then seen twice rather than not at all, and merged by index.
    auto row = impl_->readers().run([&](StoreReader& reader) { return reader.execution(id); });
    if (!row) return row.error();
    if (!*row) return std::vector<AttemptView>{};
    auto ended = impl_->readers().run([&](StoreReader& reader) { return reader.attempts(id); });
    if (!ended) return ended.error();
    return attempts_of(*ended, **row);
}

Result<std::vector<std::string>> Engine::list_lanes() {
    return impl_->readers().run([](StoreReader& reader) { return reader.lanes(); });
}

}  // namespace flowfabric
