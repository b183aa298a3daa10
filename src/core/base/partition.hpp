#pragma once

#include <cstdint>
#include <string_view>

#include "flowfabric/ids.hpp"

// Partition arithmetic. A partition is a logical column, first in every primary key; ids carry theirs.
namespace flowfabric {

inline constexpr std::uint16_t flow_partitions = 256;
inline constexpr std::uint16_t budget_partitions = 32;
inline constexpr std::uint16_t quota_partitions = 32;

// CRC-16/XMODEM: polynomial 0x1021, initial value 0, neither reflected nor inverted.
std::uint16_t crc16(std::string_view bytes);
std::uint64_t fnv1a64(std::string_view bytes);

std::uint16_t solo_partition(std::string_view lane_id);
std::uint16_t flow_partition(const FlowId& flow_id);
std::uint16_t budget_partition(const BudgetId& budget_id);
std::uint16_t idempotency_partition(std::string_view namespace_name, std::string_view key);
std::uint16_t worker_partition(std::string_view worker_instance_id);

ExecutionId solo_execution_id(std::string_view lane_id, const Uuid& uuid);
ExecutionId flow_execution_id(const FlowId& flow_id, const Uuid& uuid);

}  // namespace flowfabric
