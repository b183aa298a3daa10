#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::bench {

// What a PostgreSQL server tells about its work, over a connection of its own.
class PostgresProbe {
  public:
    static Result<PostgresProbe> connect(const std::string& url);

    // Starts a new checkpoint cycle, where the role may. What is written next pays for the first images of its pages.
    void checkpoint() const;
    // How much WAL was ever written.
    Result<std::int64_t> wal_bytes() const;
    // Transactions per second that others run in this database while this watches.
    Result<double> transaction_rate(std::chrono::seconds watched) const;

  private:
    explicit PostgresProbe(std::shared_ptr<void> connection) : connection_(std::move(connection)) {}
    Result<std::int64_t> number(const char* query) const;

    std::shared_ptr<void> connection_;
};

}  // namespace flowfabric::bench
