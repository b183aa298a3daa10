#include "cli/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "cli/spawn.hpp"

namespace flowfabric::cli {
namespace {

using Clock = std::chrono::steady_clock;

void set_nonblocking(const Fd& fd) {
    if (fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) throw_errno("fcntl");
}

class SpawnActions {
  public:
    SpawnActions(const Fd& child_stdin, const Fd& child_stdout) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, child_stdin.get(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, child_stdout.get(), STDOUT_FILENO);
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);

        // The worker blocks its stop signals and ignores SIGPIPE; the program starts with a clean slate.
        sigset_t none;
        sigset_t defaults;
        sigemptyset(&none);
        sigemptyset(&defaults);
        for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, signal);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnActions() {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&actions_);
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

// The program while it runs: moves bytes both ways until it has ended.
class Running {
  public:
    Running(const Subprocess& subprocess, pid_t pid, Fd to_stdin, Fd from_stdout)
        : subprocess_(subprocess),
          pid_(pid),
          exit_(open_pidfd(pid)),
          wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          stdin_(std::move(to_stdin)),
          stdout_(std::move(from_stdout)),
          unsent_(subprocess.input) {}

    ~Running() {
        if (!reaped_) reap();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    SubprocessResult finish(const std::stop_token& stop) {
        if (!exit_.is_open() || !wake_.is_open()) throw_errno("pidfd_open or eventfd");
        set_nonblocking(stdin_);
        set_nonblocking(stdout_);
        const std::stop_callback on_stop(stop, [this] { eventfd_write(wake_.get(), 1); });
        if (unsent_.empty()) stdin_.close();
        while (!ended()) step();
        return result();
    }

  private:
    // A program that was told to end may leave children that still clean up; their stdout tells when they are done.
    bool ended() const { return exited_ && (!reason_to_end_ || !stdout_.is_open() || killed_); }

    void step() {
        std::array<pollfd, 4> fds{{{exited_ ? -1 : exit_.get(), POLLIN, 0},
                                   {reason_to_end_ ? -1 : wake_.get(), POLLIN, 0},
                                   {stdin_.get(), POLLOUT, 0},
                                   {stdout_.get(), POLLIN, 0}}};
        if (poll(fds.data(), fds.size(), timeout_ms()) < 0 && errno != EINTR) throw_errno("poll");
        if (fds[1].revents != 0) end_because(SubprocessEnd::stopped);
        if (fds[2].revents != 0) write_input();
        if (fds[3].revents != 0) read_output();
        if (fds[0].revents != 0) {
            exited_ = true;
            read_output();
        }
        if (kill_at_ && Clock::now() >= *kill_at_) {
            kill(-pid_, SIGKILL);
            kill_at_.reset();
            killed_ = true;
        }
    }

    int timeout_ms() const {
        if (!kill_at_) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now());
        return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }

    void end_because(SubprocessEnd reason) {
        if (reason_to_end_) return;
        reason_to_end_ = reason;
        kill(-pid_, SIGTERM);
        kill_at_ = Clock::now() + subprocess_.kill_after;
    }

    void write_input() {
        const auto written = write(stdin_.get(), unsent_.data(), unsent_.size());
        if (written > 0) unsent_.remove_prefix(static_cast<std::size_t>(written));
        const bool later = written < 0 && (errno == EAGAIN || errno == EINTR);
        // A program may well end without reading its input (EPIPE); its exit code decides.
        if (unsent_.empty() || (written < 0 && !later)) stdin_.close();
    }

    void read_output() {
        std::array<char, 65'536> buffer{};
        while (stdout_.is_open()) {
            const auto got = read(stdout_.get(), buffer.data(), buffer.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) return;
            if (got <= 0) {
                stdout_.close();
            } else if (!reason_to_end_) {
                output_.append(buffer.data(), static_cast<std::size_t>(got));
                if (output_.size() > subprocess_.max_output) end_because(SubprocessEnd::output_too_large);
            }
        }
    }

    // The group's number is ours only until its leader is reaped, so what is left of the group goes first.
    int reap() {
        kill(-pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        reaped_ = true;
        return status;
    }

    SubprocessResult result() {
        const int status = reap();
        if (reason_to_end_) return {.end = *reason_to_end_, .code = 0, .output = {}};
        if (WIFSIGNALED(status)) return {.end = SubprocessEnd::signaled, .code = WTERMSIG(status), .output = {}};
        return {.end = SubprocessEnd::exited, .code = WEXITSTATUS(status), .output = std::move(output_)};
    }

    const Subprocess& subprocess_;
    const pid_t pid_;
    Fd exit_;
    Fd wake_;
    Fd stdin_;
    Fd stdout_;
    std::string_view unsent_;
    std::string output_;
    std::optional<SubprocessEnd> reason_to_end_;
    std::optional<Clock::time_point> kill_at_;
    bool killed_ = false;
    bool exited_ = false;
    bool reaped_ = false;
};

}  // namespace

SubprocessResult run_subprocess(const Subprocess& subprocess, const std::stop_token& stop) {
    auto input = open_pipe();
    auto output = open_pipe();
    auto arguments = subprocess.command;
    auto environment = merged_environment(subprocess.environment);
    pid_t pid = 0;
    {
        const SpawnActions spawn(input.read_end, output.write_end);
        const int error = posix_spawnp(&pid, arguments.front().c_str(), spawn.actions(), spawn.attributes(),
                                       c_strings(arguments).data(), c_strings(environment).data());
        if (error != 0) return {.end = SubprocessEnd::not_started, .code = error, .output = {}};
    }
    input.read_end.close();
    output.write_end.close();
    Running running(subprocess, pid, std::move(input.write_end), std::move(output.read_end));
    return running.finish(stop);
}

bool can_execute(const std::string& program) {
    const auto executable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
    if (program.find('/') != std::string::npos) return executable(program);
    const char* path = std::getenv("PATH");
    std::istringstream directories(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    for (std::string directory; std::getline(directories, directory, ':');) {
        if (executable((directory.empty() ? "." : directory) + '/' + program)) return true;
    }
    return false;
}

}  // namespace flowfabric::cli
