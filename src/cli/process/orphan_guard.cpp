#include "cli/process/orphan_guard.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <set>
#include <span>

namespace flowfabric::cli {
namespace {

// Each message is one pid_t, written at once: the group's number when it begins, its negative when it is over.
[[noreturn]] void guard_groups(int messages) {
    // It ends with the worker, not before: a signal to all processes of a terminal, a group or a service, or a
    // `killall ff`, is not meant for it.
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
    setsid();
    prctl(PR_SET_NAME, "ff-guard");
    dup2(messages, STDIN_FILENO);
    close_range(STDIN_FILENO + 1, ~0U, 0);
    std::set<pid_t> groups;
    std::array<pid_t, 256> buffer{};
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, buffer.data(), sizeof(buffer));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (const pid_t message : std::span(buffer).first(static_cast<std::size_t>(got) / sizeof(pid_t))) {
            if (message > 0) {
                groups.insert(message);
            } else {
                groups.erase(-message);
            }
        }
    }
    for (const pid_t group : groups) kill(-group, SIGKILL);
    _exit(0);
}

}  // namespace

OrphanGuard::OrphanGuard() {
    Pipe pipe = open_pipe();
    guard_ = fork();
    if (guard_ < 0) throw_errno("fork");
    if (guard_ == 0) {
        pipe.write_end.close();
        guard_groups(pipe.read_end.get());
    }
    groups_ = std::move(pipe.write_end);
}

OrphanGuard::~OrphanGuard() {
    groups_.close();
    while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void OrphanGuard::add(pid_t group) const noexcept {
    tell(group);
}

void OrphanGuard::remove(pid_t group) const noexcept {
    tell(-group);
}

// Without a guard, which only a SIGKILL of its own can end, programs still have their parent-death signal.
void OrphanGuard::tell(pid_t message) const noexcept {
    while (write(groups_.get(), &message, sizeof(message)) < 0 && errno == EINTR) {
    }
}

}  // namespace flowfabric::cli
