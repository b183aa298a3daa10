#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace flowfabric {

using SteadyUs = std::int64_t;

// Callers that wait for each answer before they send their next command come back right after a commit, one by one. A
// writer that starts its next transaction with the first of them splits them into ever smaller groups. So, once a
// batch is answered, the next one lingers for its callers: for a fraction of what the last transaction took, no longer
// than until as many commands have arrived as were answered, and only while that keeps paying. A command that finds the
// engine idle never waits.
class Linger {
  public:
    void on_answers(std::uint32_t answered, SteadyUs transaction_us, SteadyUs now) {
        arrived_ = 0;
        expected_ = 0;
        if (skip_ > 0) {
            --skip_;
            return;
        }
        expected_ = answered;
        closes_at_ = now + std::clamp(transaction_us / 3, shortest_us, longest_us);
    }

    void on_arrival() { ++arrived_; }

    // How long the next batch should still be held back, if at all.
    std::optional<SteadyUs> remaining(SteadyUs now) {
        if (expected_ == 0) return std::nullopt;
        if (arrived_ < expected_ && now < closes_at_) return closes_at_ - now;
        if (arrived_ * 4 < expected_) skip_ = pause_after_failure;
        expected_ = 0;
        return std::nullopt;
    }

    bool complete() const { return arrived_ >= expected_; }

  private:
    static constexpr SteadyUs shortest_us = 300;  // what it takes to wake a few callers and hear from them
    static constexpr SteadyUs longest_us = 600;
    static constexpr std::uint32_t pause_after_failure = 32;

    std::uint32_t expected_ = 0;
    std::uint32_t arrived_ = 0;
    std::uint32_t skip_ = 0;
    SteadyUs closes_at_ = 0;
};

}  // namespace flowfabric
