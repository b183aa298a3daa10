#include "core/execution/held_lease.hpp"

#include <limits>

#include "core/base/handle_codec.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {

Result<HeldLease> held_lease(const LeaseRef& ref, Source source, const Settings& settings) {
    HeldLease lease;
    lease.source = source;
    if (const auto* handle = std::get_if<Handle>(&ref)) {
        auto content = decode_handle(*handle, settings.backend);
        if (!content) return content.error();
        if (content->attempt_index > std::numeric_limits<std::int32_t>::max()) {
            return invalid_input("attempt_index", "above 2147483647");
        }
        lease.execution_id = content->execution_id;
        lease.suspended_handle = handle->kind == HandleKind::suspended;
        lease.triple = {.lease_id = content->lease_id,
                        .lease_epoch = content->lease_epoch,
                        .attempt_id = content->attempt_id,
                        .attempt_index = content->attempt_index};
    } else {
        const auto& fence = std::get<Fence>(ref);
        const int given =
            int{fence.lease_id.has_value()} + int{fence.lease_epoch.has_value()} + int{fence.attempt_id.has_value()};
        lease.execution_id = fence.execution_id;
        lease.partial_triple = given == 1 || given == 2;
        if (given == 3) {
            lease.triple = {.lease_id = *fence.lease_id,
                            .lease_epoch = fence.lease_epoch->value,
                            .attempt_id = *fence.attempt_id,
                            .attempt_index = std::nullopt};
        }
    }
    if (auto checked = check_partition(lease.execution_id); !checked) return checked.error();
    return lease;
}

}  // namespace flowfabric
