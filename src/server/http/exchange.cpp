#include "server/http/exchange.hpp"

#include <utility>

#include "server/http/compression.hpp"
#include "server/http/refusal.hpp"

namespace flowfabric::server {

bool Exchange::respond(Response response) {
    write_problem(response, problems_);
    // Of an answer that a filler has begun the head may be gone already.
    if (packs_ && !patience()) compress(response);
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(answered_, true) || left_) return false;
        if (streamed_) {
            queue(std::move(response.body));
        } else {
            head_ = std::move(response);
        }
        ended_ = true;
    }
    wake_();
    return true;
}

void Exchange::respond_at(const std::stop_token& ending, Response early) {
    at_end_.emplace(ending, [this, early = std::move(early)] { respond(early); });
}

void Exchange::begin(Response head) {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(answered_, true)) return;
        queue(std::exchange(head.body, {}));
        if (!std::exchange(streamed_, true)) head_ = std::move(head);
    }
    wake_();
}

std::size_t Exchange::write(std::string part) {
    std::size_t waiting = 0;
    {
        const std::scoped_lock lock(mutex_);
        if (left_ || ended_) return 0;
        queue(std::move(part));
        waiting = waiting_;
    }
    wake_();
    return waiting;
}

// An empty chunk would end the body.
void Exchange::queue(std::string part) {
    if (part.empty()) return;
    waiting_ += part.size();
    parts_.push_back(std::move(part));
}

void Exchange::fill_silence(std::string filler, std::chrono::milliseconds every) {
    {
        const std::scoped_lock lock(mutex_);
        filler_ = std::move(filler);
        patience_ = every;
    }
    wake_();
}

std::optional<std::chrono::milliseconds> Exchange::patience() {
    const std::scoped_lock lock(mutex_);
    return patience_;
}

Exchange::Next Exchange::fill() {
    const std::scoped_lock lock(mutex_);
    if (auto next = waiting_next()) return *std::move(next);
    Next next{.head = std::nullopt, .part = filler_, .streamed = true};
    if (!std::exchange(streamed_, true)) next.head = Response{};
    return next;
}

void Exchange::when_drained(std::function<void()> ready) {
    {
        const std::scoped_lock lock(mutex_);
        ready_ = std::move(ready);
    }
    if (const auto now = drained_by_now()) now();
}

// The callback, if it is time for it.
std::function<void()> Exchange::drained_by_now() {
    const std::scoped_lock lock(mutex_);
    return waiting_ == 0 || left_ ? std::exchange(ready_, {}) : std::function<void()>{};
}

void Exchange::end() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    wake_();
}

void Exchange::leave() {
    {
        const std::scoped_lock lock(mutex_);
        left_ = true;
        parts_.clear();
    }
    gone_.request_stop();
    if (const auto ready = drained_by_now()) ready();
}

void Exchange::expire() {
    respond(deadline_passed("what was asked for may have happened"));
    gone_.request_stop();
}

std::optional<Exchange::Next> Exchange::take() {
    const std::scoped_lock lock(mutex_);
    return waiting_next();
}

std::optional<Exchange::Next> Exchange::waiting_next() {
    if (!head_ && parts_.empty() && !(streamed_ && ended_)) return std::nullopt;
    Next next{.head = std::exchange(head_, std::nullopt), .streamed = streamed_};
    if (!parts_.empty()) {
        next.part = std::move(parts_.front());
        parts_.pop_front();
        sending_ = next.part.size();
    }
    next.ended = ended_ && parts_.empty();
    return next;
}

void Exchange::sent() {
    {
        const std::scoped_lock lock(mutex_);
        waiting_ -= std::exchange(sending_, 0);
    }
    if (const auto ready = drained_by_now()) ready();
}

}  // namespace flowfabric::server
