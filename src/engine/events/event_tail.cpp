#include "engine/events/event_tail.hpp"

#include <algorithm>

#include "core/events/subject.hpp"

namespace flowfabric {
namespace {

// An audit record has none of these three.
std::optional<std::uint16_t> partition_of(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::optional<std::uint16_t> {
            if constexpr (requires { e.partition_key; }) return e.partition_key;
            if constexpr (requires { e.execution_id; }) return e.execution_id.partition;
            return std::nullopt;
        },
        event);
}

std::optional<std::string> namespace_of(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::optional<std::string> {
            if constexpr (requires { e.namespace_name; }) return e.namespace_name;
            return std::nullopt;
        },
        event);
}

std::optional<std::string> instance_tag_of(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::optional<std::string> {
            if constexpr (requires { e.instance_tag; }) return e.instance_tag;
            return std::nullopt;
        },
        event);
}

}  // namespace

bool EventFilter::admits(const Event& event) const {
    return (!partition || partition_of(event) == *partition) &&
           (!namespace_name || namespace_of(event) == namespace_name) &&
           (!instance_tag || instance_tag_of(event) == instance_tag) && (!execution || is_about(event, *execution));
}

void EventTail::follow(std::shared_ptr<EventSink> sink, EventFilter filter, std::int64_t from) {
    if (followers_.empty()) position_ = std::max(decided_, from);
    sink->reached(from);
    followers_.push_back(std::make_unique<Follower>(Follower{.sink = std::move(sink),
                                                             .filter = std::move(filter),
                                                             .position = from,
                                                             .last_seen = from,
                                                             .keeps_up = from >= position_}));
}

void EventTail::on_decided(std::int64_t up_to) {
    decided_ = std::max(decided_, up_to);
    // Without a follower that keeps up, the next one need not pass by all that happened meanwhile.
    const bool none_keeps_up =
        std::ranges::none_of(followers_, [](const auto& follower) { return follower->keeps_up; });
    if (none_keeps_up) position_ = decided_;
}

void EventTail::on_disconnected() {
    decided_ = 0;
    position_ = 0;
    for (const auto& follower : followers_) {
        follower->position = follower->last_seen;
        follower->keeps_up = false;
        position_ = std::max(position_, follower->position);
    }
}

std::optional<EventTail::Wanted> EventTail::wanted() {
    for (const auto& follower : followers_) {
        if (follower->keeps_up || follower->position < position_) continue;
        follower->keeps_up = follower->sink->has_room();
    }
    const bool some_keep_up = std::ranges::any_of(followers_, [](const auto& follower) { return follower->keeps_up; });
    if (some_keep_up && position_ < decided_) return Wanted{.after = position_, .up_to = decided_, .only = nullptr};
    // In turns, so that one with a long way to go does not keep the others waiting.
    for (std::size_t i = 0; i < followers_.size(); ++i) {
        Follower& follower = *followers_[(next_straggler_ + i) % followers_.size()];
        if (follower.keeps_up || !follower.sink->has_room()) continue;
        const std::int64_t up_to = std::min(position_, decided_);
        if (follower.position >= up_to) continue;
        next_straggler_ = (next_straggler_ + i + 1) % followers_.size();
        return Wanted{.after = follower.position, .up_to = up_to, .only = &follower};
    }
    return std::nullopt;
}

// A follower that has no room for an event stays before it.
void EventTail::hand_over(Follower& follower, const std::shared_ptr<const Event>& event) {
    const std::int64_t id = id_of(*event);
    if (id <= follower.position) return;
    if (follower.filter.admits(*event) && !follower.sink->offer(event)) {
        follower.keeps_up = false;
        return;
    }
    follower.position = id;
    follower.last_seen = id;
}

void EventTail::expire_before(std::int64_t trimmed) {
    std::erase_if(followers_, [&](const auto& follower) {
        if (follower->position >= trimmed) return false;
        follower->sink->expired(follower->position, trimmed);
        return true;
    });
    position_ = std::max(position_, trimmed);
}

// A page that begins among removed events has a hole: followers that need those events end, the next page serves the
// others.
void EventTail::on_events(const Wanted& wanted, EventPage page, bool complete) {
    if (wanted.after < page.trimmed) return expire_before(page.trimmed);
    const std::int64_t reached = complete || page.events.empty() ? wanted.up_to : id_of(page.events.back());
    std::vector<Follower*> served;
    for (const auto& follower : followers_) {
        if (wanted.only != nullptr ? follower.get() == wanted.only : follower->keeps_up) {
            served.push_back(follower.get());
            follower->keeps_up = true;
        }
    }
    for (Event& event : page.events) {
        const auto shared = std::make_shared<const Event>(std::move(event));
        for (Follower* follower : served) {
            if (follower->keeps_up) hand_over(*follower, shared);
        }
    }
    for (Follower* follower : served) {
        if (follower->keeps_up) follower->position = std::max(follower->position, reached);
        if (wanted.only != nullptr) follower->keeps_up = false;
        follower->sink->reached(follower->last_seen);
    }
    if (wanted.only == nullptr) position_ = reached;
}

void EventTail::drop_closed() {
    std::erase_if(followers_, [](const auto& follower) { return follower->sink->closed(); });
}

}  // namespace flowfabric
