#include "core/base/partition.hpp"

#include <array>

namespace flowfabric {
namespace {

constexpr std::array<std::uint16_t, 256> crc16_table = [] {
    std::array<std::uint16_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte << 8U;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? crc << 1U ^ 0x1021U : crc << 1U;
        table[byte] = static_cast<std::uint16_t>(crc);
    }
    return table;
}();

std::uint16_t bucket(std::uint16_t hash, std::uint16_t count) {
    return static_cast<std::uint16_t>(hash % count);
}

std::string_view as_bytes(const Uuid& uuid) {
    return {reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()};
}

}  // namespace

std::uint16_t crc16(std::string_view bytes) {
    std::uint16_t crc = 0;
    for (const char c : bytes) {
        const auto index = static_cast<std::uint8_t>(crc >> 8U ^ static_cast<std::uint8_t>(c));
        crc = static_cast<std::uint16_t>(crc << 8U ^ crc16_table[index]);
    }
    return crc;
}

std::uint64_t fnv1a64(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
    return hash;
}

std::uint16_t solo_partition(std::string_view lane_id) {
    return bucket(crc16(lane_id), flow_partitions);
}

std::uint16_t flow_partition(const FlowId& flow_id) {
    return bucket(crc16(as_bytes(flow_id.uuid)), flow_partitions);
}

std::uint16_t budget_partition(const BudgetId& budget_id) {
    return bucket(crc16(as_bytes(budget_id.uuid)), budget_partitions);
}

std::uint16_t idempotency_partition(std::string_view namespace_name, std::string_view key) {
    std::string hashed(namespace_name);
    hashed.push_back('\0');
    hashed.append(key);
    return bucket(crc16(hashed), flow_partitions);
}

std::uint16_t worker_partition(std::string_view worker_instance_id) {
    return static_cast<std::uint16_t>(fnv1a64(worker_instance_id) % 256);
}

ExecutionId solo_execution_id(std::string_view lane_id, const Uuid& uuid) {
    return {solo_partition(lane_id), uuid};
}

ExecutionId flow_execution_id(const FlowId& flow_id, const Uuid& uuid) {
    return {flow_partition(flow_id), uuid};
}

}  // namespace flowfabric
