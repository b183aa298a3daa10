#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/command/command.hpp"
#include "engine/batching/batcher.hpp"
#include "engine/batching/linger.hpp"
#include "flowfabric/engine.hpp"
#include "flowfabric/observer.hpp"
#include "runtime/hub/serial_executor.hpp"
#include "runtime/hub/store_health.hpp"

namespace flowfabric {

using AnyCompletion = std::function<void(Result<Answer>)>;
using SteadyClock = std::function<SteadyMs()>;
using TimerListener = std::function<void(const DueRows&, SteadyMs at)>;
using FlowListener = std::function<void(const WorkingSet&, const std::vector<Undispatched>&)>;

// Where a completion runs: on the executor, as a caller's own code does, or on the thread that has the answer, where it
// may do no more than wake a waiting thread.
enum class GiveOn : std::uint8_t { executor, any_thread };

// How long an engine tries to take a SQL submission in before it looks at the inbox again.
inline constexpr SteadyMs submission_deadline_ms = 30'000;

SteadyMs steady_now();
SteadyUs steady_now_us();

// Where callers, writers and reconcilers meet: the batcher behind one mutex, with the completions of its commands.
//
// Created by the engine (or a simulation) before its threads and outliving them. Any thread may call it. After stop()
// nothing new is accepted and wait_batch() returns nothing. Completions never run under the mutex; one that throws is
// logged and costs no other its answer.
class CommandHub {
  public:
    CommandHub(Settings settings, BatchPolicy policy, bool use_floors, SteadyClock clock, Executor executor);

    const Settings& settings() const { return settings_; }
    SteadyMs now() const { return clock_(); }

    // The listener is told of every timer that a commit sets. Called before the first writer starts.
    void listen_to_timers(TimerListener listener) { timer_listener_ = std::move(listener); }

    // The listener is told of every commit that contains events. Called before the first writer starts.
    void listen_to_events(std::function<void()> listener) { event_listener_ = std::move(listener); }

    // The listener is told of every commit, with the completion events of flow members in it. Called before the first
    // writer starts.
    void listen_to_flows(FlowListener listener) { flow_listener_ = std::move(listener); }

    // The listener is told of every commit that touched a stream. Called before the first writer starts.
    void listen_to_streams(std::function<void(const WorkingSet&)> listener) { stream_listener_ = std::move(listener); }

    // Told of every batch. Called before the first writer starts.
    void listen_to_batches(std::shared_ptr<EngineObserver> observer) { observer_ = std::move(observer); }

    void submit(Command command, SteadyMs deadline_ms, AnyCompletion completion, GiveOn where = GiveOn::executor);
    struct Request {
        Command command;
        AnyCompletion completion;
    };
    // Many at once, so that they get into as few batches as can be.
    void submit_all(std::vector<Request> requests, SteadyMs deadline_ms, GiveOn where = GiveOn::executor);
    // Gives an answer that comes from no batch where the other answers are given.
    void answer_without_batch(std::function<void()> answer, GiveOn where);

    // The command as a batch takes it. Without an id its answer is dropped.
    PendingCommand pend(Command command, SteadyMs deadline_ms) const;

    // The next batch for this writer; blocks until there is one or the hub stops.
    std::optional<Batch> wait_batch(WriterRole role, SteadyMs at_most_ms);
    std::optional<Batch> try_batch(WriterRole role);

    // The routes that the batch still needs, or nothing once it is ready to load.
    std::optional<RoutesWanted> prepare(Batch& batch);
    // What to ask for when lanes have changed their states, or settings their values.
    RoutesWanted changes_wanted() const;
    // Takes in the answer and prepares the batch. False: its classes are still missing.
    bool prepare_with(Batch& batch, Routes routes);

    void finish(Batch batch, BatchDecision decision, const std::vector<Undispatched>& undispatched = {});
    void fail(Batch batch, const StoreError& error);
    // Ends a batch that may have been committed: its callers learn that the outcome is unknown.
    void give_up(Batch batch, std::string_view why);

    // What every thread of the engine tells about the store.
    StoreHealth& health() { return health_; }

    // Another process may have added work: claims look everywhere again.
    void on_foreign_change();
    // Blocks until some claim waits for work; false after `at_most_ms` or stop().
    bool wait_for_waiting_claims(SteadyMs at_most_ms);

    // Answers what is due for an answer without a batch: deadlines and claims that waited long enough.
    void expire();
    std::optional<SteadyMs> next_due() const;
    // Blocks while no command waits for its answer, then for a moment; false after stop().
    bool wait_for_deadlines();
    // False if stop() ended it.
    bool pause(std::chrono::milliseconds length);

    void stop();
    bool stopped() const;
    bool idle() const;

  private:
    struct WritersToWake {
        bool primary = false;
        bool secondary = false;
        bool patient = false;
    };
    WritersToWake writers_to_wake() const;
    void wake(const WritersToWake& writers);

    struct Caller {
        AnyCompletion completion;
        GiveOn where = GiveOn::executor;
        std::size_t bytes = 0;  // what its command holds
    };
    struct Delivery {
        Caller caller;
        Result<Answer> answer;
    };
    using Deliveries = std::vector<Delivery>;

    Result<void> enqueue(PendingCommand pending, Caller& caller);
    Deliveries collect(std::vector<Finished> finished);
    void deliver(Deliveries deliveries);
    static void give(Caller& caller, Result<Answer>& answer);
    void post(std::function<void()> job);
    void tell_timers(const WorkingSet& set);

    const Settings settings_;
    const SteadyClock clock_;
    const Executor executor_;
    const std::size_t max_queued_bytes_;

    TimerListener timer_listener_;
    std::function<void()> event_listener_;
    FlowListener flow_listener_;
    std::function<void(const WorkingSet&)> stream_listener_;
    std::shared_ptr<EngineObserver> observer_;
    StoreHealth health_;

    mutable std::mutex mutex_;                     // guards everything below
    std::array<std::condition_variable, 3> work_;  // by WriterRole
    std::condition_variable claims_waiting_;
    std::condition_variable command_queued_;
    std::condition_variable stop_called_;
    ClaimDirectory directory_;
    Batcher batcher_;
    Linger linger_;
    SteadyMs next_full_look_ = 0;  // for deadlines that nothing announces
    std::unordered_map<CommandId, Caller> callers_;
    std::size_t queued_bytes_ = 0;  // of the commands that callers wait for
    CommandId last_id_ = 0;
    bool stopped_ = false;
    std::unique_ptr<SerialExecutor> fallback_;  // for answers that the executor refuses; goes first, with its last job
};

}  // namespace flowfabric
