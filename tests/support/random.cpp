#include "support/random.hpp"

#include <algorithm>
#include <cstdlib>

namespace flowfabric::test {

std::vector<std::uint64_t> seeds(std::uint64_t count) {
    if (const char* replayed = std::getenv("FF_SEED")) return {std::strtoull(replayed, nullptr, 10)};
    if (const char* wanted = std::getenv("FF_SEED_COUNT")) count = std::strtoull(wanted, nullptr, 10);
    if (const char* percent = std::getenv("FF_SEED_PERCENT")) {
        count = std::max<std::uint64_t>(count * std::strtoull(percent, nullptr, 10) / 100, 1);
    }
    std::uint64_t first = 1;
    std::uint64_t stride = 1;
    if (const char* shard = std::getenv("FF_SEED_SHARD")) {
        char* slash = nullptr;
        first = std::strtoull(shard, &slash, 10);
        stride = std::strtoull(slash + 1, nullptr, 10);
    }
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t seed = first; seed <= count; seed += stride) chosen.push_back(seed);
    return chosen;
}

}  // namespace flowfabric::test
