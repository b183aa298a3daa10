#pragma once

#include <cstdint>
#include <optional>

#include "core/stream/stream_rows.hpp"

// How many frames a stream keeps, and how it lets go of the others.
namespace flowfabric {

inline constexpr std::int64_t default_retention_maxlen = 10'000;
inline constexpr std::int64_t summary_maxlen = 64;

// What a best-effort frame asks for.
struct BestEffort {
    std::uint64_t ttl_ms = 10'000;
    std::int64_t floor = 64;
    std::int64_t ceiling = max_best_effort_frames;
    double alpha = 0.2;  // the weight of the latest pause in the rate
};

// `frame` is within its limits; what contradicts itself there is set right.
BestEffort best_effort_of(const AppendFrame& frame);

struct FrameRate {
    double hz = 0;
    std::int64_t maxlen = 0;  // as many frames as come in twice the ttl at this rate, within floor and ceiling
};

// The first frame counts as if the floor were just right; then the rate is an exponential moving average.
FrameRate first_rate(const BestEffort& config);
FrameRate next_rate(const BestEffort& config, double last_hz, std::int64_t elapsed_ms);

// Shows the newest `maxlen` frames and no others from now on. True: so many others have piled up that they are to be
// removed up to `removed_through`, which says so already.
bool keep_newest(StreamMetaRow& meta, std::int64_t maxlen);
// Shows none of the frames that there are; they are to be removed likewise.
void drop_all(StreamMetaRow& meta);

}  // namespace flowfabric
