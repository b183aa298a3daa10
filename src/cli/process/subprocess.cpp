#include "cli/process/subprocess.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "cli/process/spawn.hpp"

namespace flowfabric::cli {
namespace {

using Clock = std::chrono::steady_clock;

void set_nonblocking(const Fd& fd) {
    if (fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) throw_errno("fcntl");
}

// What the child needs between fork and exec, where it may not allocate memory.
struct Launch {
    const char* program;
    char* const* arguments;
    char* const* environment;
    int child_stdin;
    int child_stdout;
    int child_stderr;
    int child_frames;       // -1: there is none
    int frames_descriptor;  // what it is for the program
    int failure;            // gets errno if the program cannot be executed; closed otherwise
    pid_t parent;
    const OrphanGuard& guard;
};

[[noreturn]] void become(const Launch& launch) {
    setpgid(0, 0);
    // Sent when the forking thread ends, which stays until the program is over.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launch.parent) _exit(EXIT_FAILURE);
    launch.guard.add(getpid());
    dup2(launch.child_stdin, STDIN_FILENO);
    dup2(launch.child_stdout, STDOUT_FILENO);
    dup2(launch.child_stderr, STDERR_FILENO);
    int failure = launch.failure;
    if (launch.child_frames >= 0) {
        if (failure == launch.frames_descriptor) failure = fcntl(failure, F_DUPFD_CLOEXEC, failure + 1);
        dup2(launch.child_frames, launch.frames_descriptor);
    }
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (launch.child_frames >= 0) fcntl(launch.frames_descriptor, F_SETFD, 0);
    // The worker blocks its stop signals and ignores SIGPIPE; the program starts with a clean slate.
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvpe(launch.program, launch.arguments, launch.environment);
    const int error = errno;
    [[maybe_unused]] const auto told = write(failure, &error, sizeof(error));
    _exit(EXIT_FAILURE);
}

// What the child had to say; 0: it executes the program.
int read_number(const Fd& from) {
    int number = 0;
    while (read(from.get(), &number, sizeof(number)) < 0 && errno == EINTR) {
    }
    return number;
}

void pass_through(std::string_view text) {
    while (!text.empty()) {
        const auto written = write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

struct FramedLines {
    FrameKind kind;
    LineCutter cutter;
};

// The program while it runs: moves bytes both ways until it has ended.
class Running {
  public:
    Running(const Subprocess& subprocess, const OrphanGuard& guard, pid_t pid, Fd to_stdin, Fd from_stdout,
            Fd from_stderr, Fd frames)
        : subprocess_(subprocess),
          guard_(guard),
          pid_(pid),
          exit_(open_pidfd(pid)),
          wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          stdin_(std::move(to_stdin)),
          stdout_(std::move(from_stdout)),
          stderr_(std::move(from_stderr)),
          frames_(std::move(frames)),
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
        set_nonblocking(stderr_);
        if (frames_.is_open()) set_nonblocking(frames_);
        const std::stop_callback on_stop(stop, [this] { eventfd_write(wake_.get(), 1); });
        if (unsent_.empty()) stdin_.close();
        while (!ended()) step();
        return result();
    }

  private:
    // A program that was told to end may leave children that still clean up; their stdout tells when they are done.
    bool ended() const { return exited_ && (!reason_to_end_ || !stdout_.is_open() || killed_); }

    void step() {
        const auto& framed = subprocess_.frames;
        const bool has_room = !framed || reason_to_end_ || framed->pump.has_room();
        const auto unless_full = [&](const Fd& fd, bool is_framed) { return is_framed && !has_room ? -1 : fd.get(); };
        std::array<pollfd, 7> fds{{{exited_ ? -1 : exit_.get(), POLLIN, 0},
                                   {reason_to_end_ ? -1 : wake_.get(), POLLIN, 0},
                                   {stdin_.get(), POLLOUT, 0},
                                   {unless_full(stdout_, framed && framed->of_stdout), POLLIN, 0},
                                   {unless_full(stderr_, framed && framed->of_stderr), POLLIN, 0},
                                   {unless_full(frames_, true), POLLIN, 0},
                                   {has_room ? -1 : framed->pump.room_fd(), POLLIN, 0}}};
        if (poll(fds.data(), fds.size(), timeout_ms()) < 0 && errno != EINTR) throw_errno("poll");
        if (fds[1].revents != 0) end_because(SubprocessEnd::stopped);
        if (fds[2].revents != 0) write_input();
        if (fds[3].revents != 0) read_output();
        if (fds[4].revents != 0) read_errors();
        if (fds[5].revents != 0) read_frames();
        if (fds[6].revents != 0) framed->pump.await_room();
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
        if (subprocess_.frames && reason == SubprocessEnd::stopped) subprocess_.frames->pump.give_up();
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
                const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
                output_.append(text);
                if (subprocess_.frames && subprocess_.frames->of_stdout) frame(stdout_lines_, text);
                if (output_.size() > subprocess_.max_output) end_because(SubprocessEnd::output_too_large);
            }
        }
    }

