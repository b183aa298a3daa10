#pragma once

#include <memory>
#include <string>

#include "store/clock.hpp"
#include "store/port.hpp"

// The embedded store: one SQLite file in WAL mode, shared by any number of processes of one machine.
namespace flowfabric::sqlite {

struct Options {
    std::string path;
    std::shared_ptr<TestClock> clock;  // absent: the process's own
};

std::shared_ptr<Backend> make_backend(Options options);

}  // namespace flowfabric::sqlite
