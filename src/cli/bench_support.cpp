#include "cli/bench_support.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <random>
#include <system_error>

#include <fmt/format.h>

namespace flowfabric::cli {
namespace {

constexpr std::chrono::milliseconds patience{10'000};  // with a child that was told to end

[[noreturn]] void throw_error(int error, const char* what) {
    throw std::system_error(error, std::generic_category(), what);
}

std::array<int, 2> open_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_error(errno, "pipe2");
    return ends;
}

std::vector<char*> c_strings(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (auto& string : strings) pointers.push_back(string.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> merged;
    merged.reserve(added.size());
    for (const auto& [name, value] : added) merged.push_back(fmt::format("{}={}", name, value));
    for (char** entry = environ; *entry != nullptr; ++entry) merged.emplace_back(*entry);
    return merged;
}

bool ends_within(pid_t pid, std::chrono::milliseconds at_most) {
    const int exit = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (exit < 0) return false;
    pollfd ended{.fd = exit, .events = POLLIN, .revents = 0};
    int ready = 0;
    do {
        ready = poll(&ended, 1, static_cast<int>(at_most.count()));
    } while (ready < 0 && errno == EINTR);
    close(exit);
    return ready == 1;
}

}  // namespace

double seconds_between(BenchClock::time_point from, BenchClock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

double to_thousandths(double value) {
    return std::round(value * 1'000) / 1'000;
}

std::string bench_lane() {
    return fmt::format("bench-{:08x}", std::random_device{}());
}

Latencies summarise(std::vector<BenchClock::duration> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)));
        return std::chrono::duration<double, std::milli>(samples[rank]).count();
    };
    return {.p50_ms = at(0.50), .p95_ms = at(0.95), .p99_ms = at(0.99), .max_ms = at(1.0)};
}

LineProcess::LineProcess(std::vector<std::string> command,
                         const std::vector<std::pair<std::string, std::string>>& environment, Callbacks callbacks)
    : callbacks_(std::move(callbacks)) {
    const auto input = open_pipe();
    const auto output = open_pipe();
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    auto variables = environment_with(environment);
    const int error = posix_spawn(&pid_, command.front().c_str(), &actions, nullptr, c_strings(command).data(),
                                  c_strings(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    stdin_ = input[1];
    stdout_ = output[0];
    if (error != 0) {
        close(stdin_);
        close(stdout_);
        throw_error(error, command.front().c_str());
    }
    reader_ = std::thread([this] { read_lines(); });
}

LineProcess::~LineProcess() {
    close(stdin_);
    // Not reaped yet, so the id is still this child's.
    if (!ends_within(pid_, patience)) kill(pid_, SIGKILL);
    reader_.join();
    close(stdout_);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void LineProcess::read_lines() {
    std::array<char, 65536> buffer{};
    std::string partial;
    for (;;) {
        const ssize_t count = read(stdout_, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        partial.append(buffer.data(), static_cast<std::size_t>(count));
        std::size_t begin = 0;
        for (auto end = partial.find('\n'); end != std::string::npos; end = partial.find('\n', begin)) {
            callbacks_.on_line(std::string_view(partial).substr(begin, end - begin));
            begin = end + 1;
        }
        partial.erase(0, begin);
    }
    callbacks_.on_end();
}

}  // namespace flowfabric::cli
