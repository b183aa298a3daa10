#include "server/http/wire.hpp"

#include <poll.h>

#include <tuple>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace flowfabric::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

Wire::Wire(tcp::socket socket, asio::ssl::context* tls)
    : tcp_(std::move(socket)), tls_(tls == nullptr ? nullptr : std::make_unique<Tls>(tcp_, *tls)) {
    beast::error_code ignored;
    std::ignore = tcp_.socket().set_option(tcp::no_delay(true), ignored);
}

asio::awaitable<bool> Wire::open(std::chrono::milliseconds timeout) {
    beast::error_code error;
    if (!tls_) co_return true;
    tcp_.expires_after(timeout);
    co_await tls_->next_layer().async_handshake(asio::ssl::stream_base::server,
                                                asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

asio::awaitable<void> Wire::shut() {
    beast::error_code error;
    if (tls_) {
        tcp_.expires_after(std::chrono::seconds(1));
        co_await tls_->next_layer().async_shutdown(asio::redirect_error(asio::use_awaitable, error));
    }
    std::ignore = tcp_.socket().shutdown(tcp::socket::shutdown_send, error);
}

short Wire::events(short wanted) {
    pollfd socket{.fd = tcp_.socket().native_handle(), .events = wanted, .revents = 0};
    return ::poll(&socket, 1, 0) < 0 ? POLLERR : socket.revents;
}

bool Wire::is_left() {
    return (events(POLLRDHUP) & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool Wire::has_news() {
    return events(POLLIN) != 0;
}

}  // namespace flowfabric::server
