#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "flowfabric/ids.hpp"
#include "flowfabric/state.hpp"

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
    std::optional<std::string> request_digest;
    std::optional<PublicState> first_state;  // that the request was answered with, beside a digest

    bool operator==(const IdempotencyRow&) const = default;
};

}  // namespace flowfabric
