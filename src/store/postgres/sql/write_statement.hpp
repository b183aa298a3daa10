#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {

// A statement that writes rows: a single row's values are plain parameters, many rows are an array per column, but for
// the columns that are the same in all rows that are sent together.
struct WriteStatement {
    std::string name;
    std::size_t columns = 0;  // of a row
    std::function<std::string(const ColumnSet& plain)> text;
    StoreFault on_mismatch = StoreFault::data;
    ColumnSet shared = {};  // by many rows, always

    ColumnSet plain_in(Shape shape) const;
    Statement in(Shape shape) const;
};

// The forms that one session has needed so far, each of which is a plan in the server's memory. An array is a function
// scan in the server, so what the rows of a large statement have in common had better be sent once: a session learns
// for each statement which columns that are, from the rows that it sends, and forgets those in which rows have
// differed.
class WriteForms {
  public:
    explicit WriteForms(Connection& connection) : connection_(connection) {}

    // The parameters `further` come behind those of the rows.
    void send(const WriteStatement& statement, RowParams rows, const Params& further = {});
    // Lets the server begin.
    void flush() { connection_.flush(); }

  private:
    struct Form {
        ColumnSet plain;
        Statement statement;
    };
    struct Forms {
        std::optional<Form> many, one;
        std::deque<Form> learned;  // each without some columns of the one before; statements keep their place
    };

    const Form& form_for(const WriteStatement& statement, const RowParams& rows);

    Connection& connection_;
    std::unordered_map<const WriteStatement*, Forms> forms_;
};

}  // namespace flowfabric::postgres
