#include "runtime/subscription.hpp"

#include <algorithm>
#include <utility>

#include "core/events/consumer.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric {

bool Mailbox::offer(const std::shared_ptr<const Event>& event) {
    const std::lock_guard lock(mutex_);
    if (events_ >= capacity_) {
        was_full_ = true;
        return false;
    }
    items_.emplace_back(event);
    ++events_;
    untold_ = true;
    return true;
}

// Room means half empty, so that catching up reads pages rather than single events. A refusal is followed by room_().
bool Mailbox::has_room() {
    const std::lock_guard lock(mutex_);
    const bool room = events_ <= capacity_ / 2;
    was_full_ = was_full_ || !room;
    return room;
}

// Wakes the consumer once for all that was offered: a wake-up per event costs more than the event.
void Mailbox::reached(std::int64_t event_id) {
    {
        const std::lock_guard lock(mutex_);
        reached_ = event_id;
        if (events_ == 0) taken_ = event_id;
        if (!std::exchange(untold_, false)) return;
    }
    tell_ready();
}

void Mailbox::expired(std::int64_t position, std::int64_t trimmed) {
    end(cursor_expired(position, trimmed));
}

std::int64_t Mailbox::position() const {
    const std::lock_guard lock(mutex_);
    return events_ == 0 ? std::max(reached_, taken_) : taken_;
}

void Mailbox::disconnected(StreamDisconnected notice) {
    {
        const std::lock_guard lock(mutex_);
        items_.emplace_back(std::move(notice));
    }
    tell_ready();
}

void Mailbox::end(EngineError reason) {
    {
        const std::lock_guard lock(mutex_);
        ended_ = std::move(reason);
    }
    tell_ready();
}

void Mailbox::tell_ready() {
    arrived_.notify_one();
    std::function<void()> ready;
    {
        const std::lock_guard lock(mutex_);
        ready = ready_;
    }
    if (ready) contain("a subscription's wake-up threw", ready);
}

Result<std::optional<Delivery>> Mailbox::next(std::chrono::milliseconds timeout) {
    Item item;
    bool room = false;
    {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, timeout, [&] { return !items_.empty() || ended_; });
        if (items_.empty()) {
            if (ended_) return *ended_;
            return std::optional<Delivery>{};
        }
        item = std::move(items_.front());
        items_.pop_front();
        if (const auto* event = std::get_if<std::shared_ptr<const Event>>(&item)) {
            --events_;
            taken_ = id_of(**event);
        }
        room = was_full_ && events_ <= capacity_ / 2;
        if (room) was_full_ = false;
    }
    if (room) room_();
    if (auto* notice = std::get_if<StreamDisconnected>(&item)) return std::optional<Delivery>(std::move(*notice));
    return std::optional<Delivery>(*std::get<std::shared_ptr<const Event>>(item));
}

void Mailbox::notify(std::function<void()> ready) {
    bool something = false;
    {
        const std::lock_guard lock(mutex_);
        ready_ = std::move(ready);
        something = !items_.empty() || ended_;
    }
    if (something) tell_ready();
}

void Mailbox::close() {
    notify(nullptr);
    closed_ = true;
    room_();
}

}  // namespace flowfabric
