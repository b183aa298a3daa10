#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "server/http/message.hpp"
#include "server/http/problem_body.hpp"

namespace flowfabric::server {

// One request and its answer, between the connection, which waits for something to send, and the responder.
//
// Shared by both; either may go first. Any thread may call it. `wake` is called whenever there is something new for
// the connection, without the mutex.
class Exchange {
  public:
    // `packs`: large answers are compressed, on the thread that gives them.
    Exchange(std::function<void()> wake, bool packs, ProblemForm problems = {})
        : wake_(std::move(wake)), packs_(packs), problems_(std::move(problems)) {}

    // ---- by the responder

    // False: it is not sent, since another answer came first or the client has gone.
    bool respond(Response response);
    void respond_at(const std::stop_token& ending, Response early);
    void begin(Response head);
    std::size_t write(std::string part);
    void when_drained(std::function<void()> ready);
    void end();
    // Sent each time nothing was sent for so long.
    void fill_silence(std::string filler, std::chrono::milliseconds every);

    // ---- by the connection

    std::stop_token gone() const { return gone_.get_token(); }
    // The client will read no more.
    void leave();
    // The client waits no longer: an answer that is owed becomes 504, and what answers in parts is told to end.
    void expire();

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
    // After how long a silence a filler is to be sent, if at all.
    std::optional<std::chrono::milliseconds> patience();
    // What is to be sent after that: a filler, unless something has come. It begins an answer that is still owed; of
    // the response that comes later only the body is sent.
    Next fill();

  private:
    std::function<void()> drained_by_now();
    // ---- under the mutex
    void queue(std::string part);
    std::optional<Next> waiting_next();

    const std::function<void()> wake_;
    const bool packs_;
    const ProblemForm problems_;
    std::stop_source gone_;

    std::mutex mutex_;  // guards everything below
    std::optional<Response> head_;
    std::deque<std::string> parts_;
    std::size_t waiting_ = 0;  // bytes of parts that are not sent
    std::size_t sending_ = 0;  // of them, those that were taken
    std::function<void()> ready_;
    std::string filler_;
    std::optional<std::chrono::milliseconds> patience_;
    bool answered_ = false;
    bool streamed_ = false;
    bool ended_ = false;
    bool left_ = false;

    // The handler's. Destroyed first: it waits for its call, which uses the others.
    std::optional<std::stop_callback<std::function<void()>>> at_end_;
};

}  // namespace flowfabric::server
