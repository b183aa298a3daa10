#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "flowfabric/client.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/responder.hpp"
#include "server/routes/message_source.hpp"

namespace flowfabric::server {

// A durable consumer, whose position follows what is sent.
struct DurableConsumer {
    Channel channel = Channel::completion;
    std::string name;
};

// Sends what a source brings as Server-Sent Events, until it ends or the client goes.
//
// Threads: any may call; a job of the pool sends, one at a time. At most one part is on its way to the client; what
// comes meanwhile stays with the source, which is bounded.
class EventStream : public std::enable_shared_from_this<EventStream> {
  public:
    struct Setting {
        Client& client;
        BlockingPool& pool;
        std::stop_token draining = {};                         // stop is requested when the server begins to end
        std::function<bool()> accepted = [] { return true; };  // whether its caller is let in
    };

    EventStream(const Setting& setting, std::unique_ptr<MessageSource> messages,
                std::optional<DurableConsumer> consumer, std::stop_token gone);

    // Answers, on the calling thread: with 204 if the source has ended and has nothing more, so that a browser
    // does not come back.
    void open(const Responder& responder);
    // Ends a stream whose caller is no longer let in. Says something to a client that has heard nothing for a while:
    // proxies keep the connection, and the client learns a later cursor. Returns false once the stream is over.
    bool look();

  private:
    enum class State : std::uint8_t { idle, sending, closed };

    void ring();
    bool is_over() const { return gone_.stop_requested() || draining_.stop_requested() || expelled_ || ending_; }
    void send();
    std::string next_part();
    std::string end_by(const EngineError& error);
    void write(std::string part);
    void on_sent();
    void acknowledge();
    void on_acknowledged(const Result<ConsumerPosition>& position);
    void close();

    Client& client_;
    BlockingPool& pool_;
    const std::optional<DurableConsumer> consumer_;
    const std::stop_token gone_;
    const std::stop_token draining_;
    const std::function<bool()> accepted_;
    std::atomic<bool> expelled_ = false;

    std::mutex mutex_;  // guards what follows, up to the blank line
    State state_ = State::sending;
    bool rung_ = false;
    bool silent_ = false;
    bool acknowledging_ = false;
    Bytes acknowledged_;                  // as far as the store was told
    std::optional<EngineError> refusal_;  // of an acknowledgement
    std::chrono::steady_clock::time_point last_sent_;

    // Of the job alone.
    std::unique_ptr<MessageSource> messages_;
    std::optional<BodyStream> body_;
    std::size_t told_ = 0;  // messages
    Bytes written_, sent_;  // the positions behind what was handed to the connection, and behind what that has sent
    std::optional<EngineError> failure_;
    bool ending_ = false;
    std::optional<std::stop_callback<std::function<void()>>> on_gone_, on_draining_;
};

}  // namespace flowfabric::server
