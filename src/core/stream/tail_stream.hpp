#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/stream/stream_rows.hpp"

namespace flowfabric {

// The stream that a caller names; refuses what no stream can have.
Result<StreamKey> stream_key(const ExecutionId& id, std::uint32_t attempt_index);

}  // namespace flowfabric
