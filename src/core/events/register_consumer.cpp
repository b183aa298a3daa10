#include "core/events/consumer.hpp"
#include "core/events/on_consumer.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric {
namespace {

class RegisterConsumerBody final : public OnConsumer {
  public:
    RegisterConsumerBody(ConsumerKey consumer, std::int64_t event_id)
        : OnConsumer(std::move(consumer)), event_id_(event_id) {}

    CommandTraits traits() const override {
        return {.name = "register_consumer", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(consumer()); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        if (const ConsumerRow* row = set.side.of<ConsumerRow>().find(consumer())) {
            return Answer::of<ConsumerPosition>({.cursor = cursor_at(row->event_id), .registered = false});
        }
        const auto channel = static_cast<std::size_t>(consumer().channel);
        if (auto refused = refuse_place(event_id_, set.trimmed[channel], set.drawn[channel])) return *refused;
        set.side.of<ConsumerRow>().put({.key = consumer(),
                                        .event_id = event_id_,
                                        .registered_at_ms = set.now_ms,
                                        .acknowledged_at_ms = set.now_ms});
        return Answer::of<ConsumerPosition>({.cursor = cursor_at(event_id_), .registered = true});
    }

  private:
    std::int64_t event_id_;
};

}  // namespace

Command register_consumer(ConsumerKey consumer, std::int64_t event_id) {
    return Command::make<RegisterConsumerBody>(std::move(consumer), event_id);
}

template <>
Result<Command> admit(RegisterConsumer command, const Settings&, const IdSource&) {
    auto key = consumer_key(command.channel, std::move(command.consumer));
    if (!key) return key.error();
    const auto place = place_in_channel(command.cursor);
    if (!place) return place.error();
    return register_consumer(std::move(*key), *place);
}

}  // namespace flowfabric
