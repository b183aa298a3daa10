#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace flowfabric::server {

// The bytes from and to one client: over TLS, or plain. A stream as Boost.Beast reads and writes them; its deadlines
// are those of tcp().
class Wire {
  public:
    using executor_type = boost::beast::tcp_stream::executor_type;

    // Plain if `tls` is null.
    Wire(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls);

    // Ready for the first request. False: the client does not speak TLS, or left.
    boost::asio::awaitable<bool> open(std::chrono::milliseconds timeout);
    // No more is written.
    boost::asio::awaitable<void> shut();
    // Whether the client has closed its side, or the connection broke.
    bool is_left();
    // Whether there is something to read, or the client has left.
    bool has_news();

    boost::beast::tcp_stream& tcp() { return tcp_; }
    executor_type get_executor() { return tcp_.get_executor(); }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        if (tls_) return tls_->async_read_some(buffers, std::forward<Token>(token));
        return tcp_.async_read_some(buffers, std::forward<Token>(token));
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        if (tls_) return tls_->async_write_some(buffers, std::forward<Token>(token));
        return tcp_.async_write_some(buffers, std::forward<Token>(token));
    }

  private:
    short events(short wanted);

    boost::beast::tcp_stream tcp_;
    // Flat: each write is one record.
    using Tls = boost::beast::flat_stream<boost::asio::ssl::stream<boost::beast::tcp_stream&>>;
    std::unique_ptr<Tls> tls_;
};

}  // namespace flowfabric::server
