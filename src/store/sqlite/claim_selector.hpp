#pragma once

#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {

// Merges the claim orders of several classes. Each class is a statement that is stepped as far as the merge needs it,
// so that a claim over many classes reads hardly more rows than it returns.
class ClaimSelector {
  public:
    // `sql` takes a class and the time and gives its rows, with their input, in claim order.
    ClaimSelector(const Database& database, std::string sql) : database_(database), sql_(std::move(sql)) {}

    // Appends up to `selection.count` rows that are not in `taken`, and adds them to it.
    void select(const ClaimSelection& selection, std::int64_t now_ms, std::unordered_set<ExecutionId>& taken,
                std::vector<ExecutionEntry>& rows);

  private:
    const Database& database_;
    std::string sql_;
    std::deque<Statement> statements_;  // one per class that is read at the same time
};

}  // namespace flowfabric::sqlite
