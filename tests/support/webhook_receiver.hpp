#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_server.hpp"

namespace flowfabric::test {

// An address that events are sent to, or anything else by POST. It takes them, unless it is told otherwise.
class WebhookReceiver {
  public:
    // On a free port, unless it is to be a certain one.
    explicit WebhookReceiver(std::string_view path = "/hooks", std::uint16_t port = 0) {
        server::Router router;
        router.add("POST", path,
                   [this](server::Request request, const server::Responder& responder) {
                       const std::scoped_lock lock(mutex_);
                       requests_.push_back(std::move(request));
                       unsigned status = 200;
                       if (!answers_.empty()) {
                           status = answers_.front();
                           answers_.pop_front();
                       }
                       responder.respond({.status = status, .body = ""});
                       arrived_.notify_all();
                   },
                   {.body_limit = 1'000'000});
        auto started = server::HttpServer::start({.port = port}, {.router = std::move(router)});
        if (!started) throw std::runtime_error(to_string(started.error()));
        server_ = *std::move(started);
    }

    std::uint16_t port() const { return server_->port(); }
    std::string url(const std::string& target) const { return "http://127.0.0.1:" + std::to_string(port()) + target; }
    // The statuses of the next answers.
    void answer_with(std::deque<unsigned> statuses) {
        const std::scoped_lock lock(mutex_);
        answers_ = std::move(statuses);
    }
    server::Request next() {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, std::chrono::seconds(60), [&] { return !requests_.empty(); })) {
            throw std::runtime_error("no event arrives");
        }
        auto request = std::move(requests_.front());
        requests_.pop_front();
        return request;
    }

  private:
    std::mutex mutex_;  // guards everything below but the server
    std::condition_variable arrived_;
    std::deque<server::Request> requests_;
    std::deque<unsigned> answers_;
    std::unique_ptr<server::HttpServer> server_;
};

}  // namespace flowfabric::test
