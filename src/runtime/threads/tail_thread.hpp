#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "engine/events/event_tail.hpp"
#include "runtime/hub/store_health.hpp"
#include "runtime/subscription.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Where a subscription begins, if not behind an event.
enum class Beginning : bool { now, oldest };

// Follows the outboxes for all subscriptions of one engine: one thread, one reader, one wake source, and for each
// channel one tail. Created by the engine; the thread starts with the first subscription. The destructor ends all
// subscriptions and joins.
class TailThread {
  public:
    TailThread(std::shared_ptr<Backend> backend, StoreHealth& health);
    ~TailThread();
    TailThread(const TailThread&) = delete;
    TailThread& operator=(const TailThread&) = delete;

    // Returns when it is settled where the subscription begins.
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, EventFilter filter,
                                                    std::variant<Beginning, std::int64_t> from, std::size_t buffer);

    // This process has committed events.
    void on_commit();

  private:
    struct Request {
        Channel channel;
        EventFilter filter;
        std::variant<Beginning, std::int64_t> from;
        std::shared_ptr<Mailbox> mailbox;
        std::promise<Result<void>> settled;
    };

    // How far a channel's tail is behind, and how soon to look again.
    struct ChannelState {
        EventTail tail;
        std::optional<std::int64_t> decided;
        std::int64_t trimmed = 0;
        bool undecided = false;  // transactions that have drawn event ids may still commit
        bool unread = false;     // there is more to read at once
    };

    // A commit may wait until others are read with it; a consumer with room, a request and the end may not.
    enum class Urgency : bool { soon, at_once };

    // Outlives the thread: a consumer may report room after it is gone.
    struct WakeSignal {
        std::mutex mutex;  // guards the rest
        std::condition_variable changed;
        std::shared_ptr<WakeSource> source;
        bool raised = false;
        bool urgent = false;
        void raise(Urgency urgency);
    };

    void run();
    std::optional<StoreError> follow();
    bool idle();
    std::optional<StoreError> connect();
    void disconnect();
    void tell_of_outage(const StoreError& error);
    std::optional<StoreError> work();
    std::optional<StoreError> poll(const std::vector<Channel>& followed);
    std::optional<StoreError> find_trimmed(Channel channel);
    std::optional<StoreError> read(Channel channel);
    void admit_requests();
    std::optional<std::int64_t> place_of(const Request& request);
    std::optional<StoreError> wait();
    void keep_pace();
    void pause(std::chrono::milliseconds at_most);
    ChannelState& state(Channel channel) { return states_[static_cast<std::size_t>(channel)]; }

    std::shared_ptr<Backend> backend_;
    StoreHealth& health_;
    std::shared_ptr<WakeSignal> wake_signal_ = std::make_shared<WakeSignal>();
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> following_ = false;

    std::mutex mutex_;  // guards requests_ and thread_
    std::vector<std::unique_ptr<Request>> requests_;
    std::thread thread_;

    // The thread's own.
    std::unique_ptr<StoreReader> reader_;
    std::shared_ptr<WakeSource> source_;
    std::array<ChannelState, channels.size()> states_;
    std::chrono::milliseconds undecided_pause_;
    std::chrono::steady_clock::time_point round_began_{};
    std::chrono::steady_clock::time_point last_read_{};
    bool told_of_outage_ = false;
};

}  // namespace flowfabric
