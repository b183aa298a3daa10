#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/command.hpp"
#include "engine/batcher.hpp"
#include "engine/linger.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric {

using AnyCompletion = std::function<void(Result<Answer>)>;
using SteadyClock = std::function<SteadyMs()>;
using TimerListener = std::function<void(Timer, SteadyMs at)>;
using FlowListener = std::function<void(const WorkingSet&, const std::vector<Undispatched>&)>;

// Where an answer is given: on the executor, as the caller's own code is; or on the thread that has it, where nothing
// is done but to wake who waits for it.
enum class GiveOn : std::uint8_t { executor, any_thread };

SteadyMs steady_now();
SteadyUs steady_now_us();

// Where callers, writers and reconcilers meet: the batcher behind one mutex, with the completions of its commands.
//
// Created by the engine (or a simulation) before its threads and outliving them. Any thread may call it. After stop()
// nothing new is accepted and wait_batch() returns nothing. Completions never run under the mutex.
class CommandHub {
  public:
    CommandHub(Settings settings, BatchPolicy policy, bool use_floors, SteadyClock clock, Executor executor);

    const Settings& settings() const { return settings_; }
    SteadyMs now() const { return clock_(); }

    // Is told of every timer that a commit sets. Called before the first writer starts.
    void listen_to_timers(TimerListener listener) { timer_listener_ = std::move(listener); }

    // Is told of every commit that contains events. Called before the first writer starts.
    void listen_to_events(std::function<void()> listener) { event_listener_ = std::move(listener); }

    // Is told of every commit, with the ends of flow members in it. Called before the first writer starts.
    void listen_to_flows(FlowListener listener) { flow_listener_ = std::move(listener); }

    void submit(Command command, SteadyMs deadline_ms, AnyCompletion completion, GiveOn where = GiveOn::executor);
    struct Submission {
        Command command;
        AnyCompletion completion;
    };
    // Many at once, so that they get into as few batches as can be.
    void submit_all(std::vector<Submission> submissions, SteadyMs deadline_ms, GiveOn where = GiveOn::executor);
    // Runs the answer to a command that did not pass the front door, where all answers run.
    void refuse(std::function<void()> answer) { executor_(std::move(answer)); }

    // The next batch for this writer; blocks until there is one or the hub stops.
    std::optional<Batch> wait_batch(WriterRole role, SteadyMs at_most_ms);
    std::optional<Batch> try_batch(WriterRole role);

    // The classes that the batch still needs, or nothing once it is ready to load.
    std::optional<std::vector<ClassSpec>> prepare(Batch& batch);
    // Takes in all routes there are and prepares the batch. False: its classes are still missing.
    bool prepare_with(Batch& batch, Routes routes);

    void finish(Batch batch, BatchDecision decision, const std::vector<Undispatched>& ends = {});
    void fail(Batch batch, const StoreError& error);

    // Another process may have added work: claims look everywhere again.
    void on_foreign_change();
    // Blocks until some claim waits for work; false after `at_most_ms` or stop().
    bool wait_for_waiting_claims(SteadyMs at_most_ms);

    // Answers what is due for an answer without a batch: deadlines and claims that waited long enough.
    void expire();
    std::optional<SteadyMs> next_due() const;

    void stop();
    bool stopped() const;
    bool idle() const;

  private:
    // Which writers have a reason to look.
    struct Wakes {
        bool primary = false;
        bool secondary = false;
        bool patient = false;
    };
    Wakes wakes() const;
    void wake(const Wakes& wakes);

    struct Asker {
        AnyCompletion completion;
        GiveOn where = GiveOn::executor;
    };
    struct Delivery {
        Asker asker;
        Result<Answer> answer;
    };
    using Deliveries = std::vector<Delivery>;

    PendingCommand pend(Command command, SteadyMs deadline_ms) const;
    Result<void> enqueue(PendingCommand pending, Asker& asker);
    Deliveries collect(std::vector<Finished> finished);
    void deliver(Deliveries deliveries);
    void tell_timers(const WorkingSet& set);

    const Settings settings_;
    const SteadyClock clock_;
    const Executor executor_;

    TimerListener timer_listener_;
    std::function<void()> event_listener_;
    FlowListener flow_listener_;

    mutable std::mutex mutex_;                     // guards everything below
    std::array<std::condition_variable, 3> work_;  // by WriterRole
    std::condition_variable claims_waiting_;
    ClaimDirectory directory_;
    Batcher batcher_;
    Linger linger_;
    std::unordered_map<CommandId, Asker> askers_;
    CommandId last_id_ = 0;
    bool stopped_ = false;
};

}  // namespace flowfabric
