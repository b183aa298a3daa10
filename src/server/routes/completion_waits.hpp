#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "flowfabric/ids.hpp"
#include "flowfabric/subscription.hpp"

namespace flowfabric::server {

// Requests that wait for executions to end, all behind one subscription to completions. It is opened for the first of
// them and closed when there has been none for a while.
//
// Created by the server; one thread, which the destructor joins. Any thread may call it.
class CompletionWaits : public std::enable_shared_from_this<CompletionWaits> {
  public:
    using Clock = std::chrono::steady_clock;
    using Subscribe = std::function<Result<std::unique_ptr<Subscription>>()>;
    // Looks whether the execution has ended and answers the request if so, or in any case if it is the last look. It
    // must not block; `then` is told, once and from any thread, whether it has answered, and no other look begins
    // before that.
    using Look = std::function<void(bool last, std::function<void(bool answered)> then)>;

    explicit CompletionWaits(Subscribe subscribe);
    ~CompletionWaits();
    CompletionWaits(const CompletionWaits&) = delete;
    CompletionWaits& operator=(const CompletionWaits&) = delete;

    // Looks as soon as no end can be missed any more, whenever the execution ends, and for the last time at `until` or
    // when the client has gone.
    void wait(const ExecutionId& id, Clock::time_point until, const std::stop_token& gone, Look look);

  private:
    struct Waiter {
        ExecutionId id;
        Clock::time_point until;
        Look look;
        std::shared_ptr<void> on_gone;  // a stop callback, which takes the mutex and therefore ends outside of it
        bool last = false;
        bool looking = false;
        bool again = false;  // something has happened since the running look began
    };
    using Waiters = std::vector<std::shared_ptr<Waiter>>;

    // Outlives the thread: the subscription may still call it then.
    struct Signal {
        std::mutex mutex;
        std::condition_variable changed;
        bool raised = false;  // the subscription has something
    };

    void run();
    void open();
    void read();
    void close();
    Waiters due();
    Waiters all();
    Clock::time_point next_turn() const;
    void look_for(const Waiters& waiters, bool last);
    void end_look(const std::shared_ptr<Waiter>& waiter, bool answered);
    void forget(const std::shared_ptr<Waiter>& waiter);

    const Subscribe subscribe_;
    std::unique_ptr<Subscription> subscription_;  // the thread's own

    const std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();  // its mutex guards everything below
    std::multimap<ExecutionId, std::shared_ptr<Waiter>> waiters_;
    std::set<std::pair<Clock::time_point, std::shared_ptr<Waiter>>> deadlines_;
    Clock::time_point unused_since_;
    bool following_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric::server
