#pragma once

#include <list>
#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "server/http/exchange.hpp"
#include "server/http/http_server.hpp"

namespace flowfabric::server {

// One client, from its first request to its last. All of it runs on the server's I/O thread.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    // Connections that wait for a request, the longest first: the server closes them in this order when it needs room.
    using Waiting = std::list<Connection*>;

    // Answers may come when the server has gone: they keep `io`, which then runs nothing any more.
    Connection(std::shared_ptr<boost::asio::io_context> io, boost::asio::ip::tcp::socket socket,
               const HttpOptions& options, const Handler& handler, Waiting& waiting);

    boost::asio::awaitable<void> serve();
    // Refuses the client for want of room.
    boost::asio::awaitable<void> turn_away();
    // Ends serve().
    void close();

  private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    // How an answer is framed.
    struct Framing {
        unsigned version = 11;
        bool keep_alive = false;
        bool head = false;  // the client wants no body
    };

    boost::asio::awaitable<bool> read_request(Parser& parser);
    boost::asio::awaitable<bool> answer(Exchange& exchange, Framing framing);
    boost::asio::awaitable<bool> send_whole(Response response, Framing framing);
    boost::asio::awaitable<bool> send_head(Response head, Framing framing);
    boost::asio::awaitable<bool> send_part(const std::string& part, bool last, Framing framing);
    // What the exchange has to send, as soon as it has something; nothing if the client goes away before.
    boost::asio::awaitable<std::optional<Exchange::Next>> next_of(Exchange& exchange);
    boost::asio::awaitable<void> wait_until_woken();
    boost::asio::awaitable<void> wait_until_gone();
    std::shared_ptr<Exchange> call_handler(boost::beast::http::request<boost::beast::http::string_body> message);
    void stop_waiting();

    const std::shared_ptr<boost::asio::io_context> io_;
    boost::beast::tcp_stream stream_;
    const HttpOptions& options_;
    const Handler& handler_;
    Waiting& waiting_;
    std::optional<Waiting::iterator> place_;  // among those that wait for a request
    boost::beast::flat_buffer buffer_;
    boost::asio::steady_timer woken_;
    bool news_ = false;  // the exchange has called since it was last looked at
    bool closed_ = false;
};

}  // namespace flowfabric::server
