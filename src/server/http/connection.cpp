#include "server/http/connection.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <tuple>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "runtime/threads/guard.hpp"
#include "server/http/target.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

template <class Body>
http::response<Body> message_of(const Response& response, unsigned version, bool keep_alive) {
    http::response<Body> message{http::int_to_status(response.status), version};
    message.set(http::field::server, "FlowFabric/" FF_VERSION);
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.keep_alive(keep_alive);
    return message;
}

// What a request that cannot be read is answered with; nothing when the connection itself is to blame.
std::optional<Response> refusal_of(const beast::error_code& error) {
    if (error == http::error::body_limit) return Response{413, R"({"error":"payload_too_large"})"};
    if (error == http::error::header_limit) return Response{431, R"({"error":"headers_too_large"})"};
    const bool disconnected = error == http::error::end_of_stream || error == http::error::partial_message;
    if (error.category() == http::make_error_code(http::error::bad_method).category() && !disconnected) {
        return Response{400, R"({"error":"bad_request"})"};
    }
    return std::nullopt;
}

}  // namespace

Connection::Connection(std::shared_ptr<asio::io_context> io, tcp::socket socket, const HttpOptions& options,
                       const Handler& handler, Waiting& waiting)
    : io_(std::move(io)),
      stream_(std::move(socket)),
      options_(options),
      handler_(handler),
      waiting_(waiting),
      woken_(stream_.get_executor(), asio::steady_timer::time_point::max()) {}

void Connection::close() {
    closed_ = true;
    stop_waiting();
    stream_.close();
    woken_.cancel();
}

void Connection::stop_waiting() {
    if (place_) waiting_.erase(*place_);
    place_.reset();
}

asio::awaitable<void> Connection::turn_away() {
    stream_.expires_after(std::chrono::seconds(1));
    co_await send_whole({503, R"({"error":"too_many_connections"})"}, {});
    beast::error_code error;
    std::ignore = stream_.socket().shutdown(tcp::socket::shutdown_send, error);
}

asio::awaitable<void> Connection::serve() {
    for (bool goes_on = true; goes_on;) {
        Parser parser;
        parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
        parser.body_limit(options_.max_body_bytes);
        if (!co_await read_request(parser)) break;
        const Framing framing{.version = parser.get().version(),
                              .keep_alive = parser.get().keep_alive(),
                              .head = parser.get().method() == http::verb::head};
        const auto exchange = call_handler(parser.release());
        const bool sent = co_await answer(*exchange, framing);
        exchange->leave();
        goes_on = sent && framing.keep_alive;
    }
    beast::error_code error;
    std::ignore = stream_.socket().shutdown(tcp::socket::shutdown_send, error);
}

asio::awaitable<bool> Connection::read_request(Parser& parser) {
    beast::error_code error;
    stream_.expires_after(options_.timeout);
    place_ = waiting_.insert(waiting_.end(), this);
    co_await http::async_read(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    stop_waiting();
    if (closed_) co_return false;
    if (!error) co_return true;
    if (auto refusal = refusal_of(error)) {
        co_await send_whole(*std::move(refusal), {.version = parser.get().version()});
    }
    co_return false;
}

std::shared_ptr<Exchange> Connection::call_handler(http::request<http::string_body> message) {
    // The connection may be gone when the answer comes.
    const auto wake = [self = weak_from_this(), io = io_] {
        asio::post(*io, [self] {
            const auto connection = self.lock();
            if (!connection) return;
            connection->news_ = true;
            connection->woken_.cancel();
        });
    };
    auto exchange = std::make_shared<Exchange>(wake);
    const Responder responder(exchange);
    auto target = parse_target(message.target());
    if (!target) {
        responder.respond({400, R"({"error":"bad_request"})"});
        return exchange;
    }
    Request request{.method = std::string(message.method_string()),
                    .path = std::move(target->path),
                    .places = {},
                    .query = std::move(target->query),
                    .headers = {},
                    .body = std::move(message.body()),
                    .gone = exchange->gone()};
    for (const auto& field : message) request.headers.add(std::string(field.name_string()), std::string(field.value()));
    contain("a handler of requests broke", [&] { handler_(std::move(request), responder); });
    return exchange;
}

asio::awaitable<bool> Connection::answer(Exchange& exchange, Framing framing) {
    for (;;) {
        auto next = co_await next_of(exchange);
        if (!next) co_return false;
        if (next->head) {
            if (!next->streamed) co_return co_await send_whole(*std::move(next->head), framing);
            if (!co_await send_head(*std::move(next->head), framing)) co_return false;
        }
        const bool sent = framing.head || co_await send_part(next->part, next->ended, framing);
        exchange.sent();
        // Without chunks only the end of the connection ends the body.
        if (!sent || next->ended) co_return sent&& framing.version >= 11;
    }
}

asio::awaitable<std::optional<Exchange::Next>> Connection::next_of(Exchange& exchange) {
    using namespace asio::experimental::awaitable_operators;
    for (;;) {
        news_ = false;
        if (auto next = exchange.take()) co_return next;
        if (closed_) co_return std::nullopt;
        stream_.expires_never();
        const auto first = co_await (wait_until_woken() || wait_until_gone());
        if (first.index() == 1) co_return std::nullopt;
    }
}

asio::awaitable<void> Connection::wait_until_woken() {
    if (news_ || closed_) co_return;
    beast::error_code error;
    co_await woken_.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

// A client that sends its next request meanwhile is there; whether it leaves after that shows when the answer is sent.
asio::awaitable<void> Connection::wait_until_gone() {
    beast::error_code error;
    co_await stream_.socket().async_wait(tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    char next = 0;
    const auto peeked = ::recv(stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    if (peeked == 0 || (peeked < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) co_return;
    asio::steady_timer never(stream_.get_executor(), asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

asio::awaitable<bool> Connection::send_whole(Response response, Framing framing) {
    auto message = message_of<http::string_body>(response, framing.version, framing.keep_alive);
    message.body() = std::move(response.body);
    message.prepare_payload();
    if (framing.head) message.body().clear();  // its length stays announced
    beast::error_code error;
    stream_.expires_after(options_.timeout);
    co_await http::async_write(stream_, message, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<bool> Connection::send_head(Response head, Framing framing) {
    const bool chunked = framing.version >= 11;
    auto message = message_of<http::empty_body>(head, framing.version, framing.keep_alive && chunked);
    if (chunked) message.chunked(true);
    http::response_serializer<http::empty_body> serializer{message};
    beast::error_code error;
    stream_.expires_after(options_.timeout);
    co_await http::async_write_header(stream_, serializer, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<bool> Connection::send_part(const std::string& part, bool last, Framing framing) {
    beast::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const bool chunked = framing.version >= 11;
    stream_.expires_after(options_.timeout);
    if (!part.empty()) {
        if (chunked) {
            co_await asio::async_write(stream_, http::make_chunk(asio::buffer(part)), token);
        } else {
            co_await asio::async_write(stream_, asio::buffer(part), token);
        }
    }
    if (!error && last && chunked) co_await asio::async_write(stream_, http::make_chunk_last(), token);
    co_return !error;
}

}  // namespace flowfabric::server
