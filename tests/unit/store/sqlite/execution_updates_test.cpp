#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "store/sqlite/statements.hpp"
#include "support/stores.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

sqlite3* opened_connection = nullptr;

int note_connection(sqlite3* connection, char** /*message*/, const sqlite3_api_routines* /*api*/) {
    opened_connection = connection;
    return SQLITE_OK;
}

int note_update(unsigned /*event*/, void* updates, void* statement, void* /*text*/) {
    const std::string sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
    if (sql.starts_with("UPDATE ff_exec_core")) static_cast<std::vector<std::string>*>(updates)->push_back(sql);
    return 0;
}

class SqliteExecutionUpdates : public testing::Test {
  protected:
    SqliteExecutionUpdates() {
        auto* const note = reinterpret_cast<void (*)()>(note_connection);
        sqlite3_auto_extension(note);
        writer = std::move(*store.backend()->open_writer());
        sqlite3_cancel_auto_extension(note);
        sqlite3_trace_v2(opened_connection, SQLITE_TRACE_STMT, note_update, &updates);
        save({.row = waiting_row(), .change = RowChange::insert});
    }

    ExecutionRow load() {
        auto loaded = writer->load({{.executions = {execution(1)}}});
        if (!loaded) throw std::runtime_error(loaded.error().detail);
        writer->abandon();
        return std::move(loaded->executions.at(0));
    }
    void save(const ExecutionEntry& entry) {
        WorkingSet set;
        set.executions.push_back(entry);
        ASSERT_TRUE(writer->load({}));
        const auto saved = writer->save(set);
        ASSERT_TRUE(saved) << saved.error().detail;
    }
    // Saves the row, which was loaded as it is stored.
    void update(const ExecutionRow& row) {
        save({.row = row, .change = RowChange::update, .loaded = std::make_shared<const ExecutionRow>(load())});
    }

    TestStore store{StoreKind::sqlite};
    std::vector<std::string> updates;  // that the writer has run
    std::unique_ptr<StoreWriter> writer;
};

TEST_F(SqliteExecutionUpdates, ColdColumnsAreWrittenOnlyIfOneHasChanged) {
    ExecutionRow row = load();
    row.last_mutation_at_ms += 1;
    update(row);
    EXPECT_THAT(updates, ElementsAre(sqlite::statements::update_execution_hot()));
    EXPECT_EQ(load(), row);

    updates.clear();
    row.priority = 7;
    row.lease_epoch = 1;
    update(row);
    EXPECT_THAT(updates, ElementsAre(sqlite::statements::update_execution_wide()));
    EXPECT_EQ(load(), row);
}

TEST_F(SqliteExecutionUpdates, AnUpdateThatChangesNothingWritesNothing) {
    update(load());
    EXPECT_THAT(updates, IsEmpty());
}

}  // namespace
}  // namespace flowfabric::test
