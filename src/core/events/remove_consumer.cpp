#include "core/events/consumer.hpp"
#include "core/events/on_consumer.hpp"

namespace flowfabric {
namespace {

class RemoveConsumerBody final : public OnConsumer {
  public:
    using OnConsumer::OnConsumer;

    CommandTraits traits() const override {
        return {.name = "remove_consumer", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(consumer()); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& consumers = context.set.side.of<ConsumerRow>();
        const bool existed = consumers.find(consumer()) != nullptr;
        if (existed) consumers.erase(consumer());
        return Answer::of<ConsumerRemoved>({existed});
    }
};

}  // namespace

Command remove_consumer(ConsumerKey consumer) {
    return Command::make<RemoveConsumerBody>(std::move(consumer));
}

template <>
Result<Command> admit(RemoveConsumer command, const Settings&, const IdSource&) {
    auto key = consumer_key(command.channel, std::move(command.consumer));
    if (!key) return key.error();
    return remove_consumer(std::move(*key));
}

}  // namespace flowfabric
