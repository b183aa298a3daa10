#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/vector.hpp"
#include "store/postgres/backend.hpp"
#include "store/postgres/migrations.hpp"
#include "store/sqlite/backend.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/migrations.hpp"
#include "support/stores.hpp"
#include "unit/core/fixtures.hpp"
#include "unit/store/postgres/raw_schema.hpp"

// How a store's schema comes to be, and which schemas an engine lives with; the same on both databases.
namespace flowfabric::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class SqliteFile {
  public:
    static constexpr StoreKind kind = StoreKind::sqlite;

    SqliteFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ff-unit.XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
        directory_ = pattern;
    }
    ~SqliteFile() { std::filesystem::remove_all(directory_); }
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    std::shared_ptr<Backend> backend() const { return sqlite::make_backend({.path = path()}); }
    void execute(const std::string& sql) const { sqlite::Database(path(), sqlite::OpenMode::read_write).execute(sql); }
    static std::span<const Migration> migrations() { return sqlite::migrations(); }

  private:
    std::string path() const { return (directory_ / "store.db").string(); }
    std::filesystem::path directory_;
};

class PostgresSchema {
  public:
    static constexpr StoreKind kind = StoreKind::postgres;

    std::shared_ptr<Backend> backend() const { return postgres::make_backend({.url = schema_.url()}); }
    void execute(const std::string& sql) { schema_.query(sql); }
    static std::span<const Migration> migrations() { return postgres::migrations(); }

  private:
    RawSchema schema_;
};

template <class Place>
class Migrations : public testing::Test {
  protected:
    void SetUp() override {
        const Availability store = availability_of(Place::kind);
        if (!store.available) {
            if (store.required) FAIL() << store.message;
            GTEST_SKIP() << store.message;
        }
        place = std::make_unique<Place>();
    }

    void migrate() {
        const auto migrated = place->backend()->migrate();
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }

    void add_step(int version, bool compatible) {
        place->execute(
            "INSERT INTO ff_migration_annotation (version, name, applied_at_ms, backward_compatible) VALUES (" +
            std::to_string(version) + ", 'from_the_future', 0, " + (compatible ? "true" : "false") + ")");
    }

    void expect_refused(const StoreResult<void>& checked, std::string_view why) {
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().fault, StoreFault::unavailable);
        EXPECT_NE(checked.error().detail.find(why), std::string::npos) << checked.error().detail;
    }

    std::unique_ptr<Place> place;
};

using Places = testing::Types<SqliteFile, PostgresSchema>;
TYPED_TEST_SUITE(Migrations, Places);

TYPED_TEST(Migrations, AnEmptyDatabaseIsRefusedUntilItIsMigrated) {
    this->expect_refused(this->place->backend()->check(), "ff migrate");
    this->migrate();
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, EveryStepIsAppliedOnceAndNamed) {
    const auto first = this->place->backend()->migrate();
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_THAT(*first, SizeIs(TypeParam::migrations().size()));
    EXPECT_EQ(first->front(), "0001_initial");
    const auto second = this->place->backend()->migrate();
    ASSERT_TRUE(second) << second.error().detail;
    EXPECT_THAT(*second, IsEmpty());
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, StepsAreNumberedWithoutGaps) {
    int expected = 1;
    for (const Migration& migration : TypeParam::migrations()) EXPECT_EQ(migration.version, expected++);
}

TYPED_TEST(Migrations, AnAppliedStepThatIsMissingIsNamed) {
    this->migrate();
    this->place->execute("DELETE FROM ff_migration_annotation");
    this->expect_refused(this->place->backend()->check(), "initial");
}

TYPED_TEST(Migrations, ANewerCompatibleSchemaIsAccepted) {
    this->migrate();
    this->add_step(9'000, true);
    EXPECT_TRUE(this->place->backend()->check());
    const auto again = this->place->backend()->migrate();
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_THAT(*again, IsEmpty());
}

TYPED_TEST(Migrations, ANewerIncompatibleSchemaIsRefused) {
    this->migrate();
    this->add_step(9'000, true);
    this->add_step(9'001, false);
    this->expect_refused(this->place->backend()->check(), "from_the_future");
    const auto again = this->place->backend()->migrate();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().fault, StoreFault::unavailable);
}

// As they stood before there was a cause.
TYPED_TEST(Migrations, ExecutionsThatWereCancelledBeforeGetTheCauseThatTheEngineWrote) {
    using enum CancellationCause;
    struct Cancelled {
        std::string by;
        std::string reason;
        CancellationCause cause;
    };
    const std::vector<Cancelled> all{{"operator_override", "sibling_quorum_x by the user", request},
                                     {"operator_override", "sibling_quorum_satisfied", request},
                                     {"worker", "not needed", request},
                                     {"flow_cascade", "enough", flow},
                                     {"flow_cascade", "sibling_quorum_satisfied", sibling},
                                     {"flow_cascade", "sibling_quorum_impossible", sibling},
                                     {"system_timeout", "suspension_timeout:cancel", timeout}};
    this->migrate();
    {
        WorkingSet set;
        for (std::size_t i = 0; i < all.size(); ++i) {
            ExecutionRow row = waiting_row(i + 1);
            row.flow_id = FlowId{uuid_of(100)};
            row.vector = terminal_vector(TerminalOutcome::cancelled, false);
            row.cancelled_by = all[i].by;
            row.cancellation_reason = all[i].reason;
            set.completion_events.push_back({.execution_id = row.id,
                                             .namespace_name = row.namespace_name,
                                             .flow_id = row.flow_id,
                                             .outcome = TerminalOutcome::cancelled});
            set.executions.push_back({.row = std::move(row), .change = RowChange::insert, .input = "own"});
        }
        const auto writer = std::move(*this->place->backend()->open_writer());
        ASSERT_TRUE(writer->load({}));
        const auto saved = writer->save(set);
        ASSERT_TRUE(saved) << saved.error().detail;
    }
    this->place->execute("ALTER TABLE ff_exec_core DROP COLUMN cancellation_cause");
    this->place->execute("ALTER TABLE ff_completion_event DROP COLUMN cancellation_cause");
    this->place->execute("DELETE FROM ff_migration_annotation WHERE name = 'cancellation_cause'");
    this->migrate();

    const auto reader = std::move(*this->place->backend()->open_reader());
    const auto ends = reader->undispatched(0, 100);
    ASSERT_TRUE(ends) << ends.error().detail;
    ASSERT_THAT(*ends, SizeIs(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(reader->execution(execution(i + 1))->value().cancellation_cause, all[i].cause) << all[i].reason;
        EXPECT_EQ((*ends)[i].cause, all[i].cause) << all[i].reason;
    }
}

TYPED_TEST(Migrations, OtherPartitionCountsAreRefused) {
    this->migrate();
    for (const std::string column : {"num_flow_partitions", "num_budget_partitions", "num_quota_partitions"}) {
        this->place->execute("UPDATE ff_partition_config SET " + column + " = " + column + " * 2");
        this->expect_refused(this->place->backend()->check(), "partitions");
        this->place->execute("UPDATE ff_partition_config SET " + column + " = " + column + " / 2");
        EXPECT_TRUE(this->place->backend()->check());
    }
}

TYPED_TEST(Migrations, MissingPartitionCountsAreRefused) {
    this->migrate();
    this->place->execute("DELETE FROM ff_partition_config");
    this->expect_refused(this->place->backend()->check(), "partition");
}

}  // namespace
}  // namespace flowfabric::test
