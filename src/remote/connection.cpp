#include "remote/connection.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <tuple>

#include <openssl/err.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

auto token_for(Connection::Error& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

}  // namespace

Result<std::unique_ptr<asio::ssl::context>> verifying_tls() {
    auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    Connection::Error error;
    std::ignore = tls->set_default_verify_paths(error);
    if (!error) std::ignore = tls->set_verify_mode(asio::ssl::verify_peer, error);
    if (!error) return tls;
    return EngineError{.kind = ErrorKind::transport,
                       .detail = "the certificates of the system cannot be read: " + error.message(),
                       .connection_fault = true};
}

Connection::Connection(asio::io_context& io, const ServerUrl& url, asio::ssl::context* tls)
    : io_(io), url_(url), tls_(tls), lookup_(io) {}

Connection::Plain& Connection::lowest() {
    return secure_ ? secure_->next_layer() : *plain_;
}

const Connection::Plain& Connection::lowest() const {
    return secure_ ? secure_->next_layer() : *plain_;
}

template <class Operation>
asio::awaitable<Connection::Error> Connection::run(Time limit, Operation operation) {
    lowest().expires_after(limit);
    Error error;
    if (secure_) {
        co_await operation(*secure_, token_for(error));
    } else {
        co_await operation(*plain_, token_for(error));
    }
    co_return error;
}

asio::awaitable<Connection::Error> Connection::open(Time limit) {
    close();
    buffer_.clear();
    if (tls_ != nullptr) {
        secure_.emplace(io_, *tls_);
        secure_->set_verify_callback(asio::ssl::host_name_verification(url_.host));
        // By its name a server that has several certificates finds the right one.
        if (SSL_set_tlsext_host_name(secure_->native_handle(), url_.host.c_str()) != 1) {
            co_return Error(static_cast<int>(ERR_get_error()), asio::error::get_ssl_category());
        }
    } else {
        plain_.emplace(io_);
    }
    const auto until = std::chrono::steady_clock::now() + limit;
    Lookup::Find find = places_of(url_.host, url_.port);
    const Lookup::Found found = co_await lookup_.run(std::move(find), until);
    if (found.error) co_return found.error;
    Error error;
    lowest().expires_at(until);
    co_await lowest().async_connect(found.places, token_for(error));
    if (error) co_return error;
    std::ignore = lowest().socket().set_option(tcp::no_delay(true), error);
    if (secure_) co_await secure_->async_handshake(asio::ssl::stream_base::client, token_for(error));
    co_return error;
}

asio::awaitable<Connection::Sent> Connection::send(const Request& request, Time limit) {
    Sent sent;
    sent.error = co_await run(limit, [&](auto& stream, auto token) -> asio::awaitable<void> {
        sent.bytes = co_await http::async_write(stream, request, token);
    });
    co_return sent;
}

asio::awaitable<Connection::Error> Connection::read_head(Parser& parser, Time limit) {
    co_return co_await run(limit, [&](auto& stream, auto token) -> asio::awaitable<void> {
        co_await http::async_read_header(stream, buffer_, parser, token);
    });
}

asio::awaitable<Connection::Error> Connection::read_rest(Parser& parser, Time limit) {
    co_return co_await run(limit, [&](auto& stream, auto token) -> asio::awaitable<void> {
        co_await http::async_read(stream, buffer_, parser, token);
    });
}

asio::awaitable<Connection::Error> Connection::read_some(Parser& parser, Time limit) {
    co_return co_await run(limit, [&](auto& stream, auto token) -> asio::awaitable<void> {
        co_await http::async_read_some(stream, buffer_, parser, token);
    });
}

void Connection::close() {
    lookup_.cancel();
    if (plain_) plain_->close();
    if (secure_) secure_->next_layer().close();
    // Operations under way end first; what they refer to stays until the next open().
}

bool Connection::is_open() const {
    return (plain_ || secure_) && lowest().socket().is_open();
}

bool Connection::is_idle() {
    if (!is_open() || buffer_.size() > 0) return false;
    char next = 0;
    const auto peeked = ::recv(lowest().socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    // A server that ends TLS says so before it closes.
    return peeked < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace flowfabric::remote
