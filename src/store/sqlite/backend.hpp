#pragma once

#include <memory>
#include <span>
#include <string>

#include "store/clock.hpp"
#include "store/port.hpp"
#include "store/sqlite/migrations.hpp"

// The embedded store: one SQLite file in WAL mode, shared by any number of processes of one machine.
namespace flowfabric::sqlite {

struct Options {
    std::string path;
    std::shared_ptr<TestClock> clock;  // absent: the process's own
    // What migrate() and check() go by.
    std::span<const Migration> migrations = sqlite::migrations();
};

std::shared_ptr<Backend> make_backend(Options options);

}  // namespace flowfabric::sqlite
