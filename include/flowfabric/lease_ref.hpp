#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"

namespace flowfabric {

// Names a lease without a handle. The three optional fields are given together or not at all.
struct Fence {
    ExecutionId execution_id;
    std::optional<LeaseId> lease_id;
    std::optional<LeaseEpoch> lease_epoch;
    std::optional<AttemptId> attempt_id;

    bool operator==(const Fence&) const = default;
};

using LeaseRef = std::variant<Handle, Fence>;

enum class Source : std::uint8_t { lease_holder, operator_override };

}  // namespace flowfabric
