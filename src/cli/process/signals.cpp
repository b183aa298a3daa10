#include "cli/process/signals.hpp"

#include <csignal>
#include <cstdlib>
#include <utility>

namespace flowfabric::cli {
namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const auto set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::thread([this] { run(); });
}

StopSignals::~StopSignals() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
}

void StopSignals::run() {
    const auto set = stop_signals();
    for (int signal = 0; sigwait(&set, &signal) == 0;) {
        const std::scoped_lock lock(mutex_);
        if (ended_) return;
        if (!stop_ || std::exchange(stopping_, true)) std::_Exit(128 + signal);
        stop_();
    }
}

StopSignals::Reaction::Reaction(StopSignals& signals, std::function<void()> stop) : signals_(signals) {
    const std::scoped_lock lock(signals_.mutex_);
    signals_.stop_ = std::move(stop);
}

StopSignals::Reaction::~Reaction() {
    const std::scoped_lock lock(signals_.mutex_);
    signals_.stop_ = nullptr;
}

}  // namespace flowfabric::cli
