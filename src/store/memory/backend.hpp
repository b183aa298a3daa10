#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "store/clock.hpp"
#include "store/port.hpp"

namespace flowfabric::memory {

// What can go wrong at a named point, for tests. Asked at each point; `none` lets the store go on.
enum class FaultPoint : std::uint8_t { load, before_commit, after_commit };
enum class Fault : std::uint8_t {
    none,
    busy_rows,   // at load: every row asked for by key is held by another writer
    contention,  // at load or before_commit
    disconnect,  // at load or before_commit: not committed; after_commit: the reply is lost
};
using FaultInjector = std::function<Fault(FaultPoint)>;

struct Options {
    std::shared_ptr<TestClock> clock;  // absent: the process's clock
    FaultInjector faults;
};

// A store that lives as long as the Backend: rows in maps, row locks held from load to save, every fault on demand.
std::shared_ptr<Backend> make_backend(Options options = {});

}  // namespace flowfabric::memory
