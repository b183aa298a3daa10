#include "core/stream/frame_retention.hpp"

#include <algorithm>
#include <cmath>

namespace flowfabric {
namespace {

// Below the error of the calculation, so that 64.000000000000001 frames are 64.
constexpr double slack = 1e-6;
constexpr std::int64_t least_worth_removing = 64;

std::int64_t within(const BestEffort& config, double frames) {
    const double bounded =
        std::clamp(std::ceil(frames - slack), static_cast<double>(config.floor), static_cast<double>(config.ceiling));
    return static_cast<std::int64_t>(bounded);
}

double kept_for_s(const BestEffort& config) {
    return 2 * static_cast<double>(config.ttl_ms) / 1000;
}

}  // namespace

BestEffort best_effort_of(const AppendFrame& frame) {
    BestEffort config;
    config.ttl_ms = frame.ttl_ms.value_or(config.ttl_ms);
    config.floor = frame.maxlen_floor.value_or(config.floor);
    config.ceiling = std::max<std::int64_t>(frame.maxlen_ceiling.value_or(config.ceiling), config.floor);
    const double alpha = frame.ema_alpha.value_or(config.alpha);
    if (alpha > 0 && alpha <= 1) config.alpha = alpha;
    return config;
}

FrameRate first_rate(const BestEffort& config) {
    return {.hz = static_cast<double>(config.floor) / kept_for_s(config), .maxlen = config.floor};
}

FrameRate next_rate(const BestEffort& config, double last_hz, std::int64_t elapsed_ms) {
    const double latest_hz = 1000.0 / static_cast<double>(std::max<std::int64_t>(elapsed_ms, 1));
    const double hz = config.alpha * latest_hz + (1 - config.alpha) * last_hz;
    return {.hz = hz, .maxlen = within(config, hz * kept_for_s(config))};
}

bool keep_newest(StreamMetaRow& meta, std::int64_t maxlen) {
    meta.cut_through = std::max(meta.cut_through, meta.frame_count - maxlen);
    const std::int64_t hidden = meta.cut_through - meta.removed_through;
    if (hidden <= std::max(maxlen / 8, least_worth_removing)) return false;
    meta.removed_through = meta.cut_through;
    return true;
}

void drop_all(StreamMetaRow& meta) {
    meta.cut_through = meta.removed_through = meta.frame_count;
}

}  // namespace flowfabric
