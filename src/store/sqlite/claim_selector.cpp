#include "store/sqlite/claim_selector.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "store/sqlite/query.hpp"

namespace flowfabric::sqlite {
namespace {

// The unread rest of one class, and its first row.
class ClassCursor {
  public:
    ClassCursor(Statement& statement, std::int32_t class_id, std::int64_t now_ms)
        : query_(statement, class_id, now_ms) {}

    // Moves to the next row that is free; false after the last.
    bool advance(const std::unordered_set<ExecutionId>& taken) {
        while (query_.next()) {
            read_row(query_, head_.row);
            if (taken.contains(head_.row.id)) continue;
            head_.input = query_.take_bytes();
            return true;
        }
        return false;
    }

    ExecutionEntry take() { return std::exchange(head_, {}); }

    bool stands_before(const ClassCursor& other) const {
        const auto& left = head_.row;
        const auto& right = other.head_.row;
        return std::tie(right.priority, left.created_at_ms, left.id.uuid) <
               std::tie(left.priority, right.created_at_ms, right.id.uuid);
    }

  private:
    Query query_;
    ExecutionEntry head_;
};

}  // namespace

void ClaimSelector::select(const ClaimSelection& selection, std::int64_t now_ms, std::unordered_set<ExecutionId>& taken,
                           std::vector<ExecutionEntry>& rows) {
    std::vector<std::unique_ptr<ClassCursor>> classes;
    for (const auto class_id : selection.class_ids) {
        if (statements_.size() == classes.size()) statements_.push_back(database_.prepare(sql_));
        auto cursor = std::make_unique<ClassCursor>(statements_[classes.size()], class_id, now_ms);
        if (cursor->advance(taken)) classes.push_back(std::move(cursor));
    }
    for (auto missing = selection.count; missing > 0 && !classes.empty(); --missing) {
        const auto first = std::min_element(classes.begin(), classes.end(), [](const auto& left, const auto& right) {
            return left->stands_before(*right);
        });
        rows.push_back((*first)->take());
        taken.insert(rows.back().row.id);
        if (!(*first)->advance(taken)) classes.erase(first);
    }
}

}  // namespace flowfabric::sqlite
