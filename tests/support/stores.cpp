#include "support/stores.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"

namespace flowfabric::test {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::string server_url() { return is_set("FF_TEST_POSTGRES") ? std::getenv("FF_TEST_POSTGRES") : std::string{}; }

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

void run_on_server(const std::string& sql) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(server_url().c_str()), &PQfinish);
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

class Database {
  public:
    Database(std::string name, std::string_view template_name) : name_(std::move(name)) {
        run_on_server(std::string("CREATE DATABASE ").append(name_).append(" TEMPLATE ").append(template_name));
    }
    ~Database() {
        try {
            run_on_server("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception& failure) {
            ADD_FAILURE() << "database " << name_ << " is left behind: " << failure.what();
        }
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    const std::string& name() const { return name_; }
    std::string url() const { return url_of_database(name_); }

  private:
    std::string name_;
};

std::string database_name(std::string_view suffix) {
    return "ff_test_" + std::to_string(::getpid()) + "_" + std::string(suffix);
}

// Migrated once per process; copying it is much cheaper than migrating again.
const Database& template_database() {
    static const auto database = [] {
        auto created = std::make_unique<Database>(database_name("template"), "template0");
        require(postgres::make_backend({.url = created->url()})->migrate());
        return created;
    }();
    return *database;
}

std::unique_ptr<Database> fresh_database() {
    static std::atomic<std::uint64_t> count = 0;
    return std::make_unique<Database>(database_name(std::to_string(++count)), template_database().name());
}

}  // namespace

std::string_view name_of(StoreKind kind) {
    switch (kind) {
        case StoreKind::memory: return "memory";
        case StoreKind::sqlite: return "sqlite";
        case StoreKind::postgres: return "postgres";
    }
    return "unknown";
}

std::string name_of_param(const ::testing::TestParamInfo<StoreKind>& info) { return std::string(name_of(info.param)); }

void PrintTo(StoreKind kind, std::ostream* out) { *out << name_of(kind); }

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
            auto database = std::shared_ptr<Database>(fresh_database());
            remove_ = [database]() mutable { database.reset(); };
            backend_ = postgres::make_backend({.url = database->url(), .clock = clock_, .notify = false});
            break;
        }
    }
    if (auto checked = backend_->check(); !checked) throw std::runtime_error(checked.error().detail);
}

TestStore::~TestStore() {
    backend_.reset();
    if (remove_) remove_();
}

}  // namespace flowfabric::test
