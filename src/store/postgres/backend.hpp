#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/clock.hpp"
#include "store/port.hpp"
#include "store/postgres/migrations.hpp"

// The PostgreSQL store. Every writer, reader and wake source is one session of its own.
namespace flowfabric::postgres {

struct Options {
    std::string url;                   // anything that libpq accepts
    std::shared_ptr<TestClock> clock;  // absent: the server's
    bool notify = true;                // wake other processes after commits
    // What migrate() and check() go by.
    std::span<const Migration> migrations = postgres::migrations();
};

std::shared_ptr<Backend> make_backend(Options options);

// The roles of workers, submitters and readers, with their rights in a schema that is up to date; their names.
StoreResult<std::vector<std::string>> create_roles(const std::string& url);

}  // namespace flowfabric::postgres
