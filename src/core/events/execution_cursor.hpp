#pragma once

#include <array>
#include <cstdint>

#include "core/rows/event_rows.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// The channels that tell of executions. What causes something comes before what follows from it, the end last.
inline constexpr std::array execution_channels{Channel::signal, Channel::operators, Channel::lease,
                                               Channel::completion};

// An event's id on each of them, by Channel.
using ChannelPositions = std::array<std::int64_t, execution_channels.size()>;

// Where a subscription of one execution stands: 0x03 and its positions, big-endian.
Bytes cursor_at(const ChannelPositions& positions);
Result<ChannelPositions> parse_execution_cursor(const Bytes& cursor);

}  // namespace flowfabric
