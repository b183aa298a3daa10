#include "support/random.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace flowfabric::test {

std::vector<std::uint64_t> seeds(std::uint64_t count) {
    if (const char* replayed = std::getenv("FF_SEED")) return {std::strtoull(replayed, nullptr, 10)};
    if (const char* wanted = std::getenv("FF_SEED_COUNT")) count = std::strtoull(wanted, nullptr, 10);
    if (const char* percent = std::getenv("FF_SEED_PERCENT")) {
        count = std::max<std::uint64_t>(count * std::strtoull(percent, nullptr, 10) / 100, 1);
    }
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), 1);
    return all;
}

}  // namespace flowfabric::test
