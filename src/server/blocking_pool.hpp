#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace flowfabric::server {

// Threads for what blocks: reads, and looks at the store. The server's own thread never waits for them.
//
// Life cycle: the constructor starts the threads; the destructor runs what is queued and joins.
class BlockingPool {
  public:
    explicit BlockingPool(std::size_t threads);
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    void post(std::function<void()> job);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
