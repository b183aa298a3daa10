#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/thrown.hpp"
#include "store/port.hpp"

// RAII over SQLite's handles. Inside the adapter a failed call throws a Fault; `guarded` turns it into the port's
// error at the edge.
namespace flowfabric::sqlite {

class Fault : public std::exception {
  public:
    explicit Fault(StoreError error) : error_(std::move(error)) {}
    const StoreError& error() const { return error_; }
    const char* what() const noexcept override { return error_.detail.c_str(); }

  private:
    StoreError error_;
};

[[noreturn]] void throw_unavailable(std::string detail);

// A stored value is not what the schema says.
[[noreturn]] inline void throw_unreadable(std::string detail) {
    throw Fault({StoreFault::unreadable, std::move(detail), {}});
}

// What the engine has to make of a result code.
StoreFault fault_of(int code);

// Throws the connection's last error.
[[noreturn]] void throw_fault(sqlite3* connection, int code);

template <class Body>
StoreResult<std::invoke_result_t<Body>> guarded(Body&& body) {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            body();
            return {};
        } else {
            return body();
        }
    } catch (const Fault& fault) {
        return fault.error();
    } catch (...) {
        return StoreError{StoreFault::data, "it broke unexpectedly: " + thrown_text(), {}};
    }
}

// A prepared statement. One use of it is a Query (query.hpp).
class Statement {
  public:
    Statement(sqlite3* connection, std::string_view sql);
    sqlite3_stmt* get() const { return handle_.get(); }

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Writers queue on the fair lock; only foreign tools and WAL recovery are waited for by SQLite itself.
inline constexpr int busy_timeout_ms = 250;

enum class OpenMode : std::uint8_t { create, read_write, read_only };

// One connection, for one thread at a time.
class Database {
  public:
    Database(const std::string& path, OpenMode mode);

    sqlite3* get() const { return handle_.get(); }
    Statement prepare(std::string_view sql) const { return {handle_.get(), sql}; }
    void execute(const std::string& sql) const;
    bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

  private:
    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace flowfabric::sqlite
