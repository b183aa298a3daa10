#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/process/spawn.hpp"

namespace flowfabric::bench {

// A child process that reports in lines and ends when its standard input does, or at a signal.
//
// Life cycle: the constructor starts it and throws when it cannot; the destructor closes its input, sends the signal if
// there is one, waits for its end, kills it by its id when that does not come, and reaps it. It also sees its input end
// when this process dies.
// Threads: `on_line` and then, once, `on_end` are called on a thread of its own that the destructor joins.
class LineProcess {
  public:
    struct Callbacks {
        std::function<void(std::string_view)> on_line;
        std::function<void()> on_end;
    };

    LineProcess(std::vector<std::string> command, const std::vector<std::pair<std::string, std::string>>& environment,
                Callbacks callbacks, int end_signal = 0);
    ~LineProcess();
    LineProcess(const LineProcess&) = delete;
    LineProcess& operator=(const LineProcess&) = delete;

    pid_t pid() const { return pid_; }

  private:
    void read_lines();

    Callbacks callbacks_;
    const int end_signal_;
    cli::Fd stdin_;
    cli::Fd stdout_;
    pid_t pid_ = 0;
    std::thread reader_;
};

}  // namespace flowfabric::bench
