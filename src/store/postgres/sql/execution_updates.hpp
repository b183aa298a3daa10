#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/rows/changed_columns.hpp"
#include "store/postgres/sql/statements.hpp"

namespace flowfabric::postgres {

// What an update has to write of stored_columns(), by position; what follows them is the result.
ExecutionColumnSet stored_columns_to_write(const ExecutionEntry& entry);
ExecutionColumnSet all_changeable_columns();
// Of rows that are in the same states.
WriteStatement update_executions(const std::string& name, const ExecutionColumnSet& columns);

// Writes what has changed of executions: one statement for all that have changed in the same columns and have come to
// the same states. Columns that are not mentioned cost nothing, neither here nor in the server, nor in its WAL; states
// are sent once for all rows.
class ExecutionUpdates {
  public:
    void send(WriteForms& forms, const WorkingSet& changes);

  private:
    struct Change {
        ExecutionColumnSet columns;
        std::string states;  // all of them, as the columns may yet become more

        bool operator==(const Change&) const = default;
    };

    const WriteStatement& statement_for(ExecutionColumnSet& columns);

    std::unordered_map<ExecutionColumnSet, WriteStatement> statements_;
};

}  // namespace flowfabric::postgres
