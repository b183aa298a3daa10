#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/port.hpp"
#include "store/postgres/health/own_processes.hpp"
#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {

// Listens for what other processes announce. wait() belongs to one thread, interrupt() to any.
class Listener final : public WakeSource {
  public:
    // Throws Failure.
    Listener(const std::string& url, WakeTopic topic, std::shared_ptr<const OwnProcesses> own_processes,
             std::shared_ptr<Interrupts> interrupts);
    ~Listener() override;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    StoreResult<bool> wait(std::chrono::milliseconds timeout) override;
    void interrupt() override;
    std::vector<std::string> told() override { return std::exchange(told_, {}); }

  private:
    std::shared_ptr<const OwnProcesses> own_processes_;
    Connection connection_;
    int interrupt_fd_ = -1;
    std::vector<std::string> told_;
};

}  // namespace flowfabric::postgres