    // All that the pipe holds, and no more, so that a program that never pauses keeps nothing else waiting.
    void read_errors() {
        std::array<char, 65'536> buffer{};
        const auto got = read(stderr_.get(), buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (got <= 0) {
            stderr_.close();
            return;
        }
        const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
        pass_through(text);
        errors_.append(text);
        if (subprocess_.frames && subprocess_.frames->of_stderr) frame(stderr_lines_, text);
        if (errors_.size() > subprocess_.max_errors) errors_.erase(0, errors_.size() - subprocess_.max_errors);
    }

    // Some of what the pipe holds. False: it holds nothing.
    bool read_frames() {
        if (!frames_.is_open()) return false;
        std::array<char, 65'536> buffer{};
        const auto got = read(frames_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) return true;
        if (got < 0 && errno == EAGAIN) return false;
        if (got <= 0) {
            frames_.close();
            return false;
        }
        frame(frame_lines_, std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        return true;
    }

    // What is written behind a reason to end is left out.
    void frame(FramedLines& lines, std::string_view text) {
        if (reason_to_end_) return;
        lines.cutter.put(text, [&](std::string line) { subprocess_.frames->pump.put(lines.kind, std::move(line)); });
    }

    void end_frames() {
        if (!subprocess_.frames || reason_to_end_) return;
        for (FramedLines* lines : {&stdout_lines_, &stderr_lines_, &frame_lines_}) {
            lines->cutter.end([&](std::string line) { subprocess_.frames->pump.put(lines->kind, std::move(line)); });
        }
    }

    // The group's number is ours only until its leader is reaped, so what is left of the group goes first.
    int reap() {
        kill(-pid_, SIGKILL);
        guard_.remove(pid_);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        reaped_ = true;
        return status;
    }

    SubprocessResult result() {
        const int status = reap();
        read_errors();
        // As much as a pipe can hold: whoever has left the group may write on for ever.
        constexpr int reads_of_a_full_pipe = 16;
        for (int i = 0; i < reads_of_a_full_pipe && read_frames(); ++i) {
        }
        end_frames();
        SubprocessResult result{.end = SubprocessEnd::exited, .code = 0, .output = {}, .errors = std::move(errors_)};
        if (reason_to_end_) {
            result.end = *reason_to_end_;
        } else if (WIFSIGNALED(status)) {
            result.end = SubprocessEnd::signaled;
            result.code = WTERMSIG(status);
        } else {
            result.code = WEXITSTATUS(status);
            result.output = std::move(output_);
        }
        return result;
    }

    const Subprocess& subprocess_;
    const OrphanGuard& guard_;
    const pid_t pid_;
    Fd exit_;
    Fd wake_;
    Fd stdin_;
    Fd stdout_;
    Fd stderr_;
    Fd frames_;
    FramedLines stdout_lines_{FrameKind::standard_output, {}};
    FramedLines stderr_lines_{FrameKind::standard_error, {}};
    FramedLines frame_lines_{FrameKind::event, {}};
    std::string_view unsent_;
    std::string output_;
    std::string errors_;
    std::optional<SubprocessEnd> reason_to_end_;
    std::optional<Clock::time_point> kill_at_;
    bool killed_ = false;
    bool exited_ = false;
    bool reaped_ = false;
};

}  // namespace

SubprocessResult run_subprocess(const Subprocess& subprocess, const OrphanGuard& guard, const std::stop_token& stop) {
    auto input = open_pipe();
    auto output = open_pipe();
    auto errors = open_pipe();
    auto failure = open_pipe();
    const bool has_frames = subprocess.frames && subprocess.frames->descriptor;
    auto frames = has_frames ? open_pipe() : Pipe{Fd(), Fd()};
    auto arguments = subprocess.command;
    auto environment = merged_environment(subprocess.environment, subprocess.withheld);
    const auto argument_list = c_strings(arguments);
    const auto variables = c_strings(environment);
    const Launch launch{.program = arguments.front().c_str(),
                        .arguments = argument_list.data(),
                        .environment = variables.data(),
                        .child_stdin = input.read_end.get(),
                        .child_stdout = output.write_end.get(),
                        .child_stderr = errors.write_end.get(),
                        .child_frames = frames.write_end.get(),
                        .frames_descriptor = has_frames ? *subprocess.frames->descriptor : -1,
                        .failure = failure.write_end.get(),
                        .parent = getpid(),
                        .guard = guard};
    const pid_t pid = fork();
    if (pid < 0) return {.end = SubprocessEnd::not_started, .code = errno, .output = {}, .errors = {}};
    if (pid == 0) become(launch);
    for (Fd* childs : {&input.read_end, &output.write_end, &errors.write_end, &failure.write_end, &frames.write_end}) {
        childs->close();
    }

    Running running(subprocess, guard, pid, std::move(input.write_end), std::move(output.read_end),
                    std::move(errors.read_end), std::move(frames.read_end));
    if (const int error = read_number(failure.read_end); error != 0) {
        return {.end = SubprocessEnd::not_started, .code = error, .output = {}, .errors = {}};
    }
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
