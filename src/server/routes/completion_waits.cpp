#include "server/routes/completion_waits.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "runtime/threads/guard.hpp"

namespace flowfabric::server {
namespace {

// How long the subscription is kept for the next request.
constexpr std::chrono::seconds unused_for{10};

}  // namespace

CompletionWaits::CompletionWaits(Subscribe subscribe) : subscribe_(std::move(subscribe)) {
    thread_ = std::thread([this] { run(); });
}

CompletionWaits::~CompletionWaits() {
    {
        const std::lock_guard lock(signal_->mutex);
        stopping_ = true;
        signal_->changed.notify_all();
    }
    thread_.join();
}

void CompletionWaits::wait(const ExecutionId& id, Clock::time_point until, const std::stop_token& gone, Look look) {
    const auto waiter = std::make_shared<Waiter>(Waiter{.id = id, .until = until, .look = std::move(look)});
    bool look_now = false;
    {
        const std::lock_guard lock(signal_->mutex);
        waiters_.emplace(id, waiter);
        deadlines_.emplace(until, waiter);
        look_now = following_;  // else the thread does when it follows
        signal_->changed.notify_all();
    }
    if (look_now) look_for({waiter}, false);
    const auto leave = [this, left = std::weak_ptr(waiter)] {
        if (const auto still_there = left.lock()) look_for({still_there}, true);
    };
    auto on_gone = std::make_shared<std::stop_callback<std::function<void()>>>(gone, leave);
    const std::lock_guard lock(signal_->mutex);
    waiter->on_gone = std::move(on_gone);
}

void CompletionWaits::run() {
    std::unique_lock lock(signal_->mutex);
    while (!stopping_) {
        const bool wanted = !waiters_.empty() || Clock::now() < unused_since_ + unused_for;
        const Waiters late = due();
        if (late.empty() && wanted == following_ && !signal_->raised) {
            signal_->changed.wait_until(lock, next_turn());
            continue;
        }
        const bool follows = following_;
        const bool raised = std::exchange(signal_->raised, false);
        lock.unlock();
        look_for(late, true);
        contain("waiting for executions to end broke", [&] {
            if (wanted && !follows) open();
            if (!wanted && follows) close();
            if (raised && follows) read();
        });
        lock.lock();
    }
}

// A subscription begins now: what has ended before is found by looking.
void CompletionWaits::open() {
    auto opened = subscribe_();
    if (opened) {
        subscription_ = *std::move(opened);
        subscription_->notify([signal = signal_] {
            const std::lock_guard lock(signal->mutex);
            signal->raised = true;
            signal->changed.notify_all();
        });
    }
    Waiters waiters;
    {
        const std::lock_guard lock(signal_->mutex);
        following_ = subscription_ != nullptr;
        waiters = all();
        if (!following_) {
            waiters_.clear();
            deadlines_.clear();
            unused_since_ = {};
        }
    }
    look_for(waiters, subscription_ == nullptr);
}

void CompletionWaits::close() {
    subscription_.reset();
    const std::lock_guard lock(signal_->mutex);
    following_ = false;
}

void CompletionWaits::read() {
    while (true) {
        const auto next = subscription_->next(std::chrono::milliseconds(0));
        if (!next) return close();  // whoever waits is followed anew
        if (!*next) return;
        const auto* event = std::get_if<Event>(&**next);
        const auto* completion = event == nullptr ? nullptr : std::get_if<CompletionEvent>(event);
        if (completion == nullptr) continue;
        Waiters waiters;
        {
            const std::lock_guard lock(signal_->mutex);
            const auto [first, last] = waiters_.equal_range(completion->execution_id);
            for (auto at = first; at != last; ++at) waiters.push_back(at->second);
        }
        look_for(waiters, false);
    }
}

auto CompletionWaits::due() -> Waiters {
    Waiters waiters;
    while (!deadlines_.empty() && deadlines_.begin()->first <= Clock::now()) {
        waiters.push_back(deadlines_.begin()->second);
        deadlines_.erase(deadlines_.begin());
    }
    return waiters;
}

auto CompletionWaits::all() -> Waiters {
    Waiters waiters;
    for (const auto& [id, waiter] : waiters_) waiters.push_back(waiter);
    return waiters;
}

CompletionWaits::Clock::time_point CompletionWaits::next_turn() const {
    if (!deadlines_.empty()) return deadlines_.begin()->first;
    constexpr std::chrono::hours long_time{24};
    return following_ && waiters_.empty() ? unused_since_ + unused_for : Clock::now() + long_time;
}

void CompletionWaits::look_for(const Waiters& waiters, bool last) {
    for (const auto& waiter : waiters) {
        {
            const std::lock_guard lock(signal_->mutex);
            waiter->last = waiter->last || last;
            waiter->again = waiter->looking;
            if (std::exchange(waiter->looking, true)) continue;
        }
        waiter->look(waiter->last, [weak = weak_from_this(), waiter](bool answered) {
            if (const auto self = weak.lock()) self->end_look(waiter, answered);
        });
    }
}

void CompletionWaits::end_look(const std::shared_ptr<Waiter>& waiter, bool answered) {
    bool again = false;
    {
        const std::lock_guard lock(signal_->mutex);
        waiter->looking = false;
        again = std::exchange(waiter->again, false) && !answered;
        if (answered) forget(waiter);
    }
    if (again) look_for({waiter}, false);
}

void CompletionWaits::forget(const std::shared_ptr<Waiter>& waiter) {
    deadlines_.erase({waiter->until, waiter});
    const auto [first, last] = waiters_.equal_range(waiter->id);
    const auto at = std::find_if(first, last, [&](const auto& entry) { return entry.second == waiter; });
    if (at == last) return;
    waiters_.erase(at);
    if (!waiters_.empty()) return;
    unused_since_ = Clock::now();
    signal_->changed.notify_all();
}

}  // namespace flowfabric::server
