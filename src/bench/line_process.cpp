#include "bench/line_process.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

namespace flowfabric::bench {
namespace {

constexpr std::chrono::milliseconds end_patience{10'000};  // with a child that was told to end

bool ends_within(pid_t pid, std::chrono::milliseconds at_most) {
    const cli::Fd exit = cli::open_pidfd(pid);
    if (!exit.is_open()) return false;
    pollfd ended{.fd = exit.get(), .events = POLLIN, .revents = 0};
    int ready = 0;
    do {
        ready = poll(&ended, 1, static_cast<int>(at_most.count()));
    } while (ready < 0 && errno == EINTR);
    return ready == 1;
}

}  // namespace

LineProcess::LineProcess(std::vector<std::string> command,
                         const std::vector<std::pair<std::string, std::string>>& environment, Callbacks callbacks,
                         int end_signal)
    : callbacks_(std::move(callbacks)), end_signal_(end_signal) {
    auto input = cli::open_pipe();
    auto output = cli::open_pipe();
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read_end.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    // FF_STORE, which all of these processes are given, stands alone.
    auto variables = cli::merged_environment(environment, {"FF_STORE_FILE"});
    const int error = posix_spawn(&pid_, command.front().c_str(), &actions, nullptr, cli::c_strings(command).data(),
                                  cli::c_strings(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        cli::throw_errno(command.front().c_str());
    }
    stdin_ = std::move(input.write_end);
    stdout_ = std::move(output.read_end);
    reader_ = std::thread([this] { read_lines(); });
}

LineProcess::~LineProcess() {
    stdin_.close();
    // Not reaped yet, so the id is still this child's.
    if (end_signal_ != 0) kill(pid_, end_signal_);
    if (!ends_within(pid_, end_patience)) kill(pid_, SIGKILL);
    reader_.join();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void LineProcess::read_lines() {
    std::array<char, 65536> buffer{};
    std::string partial;
    for (;;) {
        const ssize_t count = read(stdout_.get(), buffer.data(), buffer.size());
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

}  // namespace flowfabric::bench
