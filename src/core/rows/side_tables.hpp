#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/claim/grant_row.hpp"
#include "core/events/consumer_row.hpp"
#include "core/execution/retention_row.hpp"
#include "core/flow/flow_rows.hpp"
#include "core/lane/lane_row.hpp"
#include "core/rows/every.hpp"
#include "core/settings/setting_row.hpp"
#include "core/signing/signing_key_row.hpp"
#include "core/suspension/suspension_rows.hpp"
#include "core/worker/worker_rows.hpp"

namespace flowfabric {

// The rows of a side table that one batch works on: first as they were loaded, then as its commands leave them.
template <class Row>
class RowTable {
  public:
    using Key = typename Row::Key;

    void load(Row row) {
        auto key = row.key;
        slots_.insert_or_assign(std::move(key), Slot{.row = std::move(row), .stored = true});
    }

    const Row* find(const Key& key) const {
        const auto slot = slots_.find(key);
        return slot == slots_.end() || !slot->second.row ? nullptr : &*slot->second.row;
    }

    // Every row that is there and that `wanted` takes, by key.
    template <class Wanted>
    std::vector<Row> where(Wanted&& wanted) const {
        std::vector<Row> rows;
        for (const auto& [key, slot] : slots_) {
            if (slot.row && wanted(*slot.row)) rows.push_back(*slot.row);
        }
        return rows;
    }
    // Those from one key to another, both included.
    std::vector<Row> between(const Key& first, const Key& last) const {
        std::vector<Row> rows;
        for (auto slot = slots_.lower_bound(first); slot != slots_.end() && !(last < slot->first); ++slot) {
            if (slot->second.row) rows.push_back(*slot->second.row);
        }
        return rows;
    }
    std::vector<Row> rows() const {
        return where([](const Row&) { return true; });
    }
    template <class Wanted>
    bool any(Wanted&& wanted) const {
        return std::ranges::any_of(slots_,
                                   [&](const auto& slot) { return slot.second.row && wanted(*slot.second.row); });
    }

    void put(Row row) {
        Slot& slot = slots_[row.key];
        slot.row = std::move(row);
        slot.changed = true;
    }

    // For rows that are costly to copy. The row is there, and keeps its key.
    template <class Change>
    void change(const Key& key, Change&& change) {
        Slot& slot = slots_.at(key);
        change(*slot.row);
        slot.changed = true;
    }

    void erase(const Key& key) {
        Slot& slot = slots_[key];
        slot.row.reset();
        slot.changed = true;
    }

    bool changed() const {
        return std::ranges::any_of(slots_, [](const auto& entry) { return entry.second.changed; });
    }

    // Calls visit(row) for whatever is to be stored, by key.
    template <class Visit>
    void each_put(Visit&& visit) const {
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && slot.row) visit(*slot.row);
        }
    }

    // What is to be stored, by key: inserted where it is new.
    std::vector<Row> puts() const {
        return puts_where([](const Slot&) { return true; });
    }
    // What of that is new, unless rows of this kind are put without having been looked for; and the rest.
    std::vector<Row> inserts() const {
        return puts_where([](const Slot& slot) { return is_new(slot); });
    }
    std::vector<Row> upserts() const {
        return puts_where([](const Slot& slot) { return !is_new(slot); });
    }

    // What is to be removed, by key, if it is there.
    std::vector<Key> erased() const {
        std::vector<Key> keys;
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && !slot.row) keys.push_back(key);
        }
        return keys;
    }

  private:
    struct Slot {
        std::optional<Row> row;
        bool stored = false;  // it was there when the batch began
        bool changed = false;
    };

    static bool is_new(const Slot& slot) { return !BlindUpsert<Row> && !slot.stored; }

    template <class Wanted>
    std::vector<Row> puts_where(Wanted&& wanted) const {
        std::vector<Row> rows;
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && slot.row && wanted(slot)) rows.push_back(*slot.row);
        }
        return rows;
    }

    std::map<Key, Slot> slots_;
};

// How much of a side table a batch needs.
template <class Row>
struct RowsWanted {
    std::vector<typename Row::Key> keys;  // sorted, unique
    std::vector<ExecutionId> owners;      // likewise: what these own, even if they do not say so
    std::vector<FlowKey> flows;           // likewise: what belongs to these, of FlowRows …
    std::vector<GroupKey> groups;         // … of GroupRows …
    std::vector<SourceKey> sources;       // … and of SourceRows
    std::uint32_t first = 0;              // of QueuedRows: this many that are due first; for readers
    bool all = false;                     // the whole table, as it stands
    bool alone = false;                   // with `all`: nobody else changes it before the transaction ends

    bool none() const {
        return keys.empty() && owners.empty() && flows.empty() && groups.empty() && sources.empty() && !all;
    }
};

// One `Of<Row>` for every side table, in the order in which they are locked.
template <template <class> class Of>
using ForSideTables =
    Every<Of, LaneRow, FlowRow, CancelBacklogRow, CancelMemberRow, FlowSummaryRow, FlowRetentionRow, EdgeGroupRow,
          EdgeRow, SiblingWorkRow, SuspensionRow, SuspendDedupRow, WaitpointRow, SignalRow, SignalPayloadRow,
          SignalDedupRow, GrantRow, RetentionRow, SigningKeyRow, SettingRow, WorkerRow, WorkerEventRow, ConsumerRow>;

using SideTables = ForSideTables<RowTable>;
using SideRowsWanted = ForSideTables<RowsWanted>;

inline bool has_changes(const SideTables& tables) {
    bool changed = false;
    tables.each([&]<class Row>(const RowTable<Row>& table) { changed = changed || table.changed(); });
    return changed;
}

}  // namespace flowfabric
