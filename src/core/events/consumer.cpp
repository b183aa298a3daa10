#include "core/events/consumer.hpp"

#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/events/on_consumer.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric {

EngineError cursor_expired(std::int64_t event_id, std::int64_t trimmed) {
    return {.kind = ErrorKind::cursor_expired,
            .detail = "cursor: events after " + std::to_string(event_id) + " are gone; the oldest cursor is at " +
                      std::to_string(trimmed),
            .not_active = std::nullopt,
            .oldest_cursor = cursor_at(trimmed)};
}

std::optional<EngineError> refuse_undrawn(std::int64_t event_id, std::int64_t drawn) {
    if (event_id <= drawn) return std::nullopt;
    return invalid_input("cursor", "is behind no event");
}

std::optional<EngineError> refuse_place(std::int64_t event_id, std::int64_t trimmed, std::int64_t drawn) {
    if (event_id < trimmed) return cursor_expired(event_id, trimmed);
    return refuse_undrawn(event_id, std::max(trimmed, drawn));
}

Result<ConsumerKey> consumer_key(Channel channel, std::string name) {
    if (!is_known(channel)) return invalid_input("channel", "no such channel");
    if (auto checked = check_identity("consumer", name); !checked) return checked.error();
    return ConsumerKey{channel, std::move(name)};
}

Result<std::int64_t> place_in_channel(const Bytes& cursor) {
    const auto id = parse_cursor(cursor);
    if (!id) return id.error();
    if (!*id) return invalid_input("cursor", "is empty");
    return **id;
}

}  // namespace flowfabric
