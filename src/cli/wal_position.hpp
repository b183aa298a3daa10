#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::cli {

// How much WAL a PostgreSQL server has written, over a connection of its own.
class WalPosition {
  public:
    static Result<WalPosition> connect(const std::string& url);

    Result<std::int64_t> bytes() const;
    // Starts a new checkpoint cycle, where the role may. What is written next pays for the first images of its pages.
    void checkpoint() const;

  private:
    explicit WalPosition(std::shared_ptr<void> connection) : connection_(std::move(connection)) {}

    std::shared_ptr<void> connection_;
};

}  // namespace flowfabric::cli
