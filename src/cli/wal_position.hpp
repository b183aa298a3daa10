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

  private:
    explicit WalPosition(std::shared_ptr<void> connection) : connection_(std::move(connection)) {}

    std::shared_ptr<void> connection_;
};

}  // namespace flowfabric::cli
