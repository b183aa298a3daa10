#include "runtime/hub/serial_executor.hpp"

#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric {

SerialExecutor::~SerialExecutor() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    posted_.notify_one();
    thread_.join();
}

void SerialExecutor::post(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    posted_.notify_one();
}

void SerialExecutor::run() {
    for (;;) {
        std::vector<std::function<void()>> jobs;
        {
            std::unique_lock lock(mutex_);
            posted_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            jobs.swap(jobs_);
        }
        for (auto& job : jobs) contain("a completion threw", job);
    }
}

}  // namespace flowfabric
