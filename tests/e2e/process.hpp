#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace flowfabric::test {

using namespace std::chrono_literals;

inline constexpr std::chrono::seconds patience{60};  // for what must come; nothing is promised about when

struct Line {
    std::string text;
    std::chrono::steady_clock::time_point at;
};

// A child process whose output is collected line by line. Its end is that of this object: killed by its id and reaped.
class Process {
  public:
    // A program, found on PATH.
    explicit Process(std::vector<std::string> command);
    // A copy of this process, which must have no other threads, that writes to the given descriptor and exits.
    explicit Process(const std::function<void(int output)>& body);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const { return id_; }
    void signal(int number) const;

    // Waits for the end: the exit status, or minus the signal. Throws when it does not come.
    int wait();
    std::optional<int> wait_for(std::chrono::milliseconds at_most);

    std::vector<Line> lines() const;  // of both outputs, so far
    std::string output() const;       // standard output, so far
    std::string errors() const;       // standard error, so far
    // The first line with this text in it; throws when it does not come.
    std::string await_line(const std::string& text) const;
    void await_lines(std::size_t count) const;

  private:
    struct Stream {
        int file = -1;
        std::string partial;
        std::string all;
    };
    void collect();
    void read_from(Stream& stream);
    template <class Condition>
    void await(const std::string& what, const Condition& condition) const;

    pid_t id_ = 0;
    std::optional<int> status_;
    mutable std::mutex mutex_;  // guards the streams' text, lines_ and closed_
    mutable std::condition_variable changed_;
    Stream output_;
    Stream errors_;
    std::vector<Line> lines_;
    bool closed_ = false;
    std::thread collector_;
};

struct Finished {
    int status = 0;
    std::string output;
    std::string errors;
};

// A program, found on PATH, to its end.
Finished run_program(std::vector<std::string> command);

// The `ff` program with these arguments.
std::vector<std::string> ff(std::vector<std::string> arguments);
Finished run_ff(std::vector<std::string> arguments);

// The `ff-bench` program with these arguments.
std::vector<std::string> ff_bench(std::vector<std::string> arguments);
Finished run_ff_bench(std::vector<std::string> arguments);

// Asks again and again; throws when the condition does not come true.
void await(const std::string& what, const std::function<bool()>& condition);

// A process that outlived its parent: adopted by this one, ended by its id and reaped.
void adopt_orphans();
void end_orphan(pid_t id);
bool is_alive(pid_t id);

}  // namespace flowfabric::test
