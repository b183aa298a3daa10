#include "core/rows/due_rows.hpp"

#include <algorithm>
#include <vector>

#include "core/base/saturating.hpp"

namespace flowfabric {
namespace {

std::vector<const DueRows*> list_due_rows() {
    std::vector<const DueRows*> all(execution_timers.begin(), execution_timers.end());
    SideTables{}.each([&]<class Row>(const RowTable<Row>&) {
        if constexpr (DueRow<Row>) all.push_back(&due_rows<Row>);
    });
    return all;
}

// The earliest of the times that it meets.
class Earliest {
  public:
    explicit Earliest(std::int64_t now_ms) : now_ms_(now_ms) {}

    void meet(const std::optional<std::int64_t>& at) {
        if (!at) return;
        const std::int64_t in = std::max<std::int64_t>(saturating_difference(*at, now_ms_), 0);
        in_ms_ = std::min(in_ms_.value_or(in), in);
    }
    const std::optional<std::int64_t>& in_ms() const { return in_ms_; }

  private:
    std::int64_t now_ms_;
    std::optional<std::int64_t> in_ms_;
};

}  // namespace

std::span<const DueRows* const> all_due_rows() {
    static const std::vector<const DueRows*> all = list_due_rows();
    return all;
}

std::optional<std::int64_t> earliest_due(const WorkingSet& set, const DueRows& rows) {
    Earliest earliest(set.now_ms);
    for (const ExecutionTimer* timer : execution_timers) {
        if (timer != &rows) continue;
        for (const ExecutionEntry& entry : set.executions) {
            const bool live = entry.row.vector.lifecycle_phase != LifecyclePhase::terminal;
            if (entry.change != RowChange::none && live) earliest.meet(entry.row.*timer->at);
        }
    }
    set.side.each([&]<class Row>(const RowTable<Row>& table) {
        if constexpr (DueRow<Row>) {
            if (&rows == &due_rows<Row>) table.each_put([&](const Row& row, bool) { earliest.meet(row.due_at_ms()); });
        }
    });
    return earliest.in_ms();
}

}  // namespace flowfabric
