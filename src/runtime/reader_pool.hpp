#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "flowfabric/result.hpp"
#include "store/fault.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Connections for reads, which run on the caller's thread and never behind writes. Any thread may call; a connection
// is opened when no idle one is left, up to a limit, and dropped when it breaks.
class ReaderPool {
  public:
    explicit ReaderPool(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

    // Runs `read` on a reader. A connection that broke while idle is replaced once.
    template <class Read>
    auto run(Read read) -> Result<typename decltype(read(std::declval<StoreReader&>()))::value_type> {
        for (bool retried = false;; retried = true) {
            auto reader = take();
            if (!reader) return to_engine_error(reader.error());
            auto answer = read(**reader);
            const bool broken = !answer && answer.error().fault == StoreFault::connection;
            give_back(broken ? nullptr : std::move(*reader));
            if (answer) return std::move(*answer);
            if (!broken || retried) return to_engine_error(answer.error());
        }
    }

  private:
    StoreResult<std::unique_ptr<StoreReader>> take();
    void give_back(std::unique_ptr<StoreReader> reader);

    static constexpr std::size_t max_readers = 8;

    std::shared_ptr<Backend> backend_;
    std::mutex mutex_;  // guards idle_ and open_
    std::condition_variable returned_;
    std::vector<std::unique_ptr<StoreReader>> idle_;
    std::size_t open_ = 0;
};

}  // namespace flowfabric
