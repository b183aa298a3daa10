#pragma once

#include <atomic>

#include "concurrency/engine_test.hpp"
#include "support/outbox.hpp"

namespace flowfabric::test {

// One consumer. Notices of lost connections are kept apart.
class Follower {
  public:
    Follower(Engine& engine, Channel channel, const SubscribeOptions& options = {})
        : subscription_(value_of(engine.subscribe(channel, options))), cursor_(options.cursor) {}

    // The next event, which must come.
    Event take() {
        while (true) {
            const auto delivery = value_of(subscription_->next(patience));
            if (!delivery) throw std::runtime_error("an event never came");
            if (const auto* notice = std::get_if<StreamDisconnected>(&*delivery)) {
                notices.push_back(*notice);
                continue;
            }
            const auto& event = std::get<Event>(*delivery);
            cursor_ = cursor_of(event);
            return event;
        }
    }
    template <class EventType>
    EventType take_as() {
        return std::get<EventType>(take());
    }
    // Up to and with the completion of this execution.
    std::vector<Event> take_up_to(const ExecutionId& last) {
        std::vector<Event> events;
        do {
            events.push_back(take());
        } while (std::get<CompletionEvent>(events.back()).execution_id != last);
        return events;
    }
    Subscription& subscription() { return *subscription_; }
    const Bytes& cursor() const { return cursor_; }

    std::vector<StreamDisconnected> notices;

  private:
    std::unique_ptr<Subscription> subscription_;
    Bytes cursor_;  // of the last event taken
};

inline SubscribeOptions from(std::int64_t event_id) {
    return {.cursor = cursor_at(event_id)};
}

class SubscriptionTest : public EngineTest {
  protected:
    // An id that no other of this test has.
    ExecutionId id_on(std::uint16_t partition) {
        ExecutionId id{.partition = partition, .uuid = {}};
        const std::uint32_t number = ++ids_;
        id.uuid.bytes[6] = 0x70;
        id.uuid.bytes[8] = 0x80;
        for (std::size_t i = 0; i < 4; ++i) id.uuid.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
        return id;
    }
    // Writes one completion and one operator event.
    ExecutionId end_one(Engine& engine, CreateExecution command = {}) {
        if (!command.execution_id) command.execution_id = id_on(0);
        const auto id = value_of(engine.create_execution(std::move(command))).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
        return id;
    }

    std::vector<Event> outbox(Channel channel) { return read_outbox(*store().open_backend(), channel); }

  private:
    std::atomic<std::uint32_t> ids_ = 0;
};

}  // namespace flowfabric::test
