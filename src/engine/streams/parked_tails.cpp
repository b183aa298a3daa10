#include "engine/streams/parked_tails.hpp"

#include <algorithm>
#include <utility>

namespace flowfabric {
namespace {

// Frames that the tail wants, of all that the stream ever had.
std::int64_t wanted_count(const Tail& tail, const StreamMetaRow& meta) {
    return tail.visibility == FrameVisibility::all ? meta.frame_count : meta.lasting_count;
}

}  // namespace

bool has_news(const Tail& tail, const StreamMetaRow& meta) {
    return meta.closed_at_ms || wanted_count(tail, meta) > tail.seen.value_or(0);
}

void note_look(Tail& tail, const std::optional<StreamMetaRow>& meta) {
    tail.seen = meta ? wanted_count(tail, *meta) : 0;
    if (meta) tail.after = std::max(tail.after, meta->last_id());
}

TailId ParkedTails::add(const Tail& tail) {
    const TailId id = ++last_id_;
    tails_.emplace(id, Entry{.tail = tail});
    by_stream_[name_of(tail.stream)].insert(id);
    by_deadline_.emplace(tail.deadline, id);
    due_.push_back(id);
    return id;
}

void ParkedTails::remove(TailId id) {
    const auto found = tails_.find(id);
    if (found == tails_.end()) return;
    const Tail& tail = found->second.tail;
    const auto of_stream = by_stream_.find(name_of(tail.stream));
    of_stream->second.erase(id);
    if (of_stream->second.empty()) by_stream_.erase(of_stream);
    by_deadline_.erase({tail.deadline, id});
    tails_.erase(found);
}

void ParkedTails::call(TailId id, Entry& entry) {
    if (!std::exchange(entry.due, true)) due_.push_back(id);
}

bool ParkedTails::on_commit(const StreamMetaRow& meta) {
    const auto of_stream = by_stream_.find(name_of(meta.key));
    if (of_stream == by_stream_.end()) return false;
    for (const TailId id : of_stream->second) {
        Entry& entry = tails_.at(id);
        if (has_news(entry.tail, meta)) call(id, entry);
    }
    return any_due();
}

bool ParkedTails::on_touched(std::string_view name) {
    const auto of_stream = by_stream_.find(std::string(name));
    if (of_stream == by_stream_.end()) return false;
    for (const TailId id : of_stream->second) call(id, tails_.at(id));
    return true;
}

void ParkedTails::on_anything() {
    for (auto& [id, entry] : tails_) call(id, entry);
}

std::vector<std::pair<TailId, Tail>> ParkedTails::take_due() {
    std::vector<std::pair<TailId, Tail>> taken;
    for (const TailId id : std::exchange(due_, {})) {
        const auto found = tails_.find(id);
        if (found == tails_.end()) continue;
        found->second.due = false;
        taken.emplace_back(id, found->second.tail);
    }
    return taken;
}

void ParkedTails::looked(TailId id, const std::optional<StreamMetaRow>& meta) {
    const auto found = tails_.find(id);
    if (found != tails_.end()) note_look(found->second.tail, meta);
}

std::vector<TailId> ParkedTails::take_expired(SteadyMs now) {
    std::vector<TailId> expired;
    for (const auto& [deadline, id] : by_deadline_) {
        if (deadline > now) break;
        // One that has just come is looked at first.
        if (tails_.at(id).tail.seen) expired.push_back(id);
    }
    for (const TailId id : expired) remove(id);
    return expired;
}

std::optional<SteadyMs> ParkedTails::next_deadline() const {
    return by_deadline_.empty() ? std::nullopt : std::optional(by_deadline_.begin()->first);
}

}  // namespace flowfabric
