#include "store/sqlite/checkpoint.hpp"

#include <cstdint>

#include "store/sqlite/query.hpp"

namespace flowfabric::sqlite {
namespace {

constexpr std::int64_t passive_bytes = std::int64_t{4} << 20;
// Beyond this readers have kept the WAL from starting over; give the space back as soon as none is in the way.
constexpr std::int64_t truncate_bytes = std::int64_t{64} << 20;

int page_size_of(const Database& database) {
    auto statement = database.prepare("PRAGMA page_size");
    Query query(statement);
    query.next();
    return query.take<int>();
}

}  // namespace

Checkpointer::Checkpointer(const Database& database) : connection_(database.get()), page_size_(page_size_of(database)) {
    sqlite3_wal_hook(connection_, &Checkpointer::on_commit, this);
}

bool Checkpointer::due() const {
    return std::int64_t{pages_ - moved_} * page_size_ >= passive_bytes;
}

int Checkpointer::run() {
    const bool oversized = std::int64_t{pages_} * page_size_ >= truncate_bytes;
    const int mode = oversized ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    sqlite3_busy_timeout(connection_, 0);
    const int code = sqlite3_wal_checkpoint_v2(connection_, "main", mode, nullptr, nullptr);
    sqlite3_busy_timeout(connection_, busy_timeout_ms);
    // Busy: a reader still needs the rest, which the next run moves.
    if (code != SQLITE_OK && code != SQLITE_BUSY) return code;
    moved_ = pages_;
    return SQLITE_OK;
}

int Checkpointer::on_commit(void* self, sqlite3*, const char*, int pages) {
    auto& checkpointer = *static_cast<Checkpointer*>(self);
    checkpointer.pages_ = pages;
    // The WAL started over.
    if (pages < checkpointer.moved_) checkpointer.moved_ = 0;
    return SQLITE_OK;
}

}  // namespace flowfabric::sqlite
