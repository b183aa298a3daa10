#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace flowfabric {

// Stands in for a store's clock in tests. Production stores have none and read their own.
class TestClock {
  public:
    explicit TestClock(std::int64_t now_ms) : now_ms_(now_ms) {}
    std::int64_t now_ms() const { return now_ms_.load(); }
    void set(std::int64_t now_ms) { now_ms_.store(now_ms); }
    void advance(std::int64_t by_ms) { now_ms_.fetch_add(by_ms); }

  private:
    std::atomic<std::int64_t> now_ms_;
};

}  // namespace flowfabric
