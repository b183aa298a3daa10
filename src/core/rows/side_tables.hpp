#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/budget/budget_rows.hpp"
#include "core/bulk/bulk_rows.hpp"
#include "core/claim/claim_request_row.hpp"
#include "core/claim/grant_row.hpp"
#include "core/events/consumer_row.hpp"
#include "core/execution/retention_row.hpp"
#include "core/flow/flow_rows.hpp"
#include "core/lane/lane_row.hpp"
#include "core/rows/every.hpp"
#include "core/search/search_term_row.hpp"
#include "core/settings/setting_row.hpp"
#include "core/signing/signing_key_row.hpp"
#include "core/suspension/suspension_rows.hpp"
#include "core/token/token_row.hpp"
#include "core/webhook/webhook_rows.hpp"
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

    // Calls visit(row, is_new) for whatever is to be stored, by key. A new row fails where one is there already; rows
    // of a kind that is put without having been looked for never are.
    template <class Visit>
    void each_put(Visit&& visit) const {
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && slot.row) visit(*slot.row, !BlindUpsert<Row> && !slot.stored);
        }
    }
    // Calls visit(key) for whatever is to be removed if it is there, by key.
    template <class Visit>
    void each_erased(Visit&& visit) const {
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && !slot.row) visit(key);
        }
    }

    // What is to be stored, by key.
    std::vector<Row> puts() const {
        std::vector<Row> rows;
        each_put([&](const Row& row, bool) { rows.push_back(row); });
        return rows;
    }
    // What is to be removed, by key.
    std::vector<Key> erased() const {
        std::vector<Key> keys;
        each_erased([&](const Key& key) { keys.push_back(key); });
        return keys;
    }

  private:
    struct Slot {
        std::optional<Row> row;
        bool stored = false;  // it was there when the batch began
        bool changed = false;
    };

    std::map<Key, Slot> slots_;
};

// How much of a side table a batch needs besides the rows that it names: lists are sorted and free of repeats.
struct RelatedRows {
    std::vector<ExecutionId> owners;  // what these own, even if they do not say so
    std::vector<FlowKey> flows;       // what belongs to these, of FlowRows
    std::vector<GroupKey> groups;     // of GroupRows
    std::vector<SourceKey> sources;   // of SourceRows
    std::uint32_t first = 0;          // of QueuedRows: this many that are due first; for readers
    std::uint32_t piece = 0;          // of SeriesRows: this many behind each of the keys that are named for it
    bool all = false;                 // the whole table, as it stands
    bool alone = false;               // with `all`: no other transaction changes it before this one ends

    // How many of the lists name something.
    std::size_t parts() const {
        return std::size_t{!owners.empty()} + std::size_t{!flows.empty()} + std::size_t{!groups.empty()} +
               std::size_t{!sources.empty()};
    }
};

template <class Row>
struct RowsWanted : RelatedRows {
    std::vector<typename Row::Key> keys;    // sorted, unique
    std::vector<typename Row::Key> behind;  // sorted, unique: a piece of the series of each, its last column left out

    bool none() const { return keys.empty() && behind.empty() && parts() == 0 && !all; }
};

// One `Of<Row>` for every side table, in the order in which they are locked.
template <template <class> class Of>
using ForSideTables =
    Every<Of, LaneRow, FlowRow, CancelBacklogRow, CancelMemberRow, FlowSummaryRow, FlowRetentionRow, EdgeGroupRow,
          EdgeRow, SiblingWorkRow, SuspensionRow, SuspendDedupRow, WaitpointRow, SignalRow, SignalPayloadRow,
          SignalDedupRow, GrantRow, BudgetRow, BudgetUsageRow, BudgetShareRow, BudgetDedupRow, RetentionRow,
          SearchTermRow, SigningKeyRow, SettingRow, ApiTokenRow, WorkerRow, WorkerEventRow, WorkerModeRow,
          ClaimRequestRow, BulkOperationRow, BulkItemRow, WebhookRow, WebhookFailureRow, ConsumerRow>;

// Both are made, copied and destroyed in side_tables.cpp, so that not every file that sees them compiles that for each
// of the tables.
struct SideTables : ForSideTables<RowTable> {
    SideTables();
    SideTables(const SideTables& other);
    SideTables(SideTables&& other) noexcept;
    SideTables& operator=(const SideTables& other);
    SideTables& operator=(SideTables&& other) noexcept;
    ~SideTables();
};

struct SideRowsWanted : ForSideTables<RowsWanted> {
    SideRowsWanted();
    SideRowsWanted(const SideRowsWanted& other);
    SideRowsWanted(SideRowsWanted&& other) noexcept;
    SideRowsWanted& operator=(const SideRowsWanted& other);
    SideRowsWanted& operator=(SideRowsWanted&& other) noexcept;
    ~SideRowsWanted();
};

// The place of a row type among them.
template <class Row>
inline constexpr std::size_t side_table_position = SideTables::position_of<Row>;

bool has_changes(const SideTables& tables);

// As stores take it: lists sorted and without repeats.
void sort(SideRowsWanted& wanted);

}  // namespace flowfabric
