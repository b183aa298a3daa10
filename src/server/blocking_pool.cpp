#include "server/blocking_pool.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "runtime/threads/guard.hpp"

namespace flowfabric::server {

class BlockingPool::Impl {
  public:
    explicit Impl(std::size_t threads) : pool(threads) {}

    boost::asio::thread_pool pool;
};

BlockingPool::BlockingPool(std::size_t threads) : impl_(std::make_unique<Impl>(threads)) {}

BlockingPool::~BlockingPool() {
    finish();
}

void BlockingPool::finish() {
    impl_->pool.join();
}

void BlockingPool::post(std::function<void()> job) {
    boost::asio::post(impl_->pool, [job = std::move(job)] { contain("a job of the server broke", job); });
}

}  // namespace flowfabric::server
