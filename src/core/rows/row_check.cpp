#include "core/rows/row_check.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/execution/state_vector.hpp"
#include "core/flow/edge_group.hpp"

namespace flowfabric {
namespace {

bool has_lease(const ExecutionRow& row) {
    return row.lease_id && row.attempt_id && row.attempt_type && row.worker_id && row.worker_instance_id &&
           row.lease_acquired_at_ms && row.lease_expires_at_ms && row.lease_last_renewed_at_ms;
}

// Each may still be counted up.
bool counts_are_sound(const ExecutionRow& row) {
    const std::array counts{row.attempt_index, row.total_attempt_count, row.retry_count,
                            row.replay_count,  row.lease_reclaim_count, row.signal_count};
    const auto sound = [](std::int32_t count) {
        return count >= 0 && count < std::numeric_limits<std::int32_t>::max();
    };
    return std::ranges::all_of(counts, sound) &&
           row.lease_epoch < static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::optional<std::string> damage_in(const ExecutionRow& row) {
    if (!is_legal(row.vector)) return "its states do not go together";
    if (row.vector.ownership_state == OwnershipState::leased && !has_lease(row)) return "its lease is incomplete";
    if (!counts_are_sound(row)) return "one of its counters is out of range";
    return std::nullopt;
}

std::optional<std::string> damage_in(const EdgeGroupRow& group) {
    if (!counts_of(group).consistent()) return "its counters do not go together";
    return std::nullopt;
}

std::optional<std::string> damage_in(const StreamMetaRow& meta) {
    const std::array counts{meta.last_ts_ms,  meta.last_seq,         meta.lasting_count,
                            meta.total_bytes, meta.retention_maxlen, meta.maxlen_applied_last};
    const auto sound = [](std::int64_t count) { return count >= 0 && count <= max_time_ms / 2; };
    const bool in_order = meta.removed_through >= 0 && meta.removed_through <= meta.cut_through &&
                          meta.cut_through <= meta.frame_count && meta.lasting_count <= meta.frame_count;
    if (!std::ranges::all_of(counts, sound) || !sound(meta.frame_count) || !in_order) {
        return "its counters do not go together";
    }
    return std::nullopt;
}

std::optional<std::string> damage_in(const StreamSummaryRow& summary) {
    if (summary.version < 1 || summary.version > max_time_ms / 2) return "its version is out of range";
    return std::nullopt;
}

}  // namespace flowfabric
