#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

#include "core/rows/execution_row.hpp"

// The order in which claims take work: higher priorities first, then what was created earlier, then by uuid.
//
// SQL states the same order and must change with it: ORDER BY in src/store/postgres/sql/statements_write.cpp and
// src/store/sqlite/statements.cpp, and the indexes ff_exec_core_claim and ff_exec_core_reclaim in
// schema/30_executions.sql of both stores.
namespace flowfabric {

// What comes first in claim order is the smallest.
struct ClaimPlace {
    std::int32_t priority = 0;
    std::int64_t created_at_ms = 0;
    Uuid execution_uuid;

    bool operator==(const ClaimPlace&) const = default;
    friend auto operator<=>(const ClaimPlace& a, const ClaimPlace& b) {
        return std::tie(b.priority, a.created_at_ms, a.execution_uuid) <=>
               std::tie(a.priority, b.created_at_ms, b.execution_uuid);
    }
};

inline ClaimPlace claim_place(const ExecutionRow& row) {
    return {row.priority, row.created_at_ms, row.id.uuid};
}

}  // namespace flowfabric
