#include "runtime/reader_pool.hpp"

namespace flowfabric {

StoreResult<std::unique_ptr<StoreReader>> ReaderPool::take() {
    {
        std::unique_lock lock(mutex_);
        returned_.wait(lock, [&] { return !idle_.empty() || open_ < max_readers; });
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
        ++open_;
    }
    auto opened = backend_->open_reader();
    if (!opened) give_back(nullptr);
    return opened;
}

void ReaderPool::give_back(std::unique_ptr<StoreReader> reader) {
    {
        const std::lock_guard lock(mutex_);
        if (reader) {
            idle_.push_back(std::move(reader));
        } else {
            --open_;
        }
    }
    returned_.notify_one();
}

}  // namespace flowfabric
