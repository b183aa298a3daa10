#pragma once

#include "core/command/command.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric {

struct AuditRecorded {};

// Writes the event, at the store's time. What a caller made up and no text column takes is left out of it.
Command record_audit(AuditEvent event);

}  // namespace flowfabric
