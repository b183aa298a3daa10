#pragma once

#include <cstdint>

#include "flowfabric/ids.hpp"

namespace flowfabric {

// The ids that one command mints, fixed at the front door: a command that runs again mints the same ones.
class IdSource {
  public:
    IdSource(std::int64_t minted_at_ms, std::uint64_t seed_high, std::uint64_t seed_low)
        : minted_at_ms_(minted_at_ms), seed_high_(seed_high), seed_low_(seed_low) {}

    // The n-th id of this command, a UUIDv7.
    Uuid at(std::uint32_t n) const;

  private:
    std::int64_t minted_at_ms_;
    std::uint64_t seed_high_;
    std::uint64_t seed_low_;
};

// A bijective mixer: distinct inputs give distinct outputs.
std::uint64_t mix64(std::uint64_t value);

}  // namespace flowfabric
