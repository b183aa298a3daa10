#include "runtime/hub/reader_pool.hpp"

namespace flowfabric {

StoreResult<std::unique_ptr<StoreReader>> ReaderPool::take(StoreDeadline until) {
    {
        std::unique_lock lock(mutex_);
        ++waiting_;
        const bool in_time = returned_.wait_until(lock, until, [&] { return !idle_.empty() || open_ < max_readers; });
        --waiting_;
        if (!in_time) {
            return StoreError{StoreFault::connection, "every connection for reads is in use", {}};
        }
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
        ++open_;
    }
    bool taken = false;
    const std::shared_ptr<void> place(nullptr, [&](void*) {
        if (!taken) give_back(nullptr);
    });
    auto opened = backend_->open_reader(until);
    taken = opened.has_value();
    return opened;
}

ReaderUse ReaderPool::use() {
    const std::lock_guard lock(mutex_);
    return {.in_use = open_ - idle_.size(), .waiting = waiting_};
}

bool ReaderPool::is_broken(const QueryError& error) {
    const auto* fault = std::get_if<StoreError>(&error);
    return fault != nullptr && is_broken(*fault);
}

EngineError ReaderPool::error_of(const QueryError& error, StoreDeadline until) {
    const auto* fault = std::get_if<StoreError>(&error);
    return fault == nullptr ? std::get<EngineError>(error) : error_of(*fault, until);
}

EngineError ReaderPool::error_of(const StoreError& error, StoreDeadline until) {
    if (error.fault != StoreFault::connection || StoreDeadline::clock::now() < until) return to_engine_error(error);
    return {.kind = ErrorKind::timeout, .detail = "read: not answered before its deadline: " + error.detail};
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
