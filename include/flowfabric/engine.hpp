#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/commands.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

// Runs a completion somewhere: on a thread pool, an event loop, the caller's own strand.
using Executor = std::function<void(std::function<void()>)>;

struct EngineOptions {
    // `sqlite:PATH`, `postgres://…` or `memory:`.
    std::string store = "sqlite:flowfabric.db";
    bool migrate = true;  // bring the schema up to date at open; otherwise an older one is refused
    // Lease expiry, delayed promotion and the other timers. Any number of engines may run them on one store.
    bool run_reconcilers = true;
    bool emit_renewed_events = true;
    std::size_t max_payload_bytes = 1'048'576;
    std::size_t max_queued_commands = 100'000;
    std::chrono::milliseconds command_deadline{30'000};
    std::string instance_tag_key = "cairn.instance_id";  // the tag whose value is copied onto events
    Executor executor;  // where completions run; absent: one thread of the engine's own
};

template <class C>
concept CommandType = std::same_as<C, CreateExecution> || std::same_as<C, Claim> || std::same_as<C, Renew> ||
                      std::same_as<C, Complete> || std::same_as<C, Fail>;

template <CommandType C>
using Completion = std::function<void(Result<typename C::Answer>)>;

// One open store with everything that drives it.
//
// Life cycle: `open` connects, migrates and starts the threads; the destructor lets running batches finish, answers
// what is still queued with `unavailable` and joins. All members may be called from any thread. A completion is called
// exactly once, on the executor, and only after the commit that contains its answer.
class Engine {
  public:
    static Result<std::unique_ptr<Engine>> open(EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // The one way in; everything below that changes state is this, with a wait.
    template <CommandType C>
    void submit(C command, Completion<C> completion);

    Result<Created> create_execution(CreateExecution command);
    Result<Claimed> claim(Claim command);
    Result<Renewed> renew(Renew command);
    Result<Completed> complete(Complete command);
    Result<Failed> fail(Fail command);

    Result<std::optional<ExecutionView>> describe_execution(const ExecutionId& id);
    Result<std::optional<Bytes>> get_execution_result(const ExecutionId& id);
    Result<std::optional<Bytes>> get_execution_input(const ExecutionId& id);
    Result<ExecutionPage> list_executions(const ExecutionListQuery& query);
    Result<std::vector<AttemptView>> list_attempts(const ExecutionId& id);
    Result<std::vector<std::string>> list_lanes();

    class Impl;
    explicit Engine(std::unique_ptr<Impl> impl);

  private:
    std::unique_ptr<Impl> impl_;
};

// Migrates the store that `store` names and tells which migrations were applied.
Result<std::vector<std::string>> migrate(const std::string& store);

}  // namespace flowfabric
