#include "support/stores.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"

namespace flowfabric::test {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::string server_url() {
    return is_set("FF_TEST_POSTGRES") ? std::getenv("FF_TEST_POSTGRES") : std::string{};
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

void run_sql(const std::string& url, const std::string& sql) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()), &PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
        throw std::runtime_error(sql + ": " + PQresultErrorMessage(result.get()));
    }
}

std::string quoted(std::string_view value) {
    std::string text = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    return text + "'";
}

// The server's connection string with another database.
std::string url_of_database(std::string_view name) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfoParse(server_url().c_str(), nullptr), &PQconninfoFree);
    if (!options) throw std::runtime_error("FF_TEST_POSTGRES is not a connection string");
    std::string url;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        const bool wanted = option->val != nullptr && std::string_view(option->keyword) != "dbname";
        if (wanted) url.append(option->keyword).append("=").append(quoted(option->val)).append(" ");
    }
    return url.append("dbname=").append(quoted(name));
}

// A migrated database, dropped with this object.
class Database {
  public:
    explicit Database(std::string name) : name_(std::move(name)) {
        run_sql(server_url(), "CREATE DATABASE " + name_ + " TEMPLATE template0");
        require(postgres::make_backend({.url = url()})->migrate());
    }
    ~Database() {
        try {
            run_sql(server_url(), "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception& failure) {
            std::cerr << "database " << name_ << " is left behind: " << failure.what() << "\n";
        }
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    std::string url() const { return url_of_database(name_); }

    // As after the migration, with nobody connected.
    void empty() {
        run_sql(url(), R"(DO $$
            DECLARE
                name text;
            BEGIN
                PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid();
                FOR name IN SELECT relname FROM pg_class WHERE relname LIKE 'ff\_%' AND relkind IN ('r', 'p')
                    AND NOT relispartition AND relname NOT IN ('ff_partition_config', 'ff_migration_annotation') LOOP
                    EXECUTE format('DELETE FROM %I', name);
                END LOOP;
                PERFORM setval(oid, 1, false) FROM pg_class WHERE relname LIKE 'ff\_%' AND relkind = 'S';
            END $$)");
    }

  private:
    std::string name_;
};

// Creating and dropping a database takes far longer than most tests: they are emptied and used again.
class DatabasePool {
  public:
    std::unique_ptr<Database> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            return std::make_unique<Database>("ff_test_" + std::to_string(::getpid()) + "_" +
                                              std::to_string(++created_));
        }
        auto database = std::move(free_.back());
        free_.pop_back();
        return database;
    }
    void give_back(std::unique_ptr<Database> database) {
        database->empty();
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(database));
    }

    static DatabasePool& instance() {
        static DatabasePool pool;
        return pool;
    }

  private:
    std::mutex mutex_;  // guards all members
    std::vector<std::unique_ptr<Database>> free_;
    int created_ = 0;
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
            const auto database = std::make_shared<std::unique_ptr<Database>>(DatabasePool::instance().take());
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
