#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rows/event_rows.hpp"
#include "store/result.hpp"

namespace flowfabric {

// Up to `decided` every event id is committed and readable, or never to come; nothing while that cannot be told. Ids
// up to `drawn` have been given out.
struct Watermark {
    std::optional<std::int64_t> decided;
    std::int64_t drawn = 0;
};

struct EventPage {
    std::vector<Event> events;
    std::int64_t trimmed = 0;  // events up to it may be missing
};

// The outboxes.
class EventReads {
  public:
    virtual ~EventReads() = default;

    // One per channel, in their order. To be asked again and again on one reader, which learns from each look who may
    // still fill a gap.
    virtual StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& channels) = 0;
    StoreResult<Watermark> watermark(Channel channel) {
        auto all = watermarks({channel});
        if (!all) return all.error();
        return all->front();
    }
    // after < event_id <= up_to, ascending.
    virtual StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to,
                                        std::uint32_t limit) = 0;
    // Of these the ones about one execution, for which the whole range is looked through.
    virtual StoreResult<EventPage> tail_of(const ExecutionId& id, Channel channel, std::int64_t after,
                                           std::int64_t up_to, std::uint32_t limit) = 0;
};

}  // namespace flowfabric
