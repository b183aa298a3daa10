#include "server/health_probe.hpp"

#include <algorithm>
#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric::server {

HealthProbe::HealthProbe(std::function<bool()> check, std::chrono::milliseconds deadline)
    : check_(std::move(check)), deadline_(deadline), thread_([this] { run(); }) {}

HealthProbe::~HealthProbe() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
        asked_.notify_one();
    }
    thread_.join();
}

bool HealthProbe::healthy() {
    std::unique_lock lock(mutex_);
    const bool running = finished_ < started_;
    if (running && std::chrono::steady_clock::now() - last_start_ >= deadline_) return false;
    const auto mine = started_ + 1;
    wanted_ = std::max(wanted_, mine);
    asked_.notify_one();
    return answered_.wait_for(lock, deadline_, [&] { return finished_ >= mine; }) && last_result_;
}

void HealthProbe::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        asked_.wait(lock, [this] { return ended_ || started_ < wanted_; });
        if (ended_) return;
        ++started_;
        last_start_ = std::chrono::steady_clock::now();
        lock.unlock();
        bool result = false;
        contain("the check of the store's health broke", [&] { result = check_(); });
        lock.lock();
        last_result_ = result;
        finished_ = started_;
        answered_.notify_all();
    }
}

}  // namespace flowfabric::server
