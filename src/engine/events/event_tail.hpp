#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/port.hpp"

namespace flowfabric {

struct EventFilter {
    std::optional<std::uint16_t> partition;
    std::optional<std::string> namespace_name;
    std::optional<std::string> instance_tag;
    std::optional<ExecutionId> execution;

    // An event without a namespace or tag passes no filter that asks for one.
    bool admits(const Event& event) const;
};

// Where a follower's events go. What is offered and taken is the follower's; what it has no room for stays with the
// tail.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual bool offer(const std::shared_ptr<const Event>& event) = 0;
    virtual bool has_room() = 0;      // asked again once there is
    virtual bool closed() const = 0;  // the consumer has ended its subscription
    // The end of a page: every event up to this one was taken, or is not for this follower.
    virtual void reached(std::int64_t event_id) = 0;
    virtual void expired(std::int64_t position, std::int64_t trimmed) = 0;  // events after it are gone; the end
};

// Hands the events of one channel to its followers. Followers that keep up share one reading of the outbox; a follower
// without room falls behind alone and is read for separately until it has caught up. No I/O: told how far events are
// decided, the tail says what to read next, and hands out what was read.
class EventTail {
  public:
    struct Follower {
        std::shared_ptr<EventSink> sink;
        EventFilter filter;
        std::int64_t position = 0;   // everything up to it was handed over, or is not for this follower
        std::int64_t last_seen = 0;  // the last event up to there, filtered out or not; the beginning counts as one
        bool keeps_up = false;
    };

    struct Wanted {
        std::int64_t after = 0;
        std::int64_t up_to = 0;
        Follower* only = nullptr;  // read for this follower alone; null: for all that keep up
    };

    bool empty() const { return followers_.empty(); }
    // Without a cursor it starts at what is decided now.
    void follow(std::shared_ptr<EventSink> sink, EventFilter filter, std::int64_t from);
    void on_decided(std::int64_t up_to);
    // The connection was lost. A server that crashed draws again what it had drawn for transactions that rolled back,
    // so only events tell how far a follower is.
    void on_disconnected();

    std::optional<Wanted> wanted();
    // `complete`: these are all events of the wanted range; otherwise the range was cut behind the last.
    void on_events(const Wanted& wanted, EventPage page, bool complete);

    const std::vector<std::unique_ptr<Follower>>& followers() const { return followers_; }
    void drop_closed();

  private:
    static void hand_over(Follower& follower, const std::shared_ptr<const Event>& event);
    void expire_before(std::int64_t trimmed);

    std::int64_t decided_ = 0;
    std::int64_t position_ = 0;  // all followers that keep up are served up to here
    std::vector<std::unique_ptr<Follower>> followers_;
    std::size_t next_straggler_ = 0;
};

}  // namespace flowfabric
