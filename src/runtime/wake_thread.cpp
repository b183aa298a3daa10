#include "runtime/wake_thread.hpp"

#include <chrono>

namespace flowfabric {
namespace {

constexpr std::chrono::milliseconds poll_interval{1000};
constexpr std::chrono::milliseconds reconnect_pause{100};

}  // namespace

WakeThread::~WakeThread() {
    stopping_ = true;
    {
        const std::lock_guard lock(mutex_);
        if (source_) source_->interrupt();
    }
    thread_.join();
}

void WakeThread::run() {
    while (!stopping_ && !hub_.stopped()) {
        if (!hub_.wait_for_waiting_claims(poll_interval.count())) {
            disconnect();  // what nobody reads would pile up at the server
            continue;
        }
        const bool listening = source_ != nullptr;
        if (!connect()) {
            std::this_thread::sleep_for(reconnect_pause);
            continue;
        }
        // What was committed before we listened sent its wake-up to nobody, so the first look is at once.
        if (listening && !source_->wait(poll_interval)) {
            disconnect();
            continue;
        }
        if (stopping_) return;
        // Woken or not: the second that has passed without a wake-up is the poll.
        auto classes = reader_->classes();
        if (classes) {
            hub_.on_foreign_change(std::move(*classes));
        } else {
            disconnect();
        }
    }
}

bool WakeThread::connect() {
    if (!reader_) {
        auto opened = backend_->open_reader();
        if (!opened) return false;
        reader_ = std::move(*opened);
    }
    if (!source_) {
        auto opened = backend_->open_wake_source();
        if (!opened) return false;
        const std::lock_guard lock(mutex_);
        source_ = std::move(*opened);
    }
    return true;
}

void WakeThread::disconnect() {
    reader_.reset();
    const std::lock_guard lock(mutex_);
    source_.reset();
}

}  // namespace flowfabric
