#include "cli/signals.hpp"

#include <csignal>
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

void block_stop_signals() {
    const auto set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalWatcher::SignalWatcher(std::function<void()> on_signal)
    : thread_([this, callback = std::move(on_signal)] {
          const auto set = stop_signals();
          for (int signal = 0; sigwait(&set, &signal) == 0 && !ended_;) callback();
      }) {}

SignalWatcher::~SignalWatcher() {
    ended_ = true;
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
}

}  // namespace flowfabric::cli
