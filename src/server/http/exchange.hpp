#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "server/http/message.hpp"

namespace flowfabric::server {

// One request and its answer, between the connection, which waits for something to send, and the responder.
//
// Shared by both; either may go first. Any thread may call it. `wake` is called whenever there is something new for
// the connection, without the mutex.
class Exchange {
  public:
    explicit Exchange(std::function<void()> wake) : wake_(std::move(wake)) {}

    // ---- by the responder

    void respond(Response response);
    void begin(Response head);
    std::size_t write(std::string part);
    void when_drained(std::function<void()> ready);
    void end();

    // ---- by the connection

    std::stop_token gone() const { return gone_.get_token(); }
    // The client will read no more.
    void leave();

    struct Next {
        std::optional<Response> head;
        std::string part;
        bool streamed = false;  // the body comes in parts
        bool ended = false;     // and this is the last of it
    };
    // What is to be sent next; nothing while there is none.
    std::optional<Next> take();
    // What was taken has been sent.
    void sent();

  private:
    std::function<void()> drained_by_now();

    const std::function<void()> wake_;
    std::stop_source gone_;

    std::mutex mutex_;  // guards everything below
    std::optional<Response> head_;
    std::deque<std::string> parts_;
    std::size_t waiting_ = 0;  // bytes of parts that are not sent
    std::size_t sending_ = 0;  // of them, those that were taken
    std::function<void()> ready_;
    bool answered_ = false;
    bool streamed_ = false;
    bool ended_ = false;
    bool left_ = false;
};

}  // namespace flowfabric::server
