#include "support/stores.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"
#include "support/postgres_database.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

template <class T>
T require(StoreResult<T> result) {
    if (!result) throw std::runtime_error(result.error().detail);
    return std::move(*result);
}

// ---- SQLite -----------------------------------------------------------------------------------------------------

std::filesystem::path fresh_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ff-test.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
    return pattern;
}

// ---- PostgreSQL -------------------------------------------------------------------------------------------------

// As after the migration, with nobody connected.
void empty(const PostgresDatabase& database) {
    SqlSession(database.url()).run(R"(DO $$
        DECLARE
            name text;
        BEGIN
            PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid();
            FOR name IN SELECT relname FROM pg_class WHERE relname LIKE 'ff\_%' AND relkind IN ('r', 'p')
                AND NOT relispartition AND relname NOT IN ('ff_partition_config', 'ff_migration_annotation', 'ff_outbox') LOOP
                EXECUTE format('DELETE FROM %I', name);
            END LOOP;
            UPDATE ff_outbox SET trimmed = 0;
            PERFORM setval(oid, 1, false) FROM pg_class WHERE relname LIKE 'ff\_%' AND relkind = 'S';
        END $$)");
}

// Creating and dropping a database takes far longer than most tests: they are emptied and used again.
class DatabasePool {
  public:
    std::unique_ptr<PostgresDatabase> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<PostgresDatabase>();
        auto database = std::move(free_.back());
        free_.pop_back();
        return database;
    }
    void give_back(std::unique_ptr<PostgresDatabase> database) {
        empty(*database);
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(database));
    }

    static DatabasePool& instance() {
        static DatabasePool pool;
        return pool;
    }

  private:
    std::mutex mutex_;  // guards free_
    std::vector<std::unique_ptr<PostgresDatabase>> free_;
};

}  // namespace

std::string_view name_of(StoreKind kind) {
    switch (kind) {
        case StoreKind::memory:
            return "memory";
        case StoreKind::sqlite:
            return "sqlite";
        case StoreKind::postgres:
            return "postgres";
    }
    return "unknown";
}

std::string name_of_param(const ::testing::TestParamInfo<StoreKind>& info) {
    return std::string(name_of(info.param));
}

void PrintTo(StoreKind kind, std::ostream* out) {
    *out << name_of(kind);
}

Availability availability_of(StoreKind kind) {
    if (kind != StoreKind::postgres || is_set("FF_TEST_POSTGRES")) return {};
    return {.available = false,
            .required = is_set("CI") || is_set("FF_REQUIRE_POSTGRES"),
            .message = "no PostgreSQL: set FF_TEST_POSTGRES, or run under script/with-postgres"};
}

TestStore::TestStore(StoreKind kind, memory::FaultInjector faults) : kind_(kind) {
    switch (kind) {
        case StoreKind::memory:
            backend_ = memory::make_backend({.clock = clock_, .faults = std::move(faults)});
            break;
        case StoreKind::sqlite: {
            const auto directory = fresh_directory();
            remove_ = [directory] { std::filesystem::remove_all(directory); };
            backend_ = sqlite::make_backend({.path = (directory / "store.db").string(), .clock = clock_});
            require(backend_->migrate());
            break;
        }
        case StoreKind::postgres: {
            // std::function wants a copyable target.
            const auto database = std::make_shared<std::unique_ptr<PostgresDatabase>>(DatabasePool::instance().take());
            const std::string url = (*database)->url();
            remove_ = [database] { DatabasePool::instance().give_back(std::move(*database)); };
            backend_ = postgres::make_backend({.url = url, .clock = clock_, .notify = false});
            break;
        }
    }
    if (auto checked = backend_->check(); !checked) throw std::runtime_error(checked.error().detail);
}

TestStore::~TestStore() {
    backend_.reset();
    try {
        if (remove_) remove_();
    } catch (const std::exception& failure) {
        ADD_FAILURE() << "the " << name_of(kind_) << " store cannot be removed: " << failure.what();
    }
}

}  // namespace flowfabric::test
