#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/working_set.hpp"
#include "store/postgres/statements.hpp"

namespace flowfabric::postgres {

// Of execution_columns(), by position; what follows them is the result.
using ExecutionColumnSet = std::bitset<96>;

// The columns in which the row differs from the record that it was read from, of those that may.
ExecutionColumnSet changed_columns(std::string_view record, const ExecutionRow& row);
ExecutionColumnSet all_changeable_columns();
// Rows that the batch has locked, so that none of them can be missing.
std::string update_executions(const ExecutionColumnSet& columns, Shape shape);

// Remembers the executions that a transaction has loaded, as they came, and writes what has changed of them: one
// statement for all that have changed in the same columns and have come to the same states. Columns that are not
// mentioned cost nothing, neither here nor in the server, nor in its WAL; states are sent once for all rows.
class ExecutionUpdates {
  public:
    void forget();
    // `record` is one of the rows that keep() is given.
    void remember(const ExecutionId& id, std::string_view record) { records_.insert_or_assign(id, record); }
    void keep(std::vector<Rows> results) { results_ = std::move(results); }

    // And forgets them.
    void send(Connection& connection, const WorkingSet& changes);

  private:
    struct Change {
        ExecutionColumnSet columns;
        std::string states;  // all of them, as the columns may yet become more

        bool operator==(const Change&) const = default;
    };

    Change change_of(const ExecutionEntry& entry) const;
    const RowStatement& statement_for(ExecutionColumnSet& columns);

    std::vector<Rows> results_;
    std::unordered_map<ExecutionId, std::string_view> records_;
    std::unordered_map<ExecutionColumnSet, RowStatement> statements_;
};

}  // namespace flowfabric::postgres
