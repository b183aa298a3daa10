#include "core/command/admission.hpp"

#include <limits>

#include "core/base/handle_codec.hpp"
#include "core/base/partition.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {

Result<void> check_partition(std::string_view field, std::uint16_t partition) {
    if (partition < flow_partitions) return {};
    return invalid_input(field, "partition_mismatch: not below " + std::to_string(flow_partitions));
}

Result<void> check_partition(const ExecutionId& id) {
    return check_partition("execution_id", id.partition);
}

Result<void> check_payload(std::string_view field, const Bytes& bytes, std::size_t limit) {
    if (bytes.size() <= limit) return {};
    return EngineError{.kind = ErrorKind::payload_too_large,
                       .detail = std::string(field) + ": " + std::to_string(bytes.size()) + " bytes, at most " +
                                 std::to_string(limit)};
}

Result<void> check_range(std::string_view field, std::uint64_t number, std::uint64_t min, std::uint64_t max) {
    if (number >= min && number <= max) return {};
    return invalid_input(field, "must be " + std::to_string(min) + " to " + std::to_string(max));
}

Result<void> check_ttl(std::uint64_t ttl_ms, std::string_view field) {
    return check_range(field, ttl_ms, min_ttl_ms, max_ttl_ms);
}

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
