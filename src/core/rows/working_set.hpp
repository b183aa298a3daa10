#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/execution/idempotency_row.hpp"
#include "core/rows/event_rows.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_tables.hpp"

// What one batch changes. Decisions fill it, a store writes it in one transaction.
namespace flowfabric {

enum class RowChange : std::uint8_t {
    none,
    insert,
    update,
    erase,  // with all that it owns
};

struct ExecutionEntry {
    ExecutionRow row;
    RowChange change = RowChange::none;
    std::shared_ptr<const ExecutionRow> loaded;  // as it was before the batch changed it
    std::optional<Bytes> input;                  // with insert: what to store; after a claim: what was loaded
    std::optional<Bytes> result;                 // set: store it
    bool clear_result = false;                   // what was stored is void; a result set afterwards is stored
};

// Up to which id the events of each channel have been removed.
using ChannelPoints = std::array<std::int64_t, channels.size()>;

struct FlowMember {
    ExecutionId id;
    LifecyclePhase phase = LifecyclePhase::runnable;

    bool operator==(const FlowMember&) const = default;
};

// The result of `from`, if it has one, becomes the input of `to`.
struct InputCopy {
    ExecutionId from;
    ExecutionId to;
    std::string ref;  // under which it is kept as well
    EdgeId edge_id;   // of several, the highest is the one that becomes the input

    auto operator<=>(const InputCopy&) const = default;
};

// What became of upstream executions that decided groups no longer need, but for those that were cancelled, and of the
// groups' notes about them.
struct SiblingDrains {
    std::uint64_t already_terminal = 0;
    std::uint64_t not_found = 0;
    std::uint64_t completed = 0;  // notes with nothing left
    std::uint64_t stale = 0;      // notes of groups that had nothing to cancel
    std::uint64_t unfinished = 0;
};

// Frames that were appended, by FrameMode.
using FrameCounts = std::array<std::uint64_t, enum_names<FrameMode>.size()>;

struct WorkingSet {
    std::int64_t now_ms = 0;
    StoreSettings settings;  // as they hold for the batch
    std::vector<ExecutionEntry> executions;
    std::vector<IdempotencyRow> idempotency;  // to insert, or to take over from a lapsed owner
    std::vector<AttemptRow> attempts;
    EventLists events;
    SideTables side;
    ChannelPoints trimmed{};                // as loaded, for consumers
    ChannelPoints drawn{};                  // likewise: ids up to these are given out
    std::vector<std::int64_t> submissions;  // to delete: they are executions now
    std::vector<std::int64_t> dispatched;   // completion events whose edges are all resolved
    std::vector<InputCopy> input_copies;    // in this order
    std::vector<ExecutionId> retried;       // whose failed attempts others will follow
    SiblingDrains sibling_drains;           // for observers
    FrameCounts frames{};                   // likewise
    bool work_available = false;            // some row became claimable: claimers everywhere want to know

    bool empty() const;
    bool has_events() const;
};

}  // namespace flowfabric
