#include "server/http/responder.hpp"

#include <utility>

#include "server/http/exchange.hpp"
#include "server/http/refusal.hpp"

namespace flowfabric::server {

class BodyStream::Open {
  public:
    explicit Open(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    ~Open() { exchange_->end(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    Exchange& exchange() { return *exchange_; }

  private:
    const std::shared_ptr<Exchange> exchange_;
};

BodyStream::BodyStream(std::shared_ptr<Exchange> exchange) : open_(std::make_shared<Open>(std::move(exchange))) {}

std::size_t BodyStream::write(std::string part) {
    return open_->exchange().write(std::move(part));
}

void BodyStream::when_drained(std::function<void()> ready) {
    open_->exchange().when_drained(std::move(ready));
}

void BodyStream::end() {
    open_->exchange().end();
}

class Responder::Pending {
  public:
    explicit Pending(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    // Does nothing once there is an answer.
    ~Pending() { exchange_->respond(refusal(500, "internal")); }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;

    const std::shared_ptr<Exchange>& exchange() const { return exchange_; }

  private:
    const std::shared_ptr<Exchange> exchange_;
};

Responder::Responder(std::shared_ptr<Exchange> exchange) : pending_(std::make_shared<Pending>(std::move(exchange))) {}

void Responder::respond(Response response) const {
    try_respond(std::move(response));
}

bool Responder::try_respond(Response response) const {
    return pending_->exchange()->respond(std::move(response));
}

void Responder::respond_at(const std::stop_token& ending, Response early) const {
    pending_->exchange()->respond_at(ending, std::move(early));
}

BodyStream Responder::stream(Response head) const {
    pending_->exchange()->begin(std::move(head));
    return BodyStream(pending_->exchange());
}

void Responder::fill_silence(std::string filler, std::chrono::milliseconds every) const {
    pending_->exchange()->fill_silence(std::move(filler), every);
}

}  // namespace flowfabric::server
