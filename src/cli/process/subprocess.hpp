#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/process/frame_pump.hpp"
#include "cli/process/orphan_guard.hpp"

// Runs one program to its end on the calling thread: input on its stdin, its stdout collected, stderr passed through
// and its end kept.
//
// Life cycle: the program leads a process group of its own, and whatever is left of the group dies with it. The whole
// group dies with this process as well, and the program itself with the calling thread.
// Threads: any number at once; the caller ignores SIGPIPE for the process.
// Stopping: a stop request, or too much output, sends SIGTERM to the group and, `kill_after` later, SIGKILL.
namespace flowfabric::cli {

// What of a program's output becomes frames, line by line.
struct FramedOutput {
    FramePump& pump;
    std::optional<int> descriptor;  // of the program, for nothing else; above that of standard error
    bool of_stdout = false;         // besides what becomes of it otherwise
    bool of_stderr = false;
};

struct Subprocess {
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment;  // added to this process's environment
    std::vector<std::string_view> withheld;                        // variables of this process that it does not get
    std::string_view input;
    std::size_t max_output = 1'048'576;
    std::size_t max_errors = 2'048;  // of what it writes to stderr, the last bytes that are kept
    std::chrono::milliseconds kill_after{5'000};
    // The program waits while the pump has no room. Its last lines are put when it has ended.
    std::optional<FramedOutput> frames = {};
};

enum class SubprocessEnd : std::uint8_t { exited, signaled, stopped, output_too_large, not_started };

struct SubprocessResult {
    SubprocessEnd end = SubprocessEnd::not_started;
    int code = 0;  // exit status, signal number, or errno when not started
    std::string output;
    std::string errors;  // the end of stderr, as the program wrote it
};

SubprocessResult run_subprocess(const Subprocess& subprocess, const OrphanGuard& guard, const std::stop_token& stop);

// Whether the shell's rules find a program of this name that may be executed.
bool can_execute(const std::string& program);

}  // namespace flowfabric::cli
