#pragma once

#include <memory>
#include <optional>
#include <random>

#include "engine/queries/queries.hpp"
#include "flowfabric/engine.hpp"
#include "runtime/hub/command_hub.hpp"
#include "runtime/hub/reader_pool.hpp"
#include "runtime/hub/serial_executor.hpp"
#include "runtime/threads/deadline_thread.hpp"
#include "runtime/threads/dispatch_thread.hpp"
#include "runtime/threads/look_thread.hpp"
#include "runtime/threads/shutdown_deadline.hpp"
#include "runtime/threads/stream_thread.hpp"
#include "runtime/threads/supervisor.hpp"
#include "runtime/threads/tail_thread.hpp"
#include "runtime/threads/wake_thread.hpp"
#include "runtime/threads/writer_thread.hpp"

namespace flowfabric {

// Everything that one engine runs. Members are declared in the order in which they start; they stop in reverse.
class Engine::Impl {
  public:
    Impl(std::shared_ptr<Backend> backend, EngineOptions options);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void submit(Commands command, Reply reply, GiveOn where);
    void submit_admitted(Command command, AnyCompletion completion, GiveOn where);
    Result<std::any> read(const Queries& query);

    ReaderPool& readers() { return *readers_; }
    const std::shared_ptr<ReaderPool>& shared_readers() { return readers_; }
    TailThread& tail() { return *tail_; }
    std::size_t parked_tails() const { return streams_->parked(); }
    void end_within(std::chrono::milliseconds grace) { shutdown_deadline_->within(grace); }
    Result<void> check_store(std::chrono::milliseconds within);
    std::vector<ReconcilerView> reconcilers() const {
        return supervisor_ ? supervisor_->reconcilers() : std::vector<ReconcilerView>{};
    }
    const Settings& settings() const { return hub_.settings(); }
    // Without the rates, which only statistics tell.
    QueryContext query_context() const { return {.settings = settings(), .inbox = backend_->traits().inbox}; }

  private:
    void start();
    IdSource next_ids();

    // Of a command that is more than its batch: a reply that looks on behind it, and then gives the answer.
    Reply behind_looks(const Commands& command, Reply reply, GiveOn where);
    Reply behind_members(const CancelFlow& cancel, Reply reply, GiveOn where);
    Reply behind_count(const FlowKey& key, Reply reply, GiveOn where);
    // Answers a tail past all batches.
    void follow_stream(const TailStream& tail, Reply reply, GiveOn where);
    std::nullopt_t give(Reply reply, Result<std::any> answer, GiveOn where);

    EngineOptions options_;
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<ReaderPool> readers_;  // subscriptions have it too, and may outlive the engine
    std::uint64_t id_seed_;
    std::atomic<std::uint64_t> commands_admitted_ = 0;
    std::optional<SerialExecutor> own_executor_;
    CommandHub hub_;
    std::optional<ShutdownDeadline> shutdown_deadline_;
    std::optional<TailThread> tail_;
    std::optional<DeadlineThread> deadlines_;
    std::optional<Supervisor> supervisor_;
    std::optional<LookThread> looks_;
    std::optional<StreamThread> streams_;
    std::optional<DispatchThread> dispatch_;
    std::vector<std::unique_ptr<WriterThread>> writers_;
    std::optional<WakeThread> wake_;
};

// Opens an engine on a store that is already at hand; Engine::open finds the store by its URL and comes here.
Result<std::unique_ptr<Engine>> open_engine(std::shared_ptr<Backend> backend, EngineOptions options);

}  // namespace flowfabric
