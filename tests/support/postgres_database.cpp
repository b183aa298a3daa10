#include "support/postgres_database.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "store/postgres/backend.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

// The server's URL with another database in its path.
std::string url_of_database(const std::string& name) {
    const std::string server = postgres_server_url();
    const auto authority = server.find("://") + 3;
    const auto path = std::min(server.find('/', authority), server.size());
    const auto query = std::min(server.find('?', path), server.size());
    return server.substr(0, path) + "/" + name + server.substr(query);
}

// Under its final name only once it is whole: a process that died on the way left nothing that looks like it.
void ensure_template() {
    SqlSession server(postgres_server_url());
    server.run("SELECT pg_advisory_lock(4097)");
    if (!server.run("SELECT 1 FROM pg_database WHERE datname = 'ff_template'").empty()) return;
    server.run("DROP DATABASE IF EXISTS ff_template_building WITH (FORCE)");
    server.run("CREATE DATABASE ff_template_building TEMPLATE template0");
    auto migrated = postgres::make_backend({.url = url_of_database("ff_template_building")})->migrate();
    if (!migrated) throw std::runtime_error(migrated.error().detail);
    server.run("ALTER DATABASE ff_template_building RENAME TO ff_template");
}

}  // namespace

std::string postgres_server_url() {
    const char* url = std::getenv("FF_TEST_POSTGRES");
    return url == nullptr ? std::string{} : url;
}

PostgresDatabase::PostgresDatabase(Schema schema) {
    static std::atomic<int> count = 0;
    name_ = "ff_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
    url_ = url_of_database(name_);
    if (schema == Schema::migrated) ensure_template();
    const std::string source = schema == Schema::migrated ? "ff_template" : "template0";
    SqlSession(postgres_server_url()).run("CREATE DATABASE " + name_ + " TEMPLATE " + source);
}

PostgresDatabase::~PostgresDatabase() {
    try {
        SqlSession(postgres_server_url()).run("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
    } catch (const std::exception& failure) {
        std::cerr << "database " << name_ << " is left behind: " << failure.what() << "\n";
    }
}

}  // namespace flowfabric::test
