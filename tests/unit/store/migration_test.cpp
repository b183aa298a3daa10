#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <thread>

#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"
#include "store/sqlite/database.hpp"
#include "support/stores.hpp"
#include "unit/store/postgres/raw_schema.hpp"

// How a store's schema comes to be, and which schemas an engine lives with; the same on both databases.
namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Steps = std::vector<Migration>;

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

    static std::span<const Migration> migrations() { return sqlite::migrations(); }
    std::shared_ptr<Backend> backend(std::span<const Migration> steps = migrations()) const {
        return sqlite::make_backend({.path = path(), .migrations = steps});
    }
    void execute(const std::string& sql) const { sqlite::Database(path(), sqlite::OpenMode::create).execute(sql); }

  private:
    std::string path() const { return (directory_ / "store.db").string(); }
    std::filesystem::path directory_;
};

class PostgresSchema {
  public:
    static constexpr StoreKind kind = StoreKind::postgres;

    static std::span<const Migration> migrations() { return postgres::migrations(); }
    std::shared_ptr<Backend> backend(std::span<const Migration> steps = migrations()) const {
        return postgres::make_backend({.url = schema_.url(), .migrations = steps});
    }
    void execute(const std::string& sql) { schema_.query(sql); }

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

    // Those of an engine that knows one more.
    static Steps steps_and(std::string_view name, std::string_view sql, bool compatible) {
        Steps steps(Place::migrations().begin(), Place::migrations().end());
        steps.push_back({steps.back().version + 1, name, sql, compatible});
        return steps;
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
    EXPECT_EQ(first->front(), "0001_schema");
    const auto second = this->place->backend()->migrate();
    ASSERT_TRUE(second) << second.error().detail;
    EXPECT_THAT(*second, IsEmpty());
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, EveryStepIsAppliedOnceByManyAtOnce) {
    std::vector<StoreResult<std::vector<std::string>>> answers(4, std::vector<std::string>{});
    {
        std::vector<std::jthread> threads;
        for (auto& answer : answers) {
            threads.emplace_back([&] { answer = this->place->backend()->migrate(); });
        }
    }
    std::size_t applied = 0;
    for (const auto& answer : answers) {
        ASSERT_TRUE(answer) << answer.error().detail;
        applied += answer->size();
    }
    EXPECT_EQ(applied, TypeParam::migrations().size());
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, StepsAreNumberedWithoutGaps) {
    int expected = 1;
    for (const Migration& migration : TypeParam::migrations()) EXPECT_EQ(migration.version, expected++);
}

TYPED_TEST(Migrations, AnAppliedStepThatIsMissingIsNamed) {
    this->migrate();
    this->place->execute("DELETE FROM ff_migration_annotation");
    this->expect_refused(this->place->backend()->check(), "schema");
}

// ---- steps that come later --------------------------------------------------------------------------------------

TYPED_TEST(Migrations, AnOlderSchemaIsRefusedUntilWhatItLacksIsApplied) {
    this->migrate();
    const Steps steps = this->steps_and("added", "CREATE TABLE ff_added (number integer)", false);
    this->expect_refused(this->place->backend(steps)->check(), "added");
    const auto applied = this->place->backend(steps)->migrate();
    ASSERT_TRUE(applied) << applied.error().detail;
    EXPECT_THAT(*applied, ElementsAre(label_of(steps.back())));
    EXPECT_TRUE(this->place->backend(steps)->check());
    this->place->execute("INSERT INTO ff_added (number) VALUES (1)");
}

TYPED_TEST(Migrations, AnEngineWithoutAStepStaysIfTheStepIsCompatible) {
    for (const bool compatible : {true, false}) {
        this->place = std::make_unique<TypeParam>();
        const Steps steps = this->steps_and("added", "CREATE TABLE ff_added (number integer)", compatible);
        ASSERT_TRUE(this->place->backend(steps)->migrate());
        if (compatible) {
            EXPECT_TRUE(this->place->backend()->check());
        } else {
            this->expect_refused(this->place->backend()->check(), "added");
        }
    }
}

TYPED_TEST(Migrations, AStepThatFailsLeavesNothingBehind) {
    this->migrate();
    const std::string half = "CREATE TABLE ff_added (number integer); ";
    EXPECT_FALSE(this->place->backend(this->steps_and("added", half + half, true))->migrate());
    EXPECT_TRUE(this->place->backend()->check());
    const Steps steps = this->steps_and("added", half, true);
    this->expect_refused(this->place->backend(steps)->check(), "added");
    const auto applied = this->place->backend(steps)->migrate();
    ASSERT_TRUE(applied) << applied.error().detail;
    EXPECT_THAT(*applied, ElementsAre(label_of(steps.back())));
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

// ---- partitions -------------------------------------------------------------------------------------------------

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
