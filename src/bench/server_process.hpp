#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "bench/line_process.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric::bench {

// The `ff server` that stands beside this program, on a store and a free port, as a process of its own.
//
// Life cycle: start() returns when it serves; the destructor tells it to end and waits for that.
class ServerProcess {
  public:
    static Result<std::unique_ptr<ServerProcess>> start(const std::string& store_url);

    std::uint16_t port() const { return port_; }
    std::uint64_t resident_bytes() const;
    double cpu_seconds() const;

  private:
    explicit ServerProcess(const std::string& store_url);

    std::promise<std::uint16_t> announced_;  // 0: it ended without serving
    bool is_announced_ = false;              // the reader's own
    LineProcess process_;
    std::uint16_t port_ = 0;
};

}  // namespace flowfabric::bench
