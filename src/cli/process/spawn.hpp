#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What starting another program takes.
namespace flowfabric::cli {

class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() { close(); }
    int get() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }
    void close() {
        if (is_open()) ::close(std::exchange(fd_, -1));
    }

  private:
    int fd_;
};

[[noreturn]] void throw_errno(const char* what);

struct Pipe {
    Fd read_end;
    Fd write_end;
};

// Close-on-exec from the start: another thread may spawn at any moment.
Pipe open_pipe();

// Readable once the process has ended.
Fd open_pidfd(pid_t pid);

// This process's environment without what is withheld, and with some variables added or replaced.
std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added,
                                            const std::vector<std::string_view>& withheld = {});

// The argument array of exec; it points into `strings`.
std::vector<char*> c_strings(std::vector<std::string>& strings);

}  // namespace flowfabric::cli
