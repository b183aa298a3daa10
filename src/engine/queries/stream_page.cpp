#include "engine/queries/stream_page.hpp"

#include <algorithm>

#include "core/stream/stream.hpp"

namespace flowfabric {
namespace {

// Frames of one statement's answer, 16 MiB at most.
constexpr std::uint32_t frames_at_once = max_stream_page_bytes / max_frame_payload_bytes;

FrameId behind(const FrameId& id) {
    return {id.ts_ms, id.seq + 1};
}

// The scanner may be behind.
StoreResult<bool> has_expired(StoreReader& reader, const StreamMetaRow& meta) {
    if (!meta.expires_at_ms) return false;
    const auto now = reader.now();
    if (!now) return now.error();
    return *meta.expires_at_ms <= *now;
}

}  // namespace

void tell_end(const StreamMetaRow& meta, StreamPage& page) {
    page.closed_at_ms = meta.closed_at_ms;
    page.closed_reason = meta.closed_reason;
}

StoreResult<StreamPage> read_stream_page(StoreReader& reader, const std::optional<StreamMetaRow>& meta,
                                         FrameRange range) {
    StreamPage page;
    if (!meta) return page;
    tell_end(*meta, page);
    const auto expired = has_expired(reader, *meta);
    if (!expired) return expired.error();
    if (*expired) return page;
    const std::size_t wanted = range.limit;
    std::size_t bytes = 0;
    for (;;) {
        // One more than is wanted tells where the next page begins.
        range.limit = std::min(frames_at_once, static_cast<std::uint32_t>(wanted + 1 - page.frames.size()));
        const auto rows = reader.frames(range);
        if (!rows) return rows.error();
        for (const StreamFrameRow& row : *rows) {
            bytes += row.payload.bytes.size();
            const bool full = page.frames.size() == wanted || (bytes > max_stream_page_bytes && !page.frames.empty());
            if (full) {
                page.next = row.key.id();
                return page;
            }
            page.frames.push_back(view_of(row));
        }
        if (rows->size() < range.limit) return page;
        range.from = behind(rows->back().key.id());
    }
}

}  // namespace flowfabric
