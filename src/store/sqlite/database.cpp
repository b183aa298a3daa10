#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {
namespace {

int flags_of(OpenMode mode) {
    constexpr int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    switch (mode) {
        case OpenMode::create:
            return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        case OpenMode::read_write:
            return common | SQLITE_OPEN_READWRITE;
        case OpenMode::read_only:
            break;
    }
    return common | SQLITE_OPEN_READONLY;
}

}  // namespace

void throw_unavailable(std::string detail) {
    throw Fault({StoreFault::unavailable, std::move(detail), {}});
}

StoreFault fault_of(int code) {
    switch (code) {
        case SQLITE_CONSTRAINT_PRIMARYKEY:
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_ROWID:
            return StoreFault::contention;
        case SQLITE_IOERR_NOMEM:
        case SQLITE_IOERR_SHMSIZE:
            return StoreFault::exhausted;
        default:
            break;
    }
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return StoreFault::contention;
        case SQLITE_FULL:
        case SQLITE_NOMEM:
            return StoreFault::exhausted;
        case SQLITE_CONSTRAINT:
        case SQLITE_TOOBIG:
        case SQLITE_MISMATCH:
            return StoreFault::data;
        case SQLITE_IOERR:
        case SQLITE_INTERRUPT:
            return StoreFault::connection;
        default:
            return StoreFault::unavailable;
    }
}

void throw_fault(sqlite3* connection, int code) {
    std::string detail = sqlite3_db_filename(connection, "main");
    // The first connection makes the -shm file, and SQLite calls a full disk an I/O error there.
    const char* message = code == SQLITE_IOERR_SHMSIZE ? "no room for its -shm file" : sqlite3_errmsg(connection);
    detail.append(": ").append(message).append(" (SQLite code ").append(std::to_string(code));
    throw Fault({fault_of(code), detail + ")", {}});
}

Statement::Statement(sqlite3* connection, std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &raw, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) throw_fault(connection, code);
}

Database::Database(const std::string& path, OpenMode mode) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags_of(mode), nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) {
        throw Fault({fault_of(code), "cannot open the database '" + path + "': " + sqlite3_errstr(code), {}});
    }
    sqlite3_busy_timeout(raw, busy_timeout_ms);
}

void Database::execute(const std::string& sql) const {
    const int code = sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw_fault(get(), code);
}

}  // namespace flowfabric::sqlite
