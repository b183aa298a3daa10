#pragma once

#include <cstdint>
#include <vector>

#include "core/stream/stream_rows.hpp"
#include "store/result.hpp"

namespace flowfabric {

// Frames of one stream, both ends included.
struct FrameRange {
    StreamKey stream;
    FrameId from;
    FrameId to;
    FrameVisibility visibility = FrameVisibility::all;
    std::uint32_t limit = 0;
};

class StreamReads {
  public:
    virtual ~StreamReads() = default;

    // In their order; of one moment, and none that the stream does not show any more.
    virtual StoreResult<std::vector<StreamFrameRow>> frames(const FrameRange& range) = 0;
};

}  // namespace flowfabric
