#include "runtime/execution_subscription.hpp"

#include <algorithm>
#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric {
namespace {

constexpr std::chrono::milliseconds nothing_to_wait_for{0};

}  // namespace

void ExecutionSubscription::Bell::ring() {
    std::function<void()> now;
    {
        const std::lock_guard lock(mutex);
        rung = true;
        now = ready;
    }
    changed.notify_one();
    if (now) contain("a subscription's wake-up threw", now);
}

// ---- the beginning ----------------------------------------------------------------------------------------------

Result<std::unique_ptr<Subscription>> ExecutionSubscription::open(const Start& start,
                                                                  std::shared_ptr<ReaderPool> readers,
                                                                  const Follow& follow) {
    if (!start.cursor.empty()) {
        if (const auto given = parse_execution_cursor(start.cursor); !given) return given.error();
    }
    std::unique_ptr<ExecutionSubscription> opened(new ExecutionSubscription(start.id, std::move(readers)));
    if (auto followed = opened->follow_all(follow); !followed) return followed.error();
    const auto up_to = opened->is_last_ ? opened->drawn() : opened->reached();
    if (!up_to) return up_to.error();
    const auto after = opened->beginning(start, *up_to);
    if (!after) return after.error();
    if (auto checked = opened->check_reach(*after, *up_to); !checked) return checked.error();
    opened->passed_ = *after;
    opened->history_.emplace(start.id, *after, *up_to);
    return std::unique_ptr<Subscription>(std::move(opened));
}

Result<bool> ExecutionSubscription::has_ended(bool if_absent) {
    const auto row = readers_->run([&](StoreReader& reader) { return reader.execution(id_); });
    if (!row) return row.error();
    return *row ? (*row)->vector.lifecycle_phase == LifecyclePhase::terminal : if_absent;
}

// Whether it has ended is asked once more behind the subscriptions, which tell of every later end.
Result<void> ExecutionSubscription::follow_all(const Follow& follow) {
    constexpr bool if_submitted_only = false;
    auto ended = has_ended(if_submitted_only);
    if (!ended) return ended.error();
    if (!*ended) {
        for (const Channel channel : execution_channels) {
            auto followed = follow(channel);
            if (!followed) return followed.error();
            (*followed)->notify([bell = bell_] { bell->ring(); });
            followed_[index_of(channel)] = *std::move(followed);
        }
        ended = has_ended(if_submitted_only);
        if (!ended) return ended.error();
    }
    is_last_ = *ended;
    return {};
}

Result<ChannelPositions> ExecutionSubscription::reached() const {
    ChannelPositions positions{};
    for (const Channel channel : execution_channels) {
        const auto place = parse_cursor(followed_[index_of(channel)]->cursor());
        if (!place) return place.error();
        positions[index_of(channel)] = **place;
    }
    return positions;
}

// An execution's events are committed one behind the other. Once its end is seen all of them are there, and none has an
// id that is not drawn.
Result<ChannelPositions> ExecutionSubscription::drawn() {
    return readers_->run([](StoreReader& reader) -> StoreResult<ChannelPositions> {
        const auto marks = reader.watermarks({execution_channels.begin(), execution_channels.end()});
        if (!marks) return marks.error();
        ChannelPositions positions{};
        for (std::size_t i = 0; i < marks->size(); ++i) {
            positions[index_of(execution_channels[i])] = (*marks)[i].drawn;
        }
        return positions;
    });
}

Result<ChannelPositions> ExecutionSubscription::beginning(const Start& start, const ChannelPositions& up_to) {
    if (!start.cursor.empty()) return parse_execution_cursor(start.cursor);
    if (!start.from_oldest) return up_to;
    return readers_->run([&](StoreReader& reader) -> StoreResult<ChannelPositions> {
        ChannelPositions positions{};
        for (const Channel channel : execution_channels) {
            auto place = position_before(reader, channel, start.created_at_ms, up_to[index_of(channel)]);
            if (!place) return place.error();
            positions[index_of(channel)] = *place;
        }
        return positions;
    });
}

