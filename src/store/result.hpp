#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "flowfabric/result.hpp"

// How calls to a store end.
namespace flowfabric {

enum class StoreFault : std::uint8_t {
    contention,       // serialization failure, deadlock, lock timeout, a unique key that another writer took first
    data,             // one of the batch's commands is poison
    unreadable,       // one of them asks for a stored row that is damaged
    connection,       // not committed; the connection is gone
    unknown_outcome,  // COMMIT was sent and its reply lost: ask outcome(marker) on a new writer
    exhausted,        // the server is out of connections, memory or disk
    unavailable,      // wrong schema version, partition counts, pooler, file system
};

// Which batch a reply was lost for.
struct Marker {
    Uuid writer_id;
    std::int64_t batch_no = 0;
};

struct StoreError {
    StoreFault fault = StoreFault::connection;
    std::string detail;
    Marker marker;  // with unknown_outcome
};

template <class T>
using StoreResult = Expected<T, StoreError>;

// A call that is still waiting for the store then fails with `connection`.
using StoreDeadline = std::chrono::steady_clock::time_point;
inline constexpr StoreDeadline no_deadline = StoreDeadline::max();

}  // namespace flowfabric
