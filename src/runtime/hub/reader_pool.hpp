#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/queries/query_result.hpp"
#include "flowfabric/engine.hpp"
#include "flowfabric/result.hpp"
#include "store/fault.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Connections for reads, which run on the caller's thread and never behind writes. Any thread may call; a connection
// is opened when no idle one is left, up to a limit, and dropped when it breaks. Reads end by their deadline, and so
// does waiting for a connection.
class ReaderPool {
  public:
    ReaderPool(std::shared_ptr<Backend> backend, std::chrono::milliseconds deadline)
        : backend_(std::move(backend)), deadline_(deadline) {
        idle_.reserve(max_readers);  // so that giving one back cannot fail
    }

    // Runs `read`, which returns a StoreResult or a QueryResult, on a reader. A connection that broke while idle is
    // replaced once.
    template <class Read>
    auto run(Read read, std::chrono::milliseconds within = std::chrono::milliseconds::max())
        -> Result<typename decltype(read(std::declval<StoreReader&>()))::value_type> {
        const StoreDeadline until = StoreDeadline::clock::now() + std::min(within, deadline_);
        for (bool retried = false;; retried = true) {
            auto reader = take(until);
            if (!reader) return error_of(reader.error(), until);
            // A read that throws leaves its connection in an unknown state: the connection goes, its place is kept.
            std::unique_ptr<StoreReader> usable;
            const std::shared_ptr<void> place(nullptr, [&](void*) { give_back(std::move(usable)); });
            (*reader)->end_by(until);
            auto answer = read(**reader);
            const bool broken = !answer && is_broken(answer.error());
            if (!broken) usable = std::move(*reader);
            if (answer) return std::move(*answer);
            if (!broken || retried || StoreDeadline::clock::now() >= until) return error_of(answer.error(), until);
        }
    }

    ReaderUse use();

  private:
    StoreResult<std::unique_ptr<StoreReader>> take(StoreDeadline until);
    static bool is_broken(const StoreError& error) { return error.fault == StoreFault::connection; }
    static bool is_broken(const QueryError& error);
    static EngineError error_of(const StoreError& error, StoreDeadline until);
    static EngineError error_of(const QueryError& error, StoreDeadline until);
    void give_back(std::unique_ptr<StoreReader> reader);

    static constexpr std::size_t max_readers = 8;

    std::shared_ptr<Backend> backend_;
    const std::chrono::milliseconds deadline_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable returned_;
    std::vector<std::unique_ptr<StoreReader>> idle_;
    std::size_t open_ = 0;
    std::size_t waiting_ = 0;
};

}  // namespace flowfabric
