#pragma once

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {

// Moves the WAL into the database. Only the holder of the writer lock may call it: SQLite's automatic checkpoints
// would run beside the writers of other processes, which not every version survives (the WAL-reset bug).
class Checkpointer {
  public:
    // Stays in place: SQLite keeps a pointer to it.
    explicit Checkpointer(const Database& database);
    Checkpointer(const Checkpointer&) = delete;
    Checkpointer& operator=(const Checkpointer&) = delete;

    // Whether enough has gathered to be worth the two fsyncs.
    bool due() const;
    // Whether anything has gathered at all.
    bool pending() const { return pages_ != moved_; }
    // Returns SQLite's code and does not throw: what was committed stays committed when moving it fails.
    int run();

  private:
    static int on_commit(void* self, sqlite3* connection, const char* schema, int pages);

    sqlite3* connection_;
    int page_size_;
    int pages_ = 0;  // in the WAL after our last commit
    int moved_ = 0;  // of those, when we last ran
};

}  // namespace flowfabric::sqlite
