#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "flowfabric/field.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

// Names a lease without a handle. The three optional fields are given together or not at all.
struct Fence {
    static constexpr std::string_view type_name = "Fence";

    ExecutionId execution_id;
    std::optional<LeaseId> lease_id;
    std::optional<LeaseEpoch> lease_epoch;
    std::optional<AttemptId> attempt_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Fence::execution_id, field::required(), "The execution that is leased.");
        visit("lease_id", &Fence::lease_id, field::optional, "The lease, as the claim named it.");
        visit("lease_epoch", &Fence::lease_epoch, field::optional, "The lease's epoch, higher with every new lease.");
        visit("attempt_id", &Fence::attempt_id, field::optional, "The attempt that runs under the lease.");
    }

    bool operator==(const Fence&) const = default;
};

using LeaseRef = std::variant<Handle, Fence>;

enum class Source : std::uint8_t { lease_holder, operator_override };

template <>
inline constexpr std::array enum_names<Source> = std::to_array<std::string_view>({"lease_holder", "operator_override"});

}  // namespace flowfabric