// Refuses a beginning behind which events are removed, or too many to look through.
Result<void> ExecutionSubscription::check_reach(const ChannelPositions& after, const ChannelPositions& up_to) {
    const auto trimmed = readers_->run([](StoreReader& reader) -> StoreResult<ChannelPositions> {
        ChannelPositions positions{};
        for (const Channel channel : execution_channels) {
            auto nothing = reader.tail(channel, 0, 0, 1);
            if (!nothing) return nothing.error();
            positions[index_of(channel)] = nothing->trimmed;
        }
        return positions;
    });
    if (!trimmed) return trimmed.error();
    ChannelPositions oldest{};
    for (std::size_t i = 0; i < oldest.size(); ++i) {
        oldest[i] = std::max({after[i], (*trimmed)[i], up_to[i] - max_history});
    }
    if (oldest == after) return {};
    return EngineError{.kind = ErrorKind::cursor_expired,
                       .detail = "cursor: what has happened since is removed, or more than " +
                                 std::to_string(max_history) + " events of one channel",
                       .not_active = std::nullopt,
                       .oldest_cursor = cursor_at(oldest)};
}

// ---- deliveries -------------------------------------------------------------------------------------------------

Result<std::optional<Delivery>> ExecutionSubscription::next(std::chrono::milliseconds timeout) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        {
            const std::lock_guard lock(bell_->mutex);
            bell_->rung = false;
        }
        auto taken = take();
        if (!taken || *taken || ended()) return taken;
        std::unique_lock lock(bell_->mutex);
        if (!bell_->changed.wait_until(lock, until, [&] { return bell_->rung; })) return taken;
    }
}

Result<std::optional<Delivery>> ExecutionSubscription::take() {
    while (history_) {
        auto taken = take_from_history();
        if (!taken || *taken) return taken;
    }
    return is_last_ ? std::optional<Delivery>{} : take_from_channels();
}

Result<std::optional<Delivery>> ExecutionSubscription::take_from_history() {
    if (!history_->is_read()) {
        const auto read = readers_->run([&](StoreReader& reader) -> StoreResult<bool> {
            if (auto done = history_->read(reader); !done) return done.error();
            return true;
        });
        if (!read) return read.error();
    }
    auto event = history_->take();
    passed_ = history_->positions();
    if (event) return std::optional<Delivery>(*std::move(event));
    history_.reset();
    return std::optional<Delivery>{};
}

Result<std::optional<Delivery>> ExecutionSubscription::take_from_channels() {
    for (const Channel channel : execution_channels) {
        auto delivery = followed_[index_of(channel)]->next(nothing_to_wait_for);
        if (!delivery) return delivery;
        if (!*delivery) continue;
        const auto* event = std::get_if<Event>(&**delivery);
        if (event == nullptr) return delivery;
        if (channel == Channel::completion) {
            if (auto turned = turn_to_the_end(id_of(*event)); !turned) return turned.error();
            if (is_last_) return take();
        }
        passed_[index_of(channel)] = id_of(*event);
        return delivery;
    }
    return std::optional<Delivery>{};
}

// At a completion: unless it was replayed since, the rest is read from the store, the completion with it.
Result<void> ExecutionSubscription::turn_to_the_end(std::int64_t completion) {
    constexpr bool if_removed_by_retention = true;
    const auto ended = has_ended(if_removed_by_retention);
    if (!ended) return ended.error();
    if (!*ended) return {};
    const auto up_to = drawn();
    if (!up_to) return up_to.error();
    ChannelPositions after = positions();
    after[index_of(Channel::completion)] = completion - 1;
    is_last_ = true;
    history_.emplace(id_, after, *up_to);
    for (auto& followed : followed_) followed.reset();
    return {};
}

void ExecutionSubscription::notify(std::function<void()> ready) {
    {
        const std::lock_guard lock(bell_->mutex);
        bell_->ready = std::move(ready);
    }
    bell_->ring();
}

// Where nothing is waiting a channel's own subscription is ahead, behind what is not about the execution.
ChannelPositions ExecutionSubscription::positions() const {
    ChannelPositions positions = passed_;
    if (history_ || is_last_) return positions;
    if (const auto ahead = reached()) {
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = std::max(positions[i], (*ahead)[i]);
    }
    return positions;
}

}  // namespace flowfabric
