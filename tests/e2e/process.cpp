#include "e2e/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

namespace flowfabric::test {
namespace {

struct Pipe {
    int read_end;
    int write_end;
};

Pipe open_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    return {ends[0], ends[1]};
}

pid_t spawn(std::vector<std::string>& command, int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    pid_t id = 0;
    const int error = ::posix_spawnp(&id, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
    return id;
}

// In the child, which must neither outlive the test nor return into it.
[[noreturn]] void run_and_exit(const std::function<void(int)>& body, int output) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        body(output);
    } catch (const std::exception&) {
        ::_exit(1);
    }
    ::_exit(0);
}

}  // namespace

Process::Process(std::vector<std::string> command) {
    const Pipe output = open_pipe();
    const Pipe errors = open_pipe();
    id_ = spawn(command, output.write_end, errors.write_end);
    ::close(output.write_end);
    ::close(errors.write_end);
    output_.file = output.read_end;
    errors_.file = errors.read_end;
    collector_ = std::thread([this] { collect(); });
}

Process::Process(const std::function<void(int output)>& body) {
    const Pipe output = open_pipe();
    id_ = ::fork();
    if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (id_ == 0) run_and_exit(body, output.write_end);
    ::close(output.write_end);
    output_.file = output.read_end;
    collector_ = std::thread([this] { collect(); });
}

Process::~Process() {
    if (!status_) {
        signal(SIGKILL);
        signal(SIGCONT);
        ::waitpid(id_, nullptr, 0);
    }
    collector_.join();
}

void Process::signal(int number) const {
    ::kill(id_, number);
}

std::optional<int> Process::wait_for(std::chrono::milliseconds at_most) {
    const auto until = std::chrono::steady_clock::now() + at_most;
    while (!status_) {
        int status = 0;
        const pid_t ended = ::waitpid(id_, &status, WNOHANG);
        if (ended == id_) {
            status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        } else if (std::chrono::steady_clock::now() > until) {
            return std::nullopt;
        } else {
            std::this_thread::sleep_for(2ms);
        }
    }
    return status_;
}

int Process::wait() {
    const auto status = wait_for(patience);
    if (!status) throw std::runtime_error("process " + std::to_string(id_) + " does not end");
    // Whoever it started may hold its output open; what it wrote itself is there to be read.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 5s, [&] { return closed_; });
    return *status;
}

std::vector<Line> Process::lines() const {
    const std::scoped_lock lock(mutex_);
    return lines_;
}

std::string Process::output() const {
    const std::scoped_lock lock(mutex_);
    return output_.all;
}

std::string Process::errors() const {
    const std::scoped_lock lock(mutex_);
    return errors_.all;
}

template <class Condition>
void Process::await(const std::string& what, const Condition& condition) const {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, patience, [&] { return closed_ || condition(); });
    if (!came || !condition()) throw std::runtime_error(what + " did not come; errors: " + errors_.all);
}

std::string Process::await_line(const std::string& text) const {
    std::string found;
    await("a line with '" + text + "'", [&] {
        const auto line = std::ranges::find_if(lines_, [&](const Line& l) { return l.text.find(text) != l.text.npos; });
        if (line != lines_.end()) found = line->text;
        return line != lines_.end();
    });
    return found;
}

void Process::await_lines(std::size_t count) const {
    await(std::to_string(count) + " lines", [&] { return lines_.size() >= count; });
}

void Process::collect() {
    while (output_.file >= 0 || errors_.file >= 0) {
        std::array<pollfd, 2> files{{{output_.file, POLLIN, 0}, {errors_.file, POLLIN, 0}}};
        if (::poll(files.data(), files.size(), -1) < 0) continue;
        if (files[0].revents != 0) read_from(output_);
        if (files[1].revents != 0) read_from(errors_);
    }
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void Process::read_from(Stream& stream) {
    std::array<char, 65'536> buffer{};
    const auto got = ::read(stream.file, buffer.data(), buffer.size());
    if (got <= 0) {
        ::close(stream.file);
        stream.file = -1;
        return;
    }
    const std::scoped_lock lock(mutex_);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    stream.all += text;
    stream.partial += text;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = stream.partial.find('\n', begin)) != std::string::npos; begin = end + 1) {
        lines_.push_back({stream.partial.substr(begin, end - begin), std::chrono::steady_clock::now()});
    }
    stream.partial.erase(0, begin);
    changed_.notify_all();
}

Finished run_program(std::vector<std::string> command) {
    Process process(std::move(command));
    const int status = process.wait();
    return {status, process.output(), process.errors()};
}

std::vector<std::string> ff(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), FF_BINARY);
    return arguments;
}

Finished run_ff(std::vector<std::string> arguments) {
    return run_program(ff(std::move(arguments)));
}

std::vector<std::string> ff_bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), FF_BENCH_BINARY);
    return arguments;
}

Finished run_ff_bench(std::vector<std::string> arguments) {
    return run_program(ff_bench(std::move(arguments)));
}

void await(const std::string& what, const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error(what + " did not come");
        std::this_thread::sleep_for(20ms);
    }
}

void adopt_orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void end_orphan(pid_t id) {
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
}

bool is_alive(pid_t id) {
    return ::kill(id, 0) == 0;
}

}  // namespace flowfabric::test
