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
    Bytes cursor;              // the first event is the one after it; empty: from now
    bool from_oldest = false;  // without a cursor, and unless the consumer is known: from the oldest that is kept
    std::optional<std::uint16_t> partition;  // absent: all of them
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> instance_tag;  // the configured key, and the value wanted
    // The name of a durable consumer, registered if it is new. Without a cursor the subscription begins at the
    // consumer's position; events that the consumer has not acknowledged (AcknowledgeEvents) are kept, however old.
    std::optional<std::string> consumer;
    std::size_t buffer = 1000;  // events held in memory; beyond that the tail waits until the consumer has caught up
};

// The connection to the store was lost; the subscription continues when it is restored.
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
// one at a time. A subscription may outlive its engine and then ends with `unavailable`. It ends with `cursor_expired`
// if events are removed before it has read them, which never happens to a durable consumer.
class Subscription {
  public:
    virtual ~Subscription() = default;
    // The next delivery; nullopt if none came within the timeout.
    virtual Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout) = 0;
    // `ready` is called, on a thread of the engine, whenever next() has a delivery to return at once. A running call
    // may end after the subscription.
    virtual void notify(std::function<void()> ready) = 0;
    // The position behind the last delivery of next(); once next() has returned every delivery, also behind the events
    // that the filters left out.
    virtual Bytes cursor() const = 0;
    // Nothing comes any more: the subscription was about one execution, and that has ended.
    virtual bool ended() const { return false; }
};

}  // namespace flowfabric
