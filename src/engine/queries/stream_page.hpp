#pragma once

#include <optional>

#include "flowfabric/stream.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Frames of a range as callers get them, up to so many and up to max_stream_page_bytes, with what is known of the
// stream's end. `meta` was read before the frames are: of a stream that had closed by then they are complete. Where
// there are more within the range, `next` tells the first of them.
StoreResult<StreamPage> read_stream_page(StoreReader& reader, const std::optional<StreamMetaRow>& meta,
                                         FrameRange range);

// The end that followers of a stream are told.
void tell_end(const StreamMetaRow& meta, StreamPage& page);

}  // namespace flowfabric
