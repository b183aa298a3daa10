#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace flowfabric::server {

// Threads for what blocks: reads, and looks at the store. The server's own thread never waits for them.
//
// Life cycle: the constructor starts the threads; finish(), or the destructor, runs what is queued and joins. Jobs may
// hold the pool: whoever owns what they use calls finish() before that goes.
class BlockingPool {
  public:
    explicit BlockingPool(std::size_t threads);
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    void post(std::function<void()> job);
    // What is posted later does not run.
    void finish();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
