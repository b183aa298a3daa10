#include "store/sqlite/claim_selector.hpp"

#include <algorithm>
#include <memory>

#include "core/claim/order.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/statements.hpp"

namespace flowfabric::sqlite {
namespace {

// The unread rest of one range, and its first row.
class Cursor {
  public:
    template <class... Values>
    explicit Cursor(DamageLog& damage, Statement& statement, const Values&... values)
        : query_(statement, values...), damage_(damage) {}

    // Moves to the next row that is free and can be read; false after the last.
    bool advance(const std::unordered_set<ExecutionId>& taken) {
        while (query_.next()) {
            const auto name = [&] { return head_.id.to_string(); };  // comes first
            if (!read_or_report<Fault>(damage_, "ff_exec_core", name, [&] { read_row(query_, head_); })) continue;
            if (!taken.contains(head_.id)) return true;
        }
        return false;
    }

    const ExecutionRow& head() const { return head_; }
    ExecutionRow take_row() { return std::exchange(head_, {}); }
    // Reads the input as well, which it leaves to the file until then.
    ExecutionEntry take() { return {.row = take_row(), .input = query_.take_bytes()}; }

  private:
    Query query_;
    DamageLog& damage_;
    ExecutionRow head_;
};

using Cursors = std::vector<std::unique_ptr<Cursor>>;

// Heaps have their greatest in front.
bool comes_later(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b) {
    return claim_place(b->head()) < claim_place(a->head());
}

void merge(Cursors ranges, std::uint32_t count, ClaimSelector::Taken& taken, Claimable& found) {
    std::ranges::make_heap(ranges, comes_later);
    for (auto missing = count; missing > 0 && !ranges.empty(); --missing) {
        found.cut = taken.bytes >= max_claimed_bytes;
        if (found.cut) return;
        std::ranges::pop_heap(ranges, comes_later);
        Cursor& first = *ranges.back();
        found.rows.push_back(first.take());
        taken.bytes += found.rows.back().input->size();
        taken.ids.insert(found.rows.back().row.id);
        if (first.advance(taken.ids)) {
            std::ranges::push_heap(ranges, comes_later);
        } else {
            ranges.pop_back();
        }
    }
}

}  // namespace

ClaimSelector::ClaimSelector(const Database& database, DamageLog& damage)
    : damage_(damage),
      reclaimable_(database, statements::reclaimable_rows()),
      levels_(database, statements::eligible_in_level()),
      tails_(database, statements::eligible_in_tail()),
      head_(database.prepare(statements::claim_head())),
      next_reclaimable_(database.prepare(statements::next_reclaimable_class())),
      input_(database.prepare(statements::find_input())) {}

Statement& ClaimSelector::Pool::at(std::size_t index) {
    while (statements_.size() <= index) statements_.push_back(database_.prepare(sql_));
    return statements_[index];
}

Claimable ClaimSelector::select(const ClaimSelection& selection, std::int64_t now_ms, Taken& taken) {
    Claimable found;
    Cursors ranges;
    // Whether it has any row.
    const auto open = [&](Pool& pool, const auto&... values) {
        auto range = std::make_unique<Cursor>(damage_, pool.at(ranges.size()), values...);
        if (!range->advance(taken.ids)) return false;
        ranges.push_back(std::move(range));
        return true;
    };
    for (const auto class_id : with_reclaimable(selection.reclaimable_in)) open(reclaimable_, class_id, now_ms);
    merge(std::move(ranges), selection.count, taken, found);

    ranges.clear();
    // A share of each range: read one after the other, because what SQLite does to open one grows with those that are.
    const bool shares = selection.count_each < selection.count;
    std::vector<ExecutionRow> read;
    const auto look_into = [&](Pool& pool, const auto&... values) {
        if (!open(pool, values...)) return false;
        if (!shares) return true;
        Cursor& range = *ranges.back();
        std::uint32_t rows = 0;
        do read.push_back(range.take_row());
        while (++rows < selection.count_each && range.advance(taken.ids));
        ranges.clear();
        return true;
    };
    for (const auto& level : selection.levels) {
        look_into(levels_, level.class_id, level.priority, level.floor.created_at_ms, level.floor.execution_uuid,
                  now_ms);
    }
    if (selection.best_tails == 0) {
        for (const auto& tail : selection.tails) {
            look_into(tails_, tail.class_id, tail.below, selection.lowest_priority, now_ms);
        }
    } else {
        found.heads = heads(selection);
        std::uint32_t best = 0;
        for (const LevelHead& head : found.heads) {
            if (best == selection.best_tails) break;
            // One whose rows are all damaged or granted hides no other.
            if (look_into(tails_, head.class_id, head.priority + 1, selection.lowest_priority, now_ms)) ++best;
        }
    }
    if (shares) {
        take_first(std::move(read), selection.count, taken, found);
    } else {
        merge(std::move(ranges), selection.count, taken, found);
    }
    return found;
}

void ClaimSelector::take_first(std::vector<ExecutionRow> rows, std::uint32_t count, Taken& taken, Claimable& found) {
    std::ranges::sort(rows, {}, claim_place);
    if (rows.size() > count) rows.resize(count);
    for (ExecutionRow& row : rows) {
        found.cut = taken.bytes >= max_claimed_bytes;
        if (found.cut) return;
        Query query(input_, row.id.partition, row.id.uuid);
        Bytes input = query.next() ? query.take_bytes() : Bytes{};
        taken.bytes += input.size();
        taken.ids.insert(row.id);
        found.rows.push_back({.row = std::move(row), .input = std::move(input)});
    }
}

std::vector<std::int32_t> ClaimSelector::with_reclaimable(const std::vector<std::int32_t>& class_ids) {
    std::vector<std::int32_t> found;
    for (auto wanted = class_ids.begin(); wanted != class_ids.end();) {
        Query query(next_reclaimable_, *wanted);
        if (!query.next()) break;
        const auto next = query.take<std::int32_t>();
        wanted = std::lower_bound(wanted, class_ids.end(), next);
        if (wanted == class_ids.end() || *wanted != next) continue;
        found.push_back(next);
        ++wanted;
    }
    return found;
}

// In claim order.
std::vector<LevelHead> ClaimSelector::heads(const ClaimSelection& selection) {
    std::vector<LevelHead> found;
    for (const ClaimTail& tail : selection.tails) {
        Query query(head_, tail.class_id, tail.below, selection.lowest_priority);
        if (!query.next()) continue;
        auto& head = found.emplace_back();
        head.class_id = tail.class_id;
        query.read(head.priority);
        query.read(head.key.created_at_ms);
        query.read(head.key.execution_uuid);
    }
    std::ranges::sort(found, {}, [](const LevelHead& head) {
        return ClaimPlace{head.priority, head.key.created_at_ms, head.key.execution_uuid};
    });
    return found;
}

}  // namespace flowfabric::sqlite
