#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "engine/flows/dispatcher.hpp"
#include "engine/queries/queries.hpp"
#include "engine/reconcilers/reconciler.hpp"
#include "runtime/hub/batch_run.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

struct SimulationOptions {
    std::uint64_t seed = 1;
    std::uint32_t writers = 1;  // connections that carry batches; any order of their store calls may happen
    BatchPolicy policy;
    Settings settings;
    DecideBatch decide = decide_batch;
};

// The whole engine without threads: the same hub, batches and reconcilers as the real runtime, one store call at a
// time, in an order that the seed decides. Everything volatile can be lost at any step by crash().
class Simulation {
  public:
    Simulation(std::shared_ptr<Backend> backend, SimulationOptions options);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    template <class C>
    void submit(C command, AnyCompletion completion) {
        submit_admitted(admit(std::move(command), hub_->settings(), next_ids()), std::move(completion));
    }

    // Submits and steps until the answer is there.
    template <class C>
    Result<typename C::Answer> run(C command) {
        auto answer = run_admitted(admit(std::move(command), hub_->settings(), next_ids()));
        if (!answer) return std::move(answer).error();
        return std::move(*answer).template as<typename C::Answer>();
    }

    // What the engine would answer now.
    template <QueryType Q>
    Result<typename Q::Answer> read(Q query) {
        auto answer = read_any(std::move(query));
        if (!answer) return std::move(answer).error();
        return std::any_cast<typename Q::Answer>(*std::move(answer));
    }

    // One store call of one writer, or a jump of the steady clock to the next deadline. False: nothing is left to do.
    bool step();
    void settle();

    // What the supervisor would do now: every due row through the normal batches, to the end.
    void reconcile();
    // Since the last crash.
    std::vector<ReconcilerView> reconcilers() const;

    void advance_steady(SteadyMs by_ms) { steady_ms_ += by_ms; }
    std::mt19937_64& random() { return random_; }

    // The process dies: queues, batches and connections are gone, no completion is called. The store remains.
    void crash();

  private:
    struct Connection {
        std::unique_ptr<StoreWriter> writer;
        std::optional<BatchRun> run;
    };

    static constexpr SteadyMs deadline_ms = 30'000;

    IdSource next_ids();
    void submit_admitted(Result<Command> command, AnyCompletion completion);
    Result<Answer> run_admitted(Result<Command> command);
    Result<std::any> read_any(const Queries& query);
    void start();
    bool give_work(Connection& connection, WriterRole role);
    void make_call(Connection& connection);
    void hand_over(Reconciler& reconciler, std::vector<Command> commands);
    bool dispatch();
    void submit_job(Dispatcher::Job job);

    std::shared_ptr<Backend> backend_;
    SimulationOptions options_;
    std::mt19937_64 random_;
    SteadyMs steady_ms_ = 1;
    std::uint64_t commands_ = 0;
    std::unique_ptr<CommandHub> hub_;
    std::vector<Connection> connections_;
    std::vector<Reconciler> reconcilers_;
    Dispatcher dispatcher_;
    std::unique_ptr<StoreReader> reader_;
    std::unique_ptr<StoreWriter> housekeeper_;
};

}  // namespace flowfabric
