#include "server/routes/event_stream.hpp"

#include <utility>

#include "api/problem.hpp"
#include "core/base/hex.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

constexpr std::size_t part_bytes = 65'536;
constexpr std::chrono::seconds long_silence{10};

}  // namespace

EventStream::EventStream(const Setting& setting, std::unique_ptr<MessageSource> messages,
                         std::optional<DurableConsumer> consumer, std::stop_token gone)
    : client_(setting.client),
      pool_(setting.pool),
      consumer_(std::move(consumer)),
      gone_(std::move(gone)),
      draining_(setting.draining),
      accepted_(setting.accepted),
      last_sent_(std::chrono::steady_clock::now()),
      messages_(std::move(messages)) {
    sent_ = acknowledged_ = messages_->cursor();
}

void EventStream::open(const Responder& responder) {
    std::string part = next_part();
    if (told_ == 0 && ending_) {
        responder.respond(failure_ ? response_of(api::problem_of(*failure_)) : Response{.status = 204, .body = ""});
        return close();
    }
    body_ = responder.stream({.status = 200,
                              .body = "",
                              .content_type = "text/event-stream",
                              .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}});
    // The cursor to begin with: a client that is cut off before the first event misses none.
    part.insert(0, "id: " + hex_of(sent_) + "\n\n");
    messages_->notify([self = shared_from_this()] { self->ring(); });
    const std::function<void()> ring_again = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->ring();
    };
    on_gone_.emplace(gone_, ring_again);
    on_draining_.emplace(draining_, ring_again);
    write(std::move(part));
}

bool EventStream::look() {
    if (!accepted_()) {
        expelled_ = true;
        ring();
        return false;
    }
    {
        const std::scoped_lock lock(mutex_);
        if (state_ == State::closed) return false;
        if (state_ == State::sending || std::chrono::steady_clock::now() - last_sent_ < long_silence) return true;
        silent_ = true;
    }
    ring();
    return true;
}

// There is something to send, or a reason to end.
void EventStream::ring() {
    {
        const std::scoped_lock lock(mutex_);
        rung_ = true;
        if (state_ != State::idle) return;
        state_ = State::sending;
    }
    pool_.post([self = shared_from_this()] { self->send(); });
}

void EventStream::send() {
    for (;;) {
        bool silent = false;
        {
            const std::scoped_lock lock(mutex_);
            rung_ = false;
            silent = std::exchange(silent_, false);
            if (refusal_) failure_ = *refusal_;
        }
        if (is_over()) return close();
        acknowledge();
        std::string part = failure_ ? end_by(*failure_) : next_part();
        if (part.empty() && silent) part = ":\nid: " + hex_of(messages_->cursor()) + "\n\n";
        if (!part.empty()) return write(std::move(part));
        const std::scoped_lock lock(mutex_);
        if (rung_) continue;
        state_ = State::idle;
        return;
    }
}

std::string EventStream::next_part() {
    std::string part;
    while (part.size() < part_bytes) {
        const auto message = messages_->next();
        if (!message) return part + end_by(message.error());
        if (*message) {
            ++told_;
            part += **message;
            continue;
        }
        if (messages_->ended()) {
            ending_ = true;
            part += sse_message("end", std::nullopt, boost::json::object{});
        }
        break;
    }
    return part;
}

std::string EventStream::end_by(const EngineError& error) {
    failure_ = error;
    ending_ = true;
    return sse_message("problem", std::nullopt, api::to_json(api::problem_of(error)));
}

// The next part follows when the client's connection has taken this one.
void EventStream::write(std::string part) {
    written_ = messages_->cursor();
    body_->write(std::move(part));
    body_->when_drained([self = shared_from_this()] { self->pool_.post([self] { self->on_sent(); }); });
}

void EventStream::on_sent() {
    if (!gone_.stop_requested()) {
        sent_ = written_;
        {
            const std::scoped_lock lock(mutex_);
            last_sent_ = std::chrono::steady_clock::now();
        }
    }
    send();
}

// One at a time; what is sent meanwhile goes with the next.
void EventStream::acknowledge() {
    if (!consumer_) return;
    {
        const std::scoped_lock lock(mutex_);
        if (acknowledging_ || acknowledged_ == sent_) return;
        acknowledging_ = true;
        acknowledged_ = sent_;
    }
    client_.submit<AcknowledgeEvents>(
        {.channel = consumer_->channel, .consumer = consumer_->name, .cursor = sent_},
        [self = shared_from_this()](const Result<ConsumerPosition>& position) { self->on_acknowledged(position); });
}

void EventStream::on_acknowledged(const Result<ConsumerPosition>& position) {
    {
        const std::scoped_lock lock(mutex_);
        acknowledging_ = false;
        if (!position) {
            acknowledged_.clear();
            // Any other failure may pass: the next part that is sent tries again.
            if (position.error().kind != ErrorKind::consumer_not_found) return;
            refusal_ = position.error();
        }
    }
    ring();
}

void EventStream::close() {
    {
        const std::scoped_lock lock(mutex_);
        state_ = State::closed;
    }
    messages_.reset();
    if (body_) body_->end();
}

}  // namespace flowfabric::server
