#include "support/watchdog.hpp"

#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "support/postgres_database.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

constexpr std::chrono::seconds patience{240};

std::atomic<std::uint64_t> progress = 0;

void print_stack(int /*signal*/) {
    std::array<void*, 40> frames{};
    backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
}

// The first backtrace loads a library, which a thread that was stopped inside malloc could not.
void load_backtrace() {
    std::array<void*, 1> frame{};
    backtrace(frame.data(), frame.size());
}

void print_threads() {
    std::signal(SIGUSR2, print_stack);
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        const int thread = std::stoi(task.path().filename());
        std::cerr << "thread " << thread << "\n";
        syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it prints for itself, and nobody is told when
    }
}

void print_sessions() {
    if (postgres_server_url().empty()) return;
    std::cerr << SqlSession(postgres_server_url()).run(R"(
        SELECT string_agg(concat_ws(' | ', 'session ' || pid, datname, backend_type, application_name, state,
                                    wait_event_type, wait_event, now() - query_start, pg_blocking_pids(pid),
                                    left(query, 200)), chr(10)) FROM pg_stat_activity)")
              << "\n";
}

}  // namespace

Watchdog::Watchdog() : thread_([this] { run(); }) {
    load_backtrace();
}

void tell_watchdog_of_progress() {
    ++progress;
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Watchdog::OnTestStart(const ::testing::TestInfo& test) {
    {
        const std::lock_guard lock(mutex_);
        running_ = &test;
        ++started_;
    }
    changed_.notify_one();
}

void Watchdog::OnTestEnd(const ::testing::TestInfo& /*test*/) {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
}

void Watchdog::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        changed_.wait(lock, [&] { return stopping_ || running_ != nullptr; });
        const auto watched = started_;
        const auto parts_done = progress.load();
        const auto over = [&] {
            return stopping_ || running_ == nullptr || started_ != watched || progress != parts_done;
        };
        if (changed_.wait_for(lock, patience, over)) continue;
        std::cerr << running_->test_suite_name() << "." << running_->name() << " hangs\n";
        print_threads();
        try {
            print_sessions();
        } catch (const std::exception& failure) {
            std::cerr << "the sessions cannot be read: " << failure.what() << "\n";
        }
        std::_Exit(EXIT_FAILURE);
    }
}

}  // namespace flowfabric::test
