#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "flowfabric/events.hpp"
#include "flowfabric/field.hpp"

namespace flowfabric {

struct SubscribeOptions {
    Bytes cursor;                            // the first event is the one after it; empty: from now
    std::optional<std::uint16_t> partition;  // absent: all of them
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> instance_tag;  // the configured key, and the value wanted
    // A durable consumer of this name, registered if it is new. Without a cursor it begins where it stands; what it has
    // not acknowledged (AcknowledgeEvents) is kept, however old.
    std::optional<std::string> consumer;
    std::size_t buffer = 1000;  // events kept for a slow consumer; beyond that it reads on when it has caught up
};

// The connection to the store was lost; the subscription goes on by itself.
struct StreamDisconnected {
    static constexpr std::string_view type_name = "StreamDisconnected";

    Bytes cursor;
    std::string detail;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &StreamDisconnected::cursor, field::cursor, "The subscription goes on behind it.");
        visit("detail", &StreamDisconnected::detail, field::optional, "How the connection was lost.");
    }
};

using Delivery = std::variant<Event, StreamDisconnected>;

// One follower of one channel. Events come in the order of their ids, none lost, none twice. Any thread may call it,
// one at a time. It may outlive the engine, after which it ends with `unavailable`. One that is so slow that events are
// removed before it has read them ends with `cursor_expired`; that does not happen to a durable consumer.
class Subscription {
  public:
    virtual ~Subscription() = default;
    // The next delivery; nothing when none came in time.
    virtual Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout) = 0;
    // Calls back, from a thread of the engine's, whenever next() has something to return at once; a call that is under
    // way may end after the subscription does.
    virtual void notify(std::function<void()> ready) = 0;
    // Behind all that next() has returned and, once it has returned all there was, behind what the filters left out.
    virtual Bytes cursor() const = 0;
};

}  // namespace flowfabric
