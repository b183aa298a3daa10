#include "core/command/admission.hpp"

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

}  // namespace flowfabric
