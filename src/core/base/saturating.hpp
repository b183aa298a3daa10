#pragma once

#include <cstdint>
#include <limits>

namespace flowfabric {

// Held at the ends of the range: a time that was read from a damaged row may be any number.
constexpr std::int64_t saturating_difference(std::int64_t from, std::int64_t less) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(from, less, &difference)) return difference;
    using Limits = std::numeric_limits<std::int64_t>;
    return less < 0 ? Limits::max() : Limits::min();
}

}  // namespace flowfabric
