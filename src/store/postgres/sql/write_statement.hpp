#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {

// A statement that writes rows. It has a form for each set of columns that they may have in common.
struct WriteStatement {
    std::string name;
    std::size_t columns = 0;  // of a row
    std::function<std::string(const ColumnSet& shared)> text;
    StoreFault on_mismatch = StoreFault::data;
    ColumnSet always_shared = {};  // by the rows that are sent together
    ColumnSet never_shared = {};   // but by a single row with itself
};

// The forms that one session has needed so far. Each is a plan in the server's memory, so there are only so many; rows
// that have more in common than any form knows go by the best of them.
class WriteForms {
  public:
    explicit WriteForms(Connection& connection) : connection_(connection) {}

    // The parameters `further` come behind those of the rows.
    void send(const WriteStatement& statement, RowParams rows, const Params& further = {});
    // Lets the server begin.
    void flush() { connection_.flush(); }

  private:
    struct Form {
        ColumnSet shared;
        Statement statement;
    };

    const Form& form_for(const WriteStatement& statement, const RowParams& rows);

    Connection& connection_;
    std::unordered_map<const WriteStatement*, std::deque<Form>> forms_;
};

}  // namespace flowfabric::postgres
