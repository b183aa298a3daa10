#include "core/events/consumer.hpp"
#include "core/events/on_consumer.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric {
namespace {

EngineError not_registered(const ConsumerKey& key) {
    return {.kind = ErrorKind::consumer_not_found,
            .detail = "no consumer '" + key.name + "' on channel " + std::string(to_string(key.channel))};
}

class AcknowledgeEventsBody final : public OnConsumer {
  public:
    AcknowledgeEventsBody(ConsumerKey consumer, std::int64_t event_id)
        : OnConsumer(std::move(consumer)), event_id_(event_id) {}

    CommandTraits traits() const override {
        return {.name = "acknowledge_events", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(consumer()); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const ConsumerRow* found = set.side.of<ConsumerRow>().find(consumer());
        if (found == nullptr) return not_registered(consumer());
        ConsumerRow row = *found;
        if (event_id_ > row.event_id) {
            if (auto refused = refuse_undrawn(event_id_, set.drawn[index_of(consumer().channel)])) return *refused;
            row.event_id = event_id_;
            row.acknowledged_at_ms = set.now_ms;
            set.side.of<ConsumerRow>().put(row);
        }
        return Answer::of<ConsumerPosition>({.cursor = cursor_at(row.event_id), .registered = false});
    }

  private:
    std::int64_t event_id_;
};

}  // namespace

Command acknowledge_events(ConsumerKey consumer, std::int64_t event_id) {
    return Command::make<AcknowledgeEventsBody>(std::move(consumer), event_id);
}

template <>
Result<Command> admit(AcknowledgeEvents command, const Settings&, const IdSource&) {
    auto key = consumer_key(command.channel, std::move(command.consumer));
    if (!key) return key.error();
    const auto place = place_in_channel(command.cursor);
    if (!place) return place.error();
    return acknowledge_events(std::move(*key), *place);
}

}  // namespace flowfabric
