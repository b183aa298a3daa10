#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "flowfabric/subscription.hpp"
#include "remote/connection.hpp"
#include "remote/sse_parser.hpp"
#include "remote/transport.hpp"

namespace flowfabric::remote {

// What a server sends of one channel, and its way to the subscriber.
//
// Threads: follow() and close() run on the thread of the I/O, everything else on any.
// When the connection is lost the subscriber is told, and the feed goes on behind the last event that came.
class EventFeed {
  public:
    EventFeed(boost::asio::io_context& io, const Transport& transport, Channel channel,
              const SubscribeOptions& options);

    boost::asio::awaitable<void> follow();
    void close();

    // Waits until the server follows the channel, or has refused to.
    Result<void> await_open();
    Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout);
    void notify(std::function<void()> ready);
    Bytes cursor() const;

  private:
    boost::asio::awaitable<std::optional<EngineError>> follow_once(Connection& connection);
    boost::asio::awaitable<std::optional<EngineError>> read_events(Connection& connection, Connection::Parser& parser);
    boost::asio::awaitable<void> rest(std::chrono::milliseconds time);
    void take(const SseMessage& message);
    // Everything up to there has come, or was not asked for.
    void pass(const std::string& id);
    void put(Delivery delivery);
    void set_open();
    void end(EngineError error);

    const Transport& transport_;
    const Channel channel_;
    const std::size_t buffer_;
    const std::string target_;
    Connection connection_;
    boost::asio::steady_timer timer_;
    std::string last_id_;
    bool closed_ = false;

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool open_ = false;
    std::optional<EngineError> ended_;
    std::deque<Delivery> deliveries_;
    Bytes cursor_;
    std::function<void()> ready_;
};

}  // namespace flowfabric::remote
