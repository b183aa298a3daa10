#pragma once

#include <cstdint>
#include <optional>

#include "core/flow/flow_rows.hpp"
#include "flowfabric/ids.hpp"

namespace flowfabric {

// Where a walk by partition and id begins; it gives what lies strictly behind.
struct WalkStart {
    std::int16_t partition = 0;
    Uuid uuid;
};

// Behind `after`; without it, behind all that the partition before could hold.
inline WalkStart walk_start(const std::optional<std::uint16_t>& partition, const std::optional<ExecutionId>& after) {
    if (after) return {static_cast<std::int16_t>(after->partition), after->uuid};
    WalkStart start{.partition = static_cast<std::int16_t>(partition.value_or(0) - 1), .uuid = {}};
    start.uuid.bytes.fill(0xFF);
    return start;
}

inline WalkStart walk_start(const std::optional<std::uint16_t>& partition, const std::optional<FlowKey>& after) {
    return walk_start(partition,
                      after ? std::optional(ExecutionId{after->partition, after->flow_id.uuid}) : std::nullopt);
}

}  // namespace flowfabric
