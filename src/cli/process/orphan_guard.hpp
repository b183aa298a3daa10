#pragma once

#include <sys/types.h>

#include "cli/process/spawn.hpp"

// Ends the programs of this process when it dies, even by SIGKILL: a process of its own holds the other end of a pipe,
// and when that closes it kills the process groups that are not over. A parent-death signal alone would spare the
// programs' own children.
//
// Life cycle: made before any thread starts; the destructor lets the guarding process go and waits for it.
// Threads: any number at once.
namespace flowfabric::cli {

class OrphanGuard {
  public:
    OrphanGuard();
    ~OrphanGuard();
    OrphanGuard(const OrphanGuard&) = delete;
    OrphanGuard& operator=(const OrphanGuard&) = delete;

    // By the group's leader itself, between fork and exec: it holds the pipe open until then, so that no group is
    // missed however soon this process dies.
    void add(pid_t group) const noexcept;
    // Before the leader is reaped; from then on the number may be another's.
    void remove(pid_t group) const noexcept;

  private:
    void tell(pid_t message) const noexcept;

    Fd groups_;
    pid_t guard_ = 0;
};

}  // namespace flowfabric::cli
