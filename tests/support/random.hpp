#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace flowfabric::test {

// Choices that a seed decides, the same on every platform.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }
    bool chance(std::uint64_t percent) { return below(100) < percent; }

    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }
    // Each of them or not.
    template <class T>
    std::vector<T> some_of(const std::vector<T>& from) {
        std::vector<T> chosen;
        for (const T& one : from) {
            if (chance(50)) chosen.push_back(one);
        }
        return chosen;
    }
    std::string bytes(std::size_t at_most) {
        std::string text(below(at_most + 1), '\0');
        for (char& c : text) c = static_cast<char>(below(256));
        return text;
    }

  private:
    std::mt19937_64 engine_;
};

// 1 … count, or what FF_SEED names, to replay one; FF_SEED_COUNT runs another number of them, FF_SEED_PERCENT a share,
// FF_SEED_SHARD=I/N every N-th of them from the I-th on.
std::vector<std::uint64_t> seeds(std::uint64_t count);

}  // namespace flowfabric::test
