#include "runtime/threads/shutdown_deadline.hpp"

#include <algorithm>

#include "runtime/threads/guard.hpp"

namespace flowfabric {
namespace {

constexpr std::chrono::milliseconds before_interrupts{200};
constexpr std::chrono::milliseconds between_interrupts{5};

}  // namespace

ShutdownDeadline::~ShutdownDeadline() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void ShutdownDeadline::within(std::chrono::milliseconds grace) {
    {
        const std::lock_guard lock(mutex_);
        const auto at = Clock::now() + grace;
        at_ = at_ ? std::min(*at_, at) : at;
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    changed_.notify_all();
}

void ShutdownDeadline::run() {
    std::unique_lock lock(mutex_);
    while (!over_ && Clock::now() < *at_) changed_.wait_until(lock, *at_);
    if (over_) return;
    lock.unlock();
    contain("stopping the engine broke", stop_);
    lock.lock();
    auto pause = before_interrupts;
    while (!changed_.wait_for(lock, pause, [&] { return over_; })) {
        pause = between_interrupts;
        lock.unlock();
        contain("interrupting the store broke and will be tried again", interrupt_);
        lock.lock();
    }
}

}  // namespace flowfabric
