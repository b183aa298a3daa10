#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "server/http/body_room.hpp"
#include "server/http/exchange.hpp"
#include "server/http/http_server.hpp"
#include "server/http/sender.hpp"
#include "server/http/wire.hpp"

namespace flowfabric::server {

// One client, from its first request to its last. All of it runs on the server's I/O thread.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    // Connections that wait for a request, the longest first: the server closes them in this order when it needs room.
    using Waiting = std::list<Connection*>;

    // What all connections of a server share; it outlives them, but for `io`: answers may come when the server has
    // gone, and keep `io`, which then runs nothing any more.
    struct Shared {
        std::shared_ptr<boost::asio::io_context> io;
        HttpOptions options;
        Service service;
        std::unique_ptr<boost::asio::ssl::context> tls = {};
        BodyRoom room{options.max_body_bytes};
        Waiting waiting = {};
        std::stop_source ending = {};
        std::size_t under_way = 0;           // requests, but for those of open routes
        std::function<void()> on_idle = {};  // called when none is under way any more
    };

    Connection(Shared& shared, boost::asio::ip::tcp::socket socket);

    boost::asio::awaitable<void> serve();
    // Refuses the client for want of room.
    boost::asio::awaitable<void> turn_away();
    // Ends serve().
    void close();
    // Ends it unless a request is arriving.
    void close_if_idle();

  private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    // Whether another request may follow.
    boost::asio::awaitable<bool> serve_one();
    boost::asio::awaitable<bool> serve_head(Parser& parser, Served& served);
    boost::asio::awaitable<bool> serve_body(Parser& parser, const RouteInfo& route, Request request, Framing framing);
    boost::asio::awaitable<bool> read_head(Parser& parser);
    boost::asio::awaitable<bool> read_body(Parser& parser, const RouteInfo& route, Framing framing,
                                           BodyRoom::Share& share);
    boost::asio::awaitable<bool> refuse(Response refused, bool whole, Framing framing);
    // Why the request is answered without its body.
    std::optional<Response> refusal_by_head(Request& head, const RouteInfo* route, const Parser& parser) const;
    std::shared_ptr<Exchange> call_handler(const RouteInfo& route, Request request);
    // `deadline`: when the exchange expires.
    boost::asio::awaitable<bool> answer(Exchange& exchange, boost::asio::steady_timer::time_point deadline,
                                        const Framing& framing);
    // What the exchange has to send, as soon as it has something; nothing if the client goes away before.
    boost::asio::awaitable<std::optional<Exchange::Next>> next_of(Exchange& exchange,
                                                                  boost::asio::steady_timer::time_point& deadline);
    boost::asio::awaitable<void> wait_until_woken();
    boost::asio::awaitable<void> wait_until_gone();
    // Ends the connection so that the client gets to read what was sent, although it may still be sending.
    boost::asio::awaitable<void> part();
    void stop_waiting();
    void tell(Served served) const;

    Shared& shared_;
    Wire wire_;
    Sender sender_;
    std::optional<Waiting::iterator> place_;  // among those that wait for a request
    // More than any head. The parser sets no limit to the line of a chunk or to a trailer that does not end.
    boost::beast::flat_buffer buffer_;
    boost::asio::steady_timer woken_;
    bool news_ = false;    // the exchange has called since it was last looked at
    bool unread_ = false;  // the client may be sending what is not going to be read
    bool closed_ = false;
};

}  // namespace flowfabric::server
