#pragma once

#include <cstdint>
#include <optional>

#include "core/command/command.hpp"
#include "core/events/consumer_row.hpp"
#include "flowfabric/error.hpp"

namespace flowfabric {

// The error for a cursor before events that are removed.
EngineError cursor_expired(std::int64_t event_id, std::int64_t trimmed);
// The error for a cursor that no event was given yet; ids up to `drawn` are given out. Events that come later would
// stand before it, and would be passed over.
std::optional<EngineError> refuse_undrawn(std::int64_t event_id, std::int64_t drawn);
// Why a new consumer cannot begin there, if it cannot.
std::optional<EngineError> refuse_place(std::int64_t event_id, std::int64_t trimmed, std::int64_t drawn);

// Commands on a consumer that the engine keeps for itself, under a name that the front door does not admit.
Command register_consumer(ConsumerKey consumer, std::int64_t event_id);
Command acknowledge_events(ConsumerKey consumer, std::int64_t event_id);
Command remove_consumer(ConsumerKey consumer);

}  // namespace flowfabric
