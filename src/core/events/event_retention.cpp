#include "core/events/event_retention.hpp"

#include <algorithm>

namespace flowfabric {

std::optional<Trim> trim_of(const OutboxState& outbox, std::int64_t retention_ms) {
    for (const EventRun& run : outbox.oldest) {
        const std::int64_t age = run.costly ? 2 * retention_ms : retention_ms;
        const bool old = !run.newest_at_ms || *run.newest_at_ms <= outbox.now_ms - age;
        if (!old) continue;
        std::int64_t through = run.last_id;
        if (outbox.slowest_consumer) through = std::min(through, *outbox.slowest_consumer);
        if (outbox.first_undispatched) through = std::min(through, *outbox.first_undispatched - 1);
        if (through < run.last_id && !run.divisible) continue;
        if (through > outbox.trimmed) return Trim{through, run.newest_at_ms};
    }
    return std::nullopt;
}

}  // namespace flowfabric
