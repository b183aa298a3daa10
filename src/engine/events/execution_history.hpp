#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/events/execution_cursor.hpp"
#include "store/port.hpp"

namespace flowfabric {

// What an execution has told between two positions of every channel, in order of time. On a channel events keep their
// order; of those of one millisecond, what causes comes before what follows from it: signals, operators' actions,
// leases, the completion.
//
// Outboxes know events by their ids alone, so the ranges are looked through, a piece at a time; their length is bounded
// by `max_history`.
class ExecutionHistory {
  public:
    ExecutionHistory(const ExecutionId& id, const ChannelPositions& after, const ChannelPositions& up_to);

    // The next event, as far as it has been read; nothing at the end, and while read() is wanted.
    std::optional<Event> take();
    bool is_read() const;
    // Reads on until there is an event of every channel that has one. Goes on where it has failed.
    StoreResult<void> read(StoreReader& reader);

    // Everything up to there is taken, or not about this execution.
    const ChannelPositions& positions() const { return positions_; }

  private:
    // Of one channel: events that are read, in front of the rest.
    struct Lane {
        std::deque<Event> events;
        std::int64_t looked_up_to = 0;
        std::int64_t up_to = 0;

        bool wants_more() const { return events.empty() && looked_up_to < up_to; }
    };

    StoreResult<void> read(StoreReader& reader, Channel channel);

    ExecutionId id_;
    ChannelPositions positions_;
    std::array<Lane, execution_channels.size()> lanes_;  // by Channel
};

// How many events of a channel are looked through for those of one execution.
inline constexpr std::int64_t max_history = 4'194'304;

// A position before every event that was written at that time or later, as close to them as is found at little cost.
StoreResult<std::int64_t> position_before(StoreReader& reader, Channel channel, std::int64_t time_ms,
                                          std::int64_t up_to);

}  // namespace flowfabric
