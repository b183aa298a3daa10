#pragma once

#include <stdexcept>
#include <vector>

#include "store/port.hpp"

namespace flowfabric::test {

// All events of a channel that are there once nobody writes to it.
inline std::vector<Event> read_outbox(Backend& backend, Channel channel) {
    const auto require = [](auto result) {
        if (!result) throw std::runtime_error(result.error().detail);
        return std::move(*result);
    };
    const auto reader = require(backend.open_reader());
    Watermark watermark;
    do {
        watermark = require(reader->watermark(channel));
    } while (watermark.decided != watermark.drawn);
    return require(reader->tail(channel, 0, watermark.drawn, 1'000'000)).events;
}

}  // namespace flowfabric::test
