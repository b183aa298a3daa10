#include "core/command/decisions.hpp"

namespace flowfabric {
namespace {

EngineError not_registered(const ConsumerKey& key) {
    return {.kind = ErrorKind::consumer_not_found,
            .detail = "no consumer '" + key.name + "' on channel " + std::string(to_string(key.channel))};
}

}  // namespace

EngineError cursor_expired(std::int64_t event_id, std::int64_t trimmed) {
    return {.kind = ErrorKind::cursor_expired,
            .detail = "cursor: events after " + std::to_string(event_id) + " are gone; the oldest cursor is at " +
                      std::to_string(trimmed),
            .not_active = std::nullopt,
            .oldest_cursor = cursor_at(trimmed)};
}

Result<Answer> decide(const AdmittedRegistration& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    if (const ConsumerRow* row = set.side.of<ConsumerRow>().find(command.consumer)) {
        return Answer{ConsumerPosition{.cursor = cursor_at(row->event_id), .registered = false}};
    }
    const std::int64_t trimmed = set.trimmed[static_cast<std::size_t>(command.consumer.channel)];
    if (command.event_id < trimmed) return cursor_expired(command.event_id, trimmed);
    set.side.of<ConsumerRow>().put({.key = command.consumer,
                                    .event_id = command.event_id,
                                    .registered_at_ms = set.now_ms,
                                    .acknowledged_at_ms = set.now_ms});
    return Answer{ConsumerPosition{.cursor = cursor_at(command.event_id), .registered = true}};
}

Result<Answer> decide(const AdmittedAcknowledgement& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    const ConsumerRow* found = set.side.of<ConsumerRow>().find(command.consumer);
    if (found == nullptr) return not_registered(command.consumer);
    ConsumerRow row = *found;
    if (command.event_id > row.event_id) {
        row.event_id = command.event_id;
        row.acknowledged_at_ms = set.now_ms;
        set.side.of<ConsumerRow>().put(row);
    }
    return Answer{ConsumerPosition{.cursor = cursor_at(row.event_id), .registered = false}};
}

Result<Answer> decide(const AdmittedRemoval& command, DecisionContext& context) {
    const bool existed = context.set.side.of<ConsumerRow>().find(command.consumer) != nullptr;
    if (existed) context.set.side.of<ConsumerRow>().erase(command.consumer);
    return Answer{ConsumerRemoved{existed}};
}

}  // namespace flowfabric
