#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "flowfabric/ids.hpp"

namespace flowfabric {

struct IdempotencyKey {
    std::string namespace_name;
    std::string key;

    auto operator<=>(const IdempotencyKey&) const = default;
};

struct IdempotencyRow {
    IdempotencyKey key;
    ExecutionId execution_id;
    std::int64_t expires_at_ms = 0;

    bool operator==(const IdempotencyRow&) const = default;
};

}  // namespace flowfabric
