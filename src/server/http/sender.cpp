#include "server/http/sender.hpp"

#include <string_view>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

template <class Body>
http::response<Body> message_of(const Response& response, const Framing& framing, bool keep_alive) {
    http::response<Body> message{http::int_to_status(response.status), framing.version};
    message.set(http::field::server, "FlowFabric/" FF_VERSION);
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : framing.headers) message.insert(name, value);
    for (const auto& [name, value] : response.headers) {
        if (beast::iequals(name, "Cache-Control")) {
            message.set(name, value);
        } else {
            message.insert(name, value);
        }
    }
    message.keep_alive(keep_alive);
    return message;
}

}  // namespace

asio::awaitable<bool> Sender::send_continue() {
    constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
    beast::error_code error;
    wire_.tcp().expires_after(timeout_);
    co_await asio::async_write(wire_, asio::buffer(text), asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<bool> Sender::send_whole(Response response, const Framing& framing) {
    auto message = message_of<http::string_body>(response, framing, framing.keep_alive);
    status_ = response.status;
    bytes_ = framing.head ? 0 : response.body.size();
    message.body() = std::move(response.body);
    message.prepare_payload();
    if (framing.head) message.body().clear();  // its length stays announced
    beast::error_code error;
    wire_.tcp().expires_after(timeout_);
    co_await http::async_write(wire_, message, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<bool> Sender::send_head(Response head, const Framing& framing) {
    auto message = message_of<http::empty_body>(head, framing, framing.keep_alive && framing.chunked());
    status_ = head.status;
    bytes_ = 0;
    if (framing.chunked()) message.chunked(true);
    http::response_serializer<http::empty_body> serializer{message};
    beast::error_code error;
    wire_.tcp().expires_after(timeout_);
    co_await http::async_write_header(wire_, serializer, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<bool> Sender::send_part(const std::string& part, bool last, const Framing& framing) {
    beast::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    wire_.tcp().expires_after(timeout_);
    bytes_ += part.size();
    if (!part.empty()) {
        if (framing.chunked()) {
            co_await asio::async_write(wire_, http::make_chunk(asio::buffer(part)), token);
        } else {
            co_await asio::async_write(wire_, asio::buffer(part), token);
        }
    }
    if (!error && last && framing.chunked()) co_await asio::async_write(wire_, http::make_chunk_last(), token);
    co_return !error;
}

}  // namespace flowfabric::server
