#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/rows/working_set.hpp"
#include "store/postgres/sql/statements.hpp"

namespace flowfabric::postgres {

// Of stored_columns(), by position; what follows them is the result.
using ExecutionColumnSet = ColumnSet;

// A row of a result, as it came.
struct StoredRow {
    const Rows* rows;
    std::size_t row;
};

// The columns in which the row differs from what it was read from, of those that may.
ExecutionColumnSet changed_columns(const StoredRow& stored, const ExecutionRow& row);
ExecutionColumnSet all_changeable_columns();
// Of rows that are in the same states.
WriteStatement update_executions(const std::string& name, const ExecutionColumnSet& columns);

// Remembers the executions that a transaction has loaded, as they came, and writes what has changed of them: one
// statement for all that have changed in the same columns and have come to the same states. Columns that are not
// mentioned cost nothing, neither here nor in the server, nor in its WAL; states are sent once for all rows.
class ExecutionUpdates {
  public:
    void forget();
    // `stored` is of one of the results that keep() is given.
    void remember(const ExecutionId& id, const StoredRow& stored) { stored_.insert_or_assign(id, stored); }
    // The first of them, where it stays.
    const Rows& keep(std::vector<Rows> results) { return results_.emplace_back(std::move(results)).front(); }

    // And forgets them.
    void send(WriteForms& forms, const WorkingSet& changes);

  private:
    struct Change {
        ExecutionColumnSet columns;
        std::string states;  // all of them, as the columns may yet become more

        bool operator==(const Change&) const = default;
    };

    Change change_of(const ExecutionEntry& entry) const;
    const WriteStatement& statement_for(ExecutionColumnSet& columns);

    std::vector<std::vector<Rows>> results_;
    std::unordered_map<ExecutionId, StoredRow> stored_;
    std::unordered_map<ExecutionColumnSet, WriteStatement> statements_;
};

}  // namespace flowfabric::postgres
