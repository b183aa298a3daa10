#include "server/http/exchange.hpp"

#include <utility>

namespace flowfabric::server {

void Exchange::respond(Response response) {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(answered_, true)) return;
        head_ = std::move(response);
        ended_ = true;
    }
    wake_();
}

void Exchange::begin(Response head) {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(answered_, true)) return;
        streamed_ = true;
        if (!head.body.empty()) {
            waiting_ += head.body.size();
            parts_.push_back(std::exchange(head.body, {}));
        }
        head_ = std::move(head);
    }
    wake_();
}

std::size_t Exchange::write(std::string part) {
    std::size_t waiting = 0;
    {
        const std::scoped_lock lock(mutex_);
        if (left_ || ended_) return 0;
        waiting = waiting_ += part.size();
        // An empty chunk would end the body.
        if (!part.empty()) parts_.push_back(std::move(part));
    }
    wake_();
    return waiting;
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

std::optional<Exchange::Next> Exchange::take() {
    const std::scoped_lock lock(mutex_);
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
