#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/events/consumer_row.hpp"
#include "flowfabric/error.hpp"

namespace flowfabric {

// The error for a cursor before events that are removed.
EngineError cursor_expired(std::int64_t event_id, std::int64_t trimmed);

// Of a consumer that the engine keeps itself: its name is not one that the front door admits.
Command register_consumer(ConsumerKey consumer, std::int64_t event_id);
Command acknowledge_events(ConsumerKey consumer, std::int64_t event_id);
Command remove_consumer(ConsumerKey consumer);

}  // namespace flowfabric
