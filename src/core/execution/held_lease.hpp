#pragma once

#include <cstdint>
#include <optional>

#include "core/command/settings.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

// The lease that a caller believes to hold. Without the triple the caller is an operator.
struct HeldLease {
    struct Triple {
        LeaseId lease_id;
        std::uint64_t lease_epoch = 0;
        AttemptId attempt_id;
        std::optional<std::uint32_t> attempt_index;
        bool operator==(const Triple&) const = default;
    };

    ExecutionId execution_id;
    std::optional<Triple> triple;
    bool partial_triple = false;
    bool suspended_handle = false;
    Source source = Source::lease_holder;
};

Result<HeldLease> held_lease(const LeaseRef& ref, Source source, const Settings& settings);

}  // namespace flowfabric
