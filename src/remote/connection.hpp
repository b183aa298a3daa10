#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "flowfabric/result.hpp"
#include "remote/lookup.hpp"
#include "remote/server_url.hpp"

namespace flowfabric::remote {

// TLS that verifies servers against the system's certificates; SSL_CERT_FILE and SSL_CERT_DIR name others.
Result<std::unique_ptr<boost::asio::ssl::context>> verifying_tls();

// One connection to a server, plain or by TLS, on which requests follow one another.
//
// Threads: the one that runs the io_context. Every operation ends by its time limit.
class Connection {
  public:
    using Error = boost::system::error_code;
    using Request = boost::beast::http::request<boost::beast::http::string_body>;
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;
    using Time = std::chrono::milliseconds;

    // `tls` is there if the URL asks for it. Both outlive the connection.
    Connection(boost::asio::io_context& io, const ServerUrl& url, boost::asio::ssl::context* tls);

    boost::asio::awaitable<Error> open(Time limit);
    // What was sent, also when that failed in between.
    struct Sent {
        Error error;
        std::size_t bytes = 0;
    };
    boost::asio::awaitable<Sent> send(const Request& request, Time limit);
    boost::asio::awaitable<Error> read_head(Parser& parser, Time limit);
    boost::asio::awaitable<Error> read_rest(Parser& parser, Time limit);
    // Some more of a body that goes on.
    boost::asio::awaitable<Error> read_some(Parser& parser, Time limit);
    void close();

    bool is_open() const;
    // Open, and the server has neither closed it nor sent anything unasked.
    bool is_idle();

  private:
    using Plain = boost::beast::tcp_stream;
    using Secure = boost::beast::ssl_stream<Plain>;

    Plain& lowest();
    const Plain& lowest() const;
    template <class Operation>
    boost::asio::awaitable<Error> run(Time limit, Operation operation);

    boost::asio::io_context& io_;
    const ServerUrl& url_;
    boost::asio::ssl::context* const tls_;
    std::optional<Plain> plain_;
    std::optional<Secure> secure_;
    boost::beast::flat_buffer buffer_{131'072};  // the parser sets no limit to the line of a chunk
    Lookup lookup_;
};

}  // namespace flowfabric::remote
