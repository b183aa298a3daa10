#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/command/named_rows.hpp"
#include "core/execution/idempotency_row.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/working_set.hpp"

// The rows that a batch locks and reads before it is decided.
namespace flowfabric {

// A place in a class's claim order within one priority.
struct ClaimKey {
    std::int64_t created_at_ms = 0;
    Uuid execution_uuid;

    auto operator<=>(const ClaimKey&) const = default;
};

struct ClaimLevel {
    std::int32_t class_id = 0;
    std::int32_t priority = 0;
    ClaimKey floor;  // nothing claimable is known to stand before it
};

// Everything in a class that has a lower priority than `below`.
struct ClaimTail {
    std::int32_t class_id = 0;
    std::int32_t below = 0;
};

// Rows for claims that cover the same classes: up to `count` reclaimable ones, then up to `count` eligible ones, each
// in claim order (priority descending, created_at_ms, execution id). A row goes to the first selection that finds it;
// it may also be among the executions that the request names.
struct ClaimSelection {
    std::vector<std::int32_t> class_ids;       // sorted
    std::vector<std::int32_t> reclaimable_in;  // those of them that may have reclaimable rows
    std::vector<ClaimLevel> levels;            // by priority, highest first; all above the tails
    std::vector<ClaimTail> tails;
    std::uint32_t count = 0;
    std::uint32_t count_each = 0;      // at most this many eligible rows of one level or tail
    std::int32_t lowest_priority = 0;  // nothing below it
    // Only this many tails, those whose first rows come first, and the heads of all; 0: every tail, and no heads.
    std::uint32_t best_tails = 0;
    bool whole = false;    // the tails are the whole classes
    bool partial = false;  // there are levels or tails behind these
};

struct LoadRequest : NamedRows {
    std::vector<ClaimSelection> claims;  // with their input and accepted signals in any case
    bool creates = false;                // saved only on the lane states as they are now; otherwise contention
    bool patient = false;                // wait for rows that others hold, up to the lock timeout
};

struct LevelHead {
    std::int32_t class_id = 0;
    std::int32_t priority = 0;
    ClaimKey key;

    bool operator==(const LevelHead&) const = default;
};

// The answers to a request's selections end with the row whose input reaches this size.
inline constexpr std::size_t max_claimed_bytes = 16U << 20U;

struct Claimable {
    std::vector<ExecutionEntry> rows;  // locked, with their input
    bool cut = false;                  // there was more than the answer may hold
    // The first eligible row of each class that has any, locked or not; if asked for.
    std::vector<LevelHead> heads;
};

struct Loaded {
    std::int64_t now_ms = 0;  // the store's clock, read after the last lock
    std::vector<IdempotencyRow> idempotency;
    std::vector<IdempotencyKey> busy_keys;
    std::vector<ExecutionRow> executions;
    std::map<ExecutionId, Bytes> inputs;
    std::vector<ExecutionId> busy;                  // present, but locked by another transaction
    std::map<ExecutionId, std::string> unreadable;  // present, but damaged: how
    std::vector<Claimable> claims;                  // one per selection
    std::int64_t lane_revision = 0;
    std::int64_t setting_revision = 0;
    SideTables side;                        // what was asked for, and what the executions own
    ChannelPoints trimmed{};                // of the consumers' channels
    ChannelPoints drawn{};                  // ids that are given out on them
    std::vector<std::int64_t> submissions;  // those that are still there, and nobody else's
    // By id. Of flows whose live members were asked for, those that have not ended and are not locked.
    std::map<FlowKey, std::vector<FlowMember>> members;
    std::vector<std::int64_t> ends;  // those that are not dispatched yet, locked
};

// Those whose accepted signals are wanted and that have some, sorted. Each run is looked up by itself; an execution
// without any is not looked for.
inline std::vector<RunKey> runs_with_signals(const LoadRequest& request, const Loaded& loaded) {
    std::vector<RunKey> runs;
    const auto add = [&](const ExecutionRow& row) {
        if (row.signal_count > 0) runs.push_back({row.id, row.replay_count});
    };
    for (const ExecutionRow& row : loaded.executions) {
        if (std::ranges::binary_search(request.signals_of, row.id)) add(row);
    }
    for (const Claimable& claimable : loaded.claims) {
        for (const ExecutionEntry& entry : claimable.rows) add(entry.row);
    }
    std::ranges::sort(runs);
    runs.erase(std::ranges::unique(runs).begin(), runs.end());
    return runs;
}

}  // namespace flowfabric
