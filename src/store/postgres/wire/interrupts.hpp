#pragma once

#include <memory>
#include <mutex>
#include <unordered_set>

namespace flowfabric::postgres {

// Ends the waits of a backend's connections. interrupt() may be called by any thread.
class Interrupts {
  public:
    // What one connection polls beside its socket: readable once it was interrupted, and from then on.
    class Line {
      public:
        explicit Line(std::shared_ptr<Interrupts> owner);  // throws Failure
        ~Line();
        Line(const Line&) = delete;
        Line& operator=(const Line&) = delete;

        int fd() const { return fd_; }

      private:
        std::shared_ptr<Interrupts> owner_;
        int fd_;
    };

    void interrupt();

  private:
    std::mutex mutex_;  // guards lines_
    std::unordered_set<int> lines_;
};

}  // namespace flowfabric::postgres
