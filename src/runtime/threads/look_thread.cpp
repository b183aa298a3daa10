#include "runtime/threads/look_thread.hpp"

#include <algorithm>
#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric {
namespace {

void end_look(const LookThread::Look& look, const EngineError& error) {
    contain("an answer was lost", [&] { look(&error); });
}

// A look that breaks is ended, so that its command gets an answer.
std::optional<std::chrono::milliseconds> take_turn(const LookThread::Look& look) {
    std::optional<std::chrono::milliseconds> pause;
    if (contain("a look at the store broke", [&] { pause = look(nullptr); })) return pause;
    end_look(look, {.kind = ErrorKind::internal, .detail = "a look at the store broke unexpectedly"});
    return std::nullopt;
}

void end_with_engine(const LookThread::Look& look) {
    end_look(look, {.kind = ErrorKind::unavailable, .detail = "the engine is stopping"});
}

}  // namespace

void LookThread::add(Look look) {
    std::unique_lock lock(mutex_);
    if (stopping_) {
        lock.unlock();
        return end_with_engine(look);
    }
    waiting_.push_back({std::move(look), Clock::now()});
    changed_.notify_all();
}

void LookThread::wake() {
    const std::lock_guard lock(mutex_);
    ++wakes_;
    for (Waiting& waiting : waiting_) waiting.due = Clock::now();
    changed_.notify_all();
}

void LookThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    for (const Waiting& waiting : std::exchange(waiting_, {})) end_with_engine(waiting.look);
}

void LookThread::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const auto next = std::ranges::min_element(waiting_, {}, &Waiting::due);
        if (next == waiting_.end()) {
            changed_.wait(lock);
            continue;
        }
        if (next->due > Clock::now()) {
            changed_.wait_until(lock, Clock::time_point(next->due));
            continue;
        }
        Waiting taken = std::move(*next);
        waiting_.erase(next);
        const std::uint64_t wakes = wakes_;
        lock.unlock();
        const auto pause = take_turn(taken.look);
        lock.lock();
        if (!pause) continue;
        // One that was woken during its turn may have looked too early.
        taken.due = wakes == wakes_ ? Clock::now() + *pause : Clock::now();
        waiting_.push_back(std::move(taken));
    }
}

}  // namespace flowfabric
