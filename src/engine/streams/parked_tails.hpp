#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/stream/stream_rows.hpp"
#include "engine/batching/batch.hpp"

namespace flowfabric {

// A look at a stream for somebody who waits for its frames.
struct Tail {
    StreamKey stream;
    FrameId after;
    std::uint32_t limit = 0;
    FrameVisibility visibility = FrameVisibility::all;
    SteadyMs deadline = 0;
    // How many frames that it wants the stream had ever had when it was last looked at; absent: it never was.
    std::optional<std::int64_t> seen;
};

using TailId = std::uint64_t;

// Whether a look at the frames would find something for it.
bool has_news(const Tail& tail, const StreamMetaRow& meta);
// It was looked at, when the stream stood as `meta` says; no frame up to then is for it.
void note_look(Tail& tail, const std::optional<StreamMetaRow>& meta);

// Those who wait for frames, by stream: what one stream's commit costs does not depend on how many wait for others. No
// I/O and no clock. A tail stays until it is removed; it may come due again while it is being looked at.
class ParkedTails {
  public:
    TailId add(const Tail& tail);  // due at once
    void remove(TailId id);

    // A commit of this process left the stream so. Tells whether a tail has come due.
    bool on_commit(const StreamMetaRow& meta);
    // Another process has done something to the stream that goes by this name (name_of).
    bool on_touched(std::string_view name);
    void on_anything();

    // Due tails, which count as looked at until they come due again.
    std::vector<std::pair<TailId, Tail>> take_due();
    void looked(TailId id, const std::optional<StreamMetaRow>& meta);

    // Those whose time is over, removed.
    std::vector<TailId> take_expired(SteadyMs now);
    std::optional<SteadyMs> next_deadline() const;

    bool empty() const { return tails_.empty(); }
    bool any_due() const { return !due_.empty(); }
    std::size_t size() const { return tails_.size(); }

  private:
    struct Entry {
        Tail tail;
        bool due = true;
    };

    void call(TailId id, Entry& entry);

    TailId last_id_ = 0;
    std::unordered_map<TailId, Entry> tails_;
    std::unordered_map<std::string, std::unordered_set<TailId>> by_stream_;  // by name_of
    std::set<std::pair<SteadyMs, TailId>> by_deadline_;
    std::vector<TailId> due_;  // some may be gone
};

}  // namespace flowfabric
