#pragma once

#include <cstdint>
#include <optional>
#include <vector>

// Which events are old enough to be removed.
namespace flowfabric {

// The oldest events of an outbox that its store can remove at one go.
struct EventRun {
    std::int64_t last_id = 0;
    std::optional<std::int64_t> newest_at_ms;  // absent: there is none left
    bool divisible = true;                     // may also end before last_id
    bool costly = false;  // event by event, while waiting until they can go as a whole costs nothing
};

// What decides how far an outbox may be trimmed.
struct OutboxState {
    std::int64_t now_ms = 0;
    std::int64_t trimmed = 0;
    std::optional<std::int64_t> slowest_consumer;    // the lowest acknowledged id
    std::optional<std::int64_t> first_undispatched;  // a completion that others still wait for
    std::vector<EventRun> oldest;                    // several ways to begin, the best first
};

// All events up to `through` go; none of them is newer than `newest_at_ms`.
struct Trim {
    std::int64_t through = 0;
    std::optional<std::int64_t> newest_at_ms;

    bool operator==(const Trim&) const = default;
};

// What may go now; nothing if nothing may. An event goes at the age of `retention_ms`, a costly one at twice that.
std::optional<Trim> trim_of(const OutboxState& outbox, std::int64_t retention_ms);

}  // namespace flowfabric
