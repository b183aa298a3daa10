#include "bench/http_load.hpp"

#include <exception>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "bench/support.hpp"

namespace flowfabric::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

tcp::endpoint server_at(std::uint16_t port) {
    return {asio::ip::address_v4::loopback(), port};
}

std::string request_text(std::string_view target, std::string_view body) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", target,
        body.size(), body);
}

asio::awaitable<void> drive(const HttpLoad& load, std::uint32_t connection) {
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(server_at(load.port), asio::use_awaitable);
    socket.set_option(tcp::no_delay(true));
    boost::beast::flat_buffer buffer;
    std::string answer;
    while (const auto body = load.next(connection, answer)) {
        const std::string request = request_text(load.target, *body);
        co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
        http::response_parser<http::string_body> parser;
        parser.body_limit(boost::none);
        co_await http::async_read(socket, buffer, parser, asio::use_awaitable);
        answer = std::move(parser.get().body());
        if (http::to_status_class(parser.get().result()) != http::status_class::successful) {
            throw std::runtime_error(fmt::format("{} answered {}: {}", load.target, parser.get().result_int(), answer));
        }
    }
}

}  // namespace

Result<double> run_load(const HttpLoad& load) {
    asio::io_context io(1);
    std::exception_ptr failure;
    const auto started_at = BenchClock::now();
    for (std::uint32_t connection = 0; connection < load.connections; ++connection) {
        asio::co_spawn(io, drive(load, connection), [&](const std::exception_ptr& thrown) {
            if (!thrown) return;
            failure = thrown;
            io.stop();
        });
    }
    io.run();
    const double seconds = seconds_between(started_at, BenchClock::now());
    if (!failure) return seconds;
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        return broken(error.what());
    }
}

class UnreadConnections::Impl {
  public:
    void open(std::uint16_t port, const std::string& request, std::uint32_t count) {
        sockets_.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            sockets_.emplace_back(io_).connect(server_at(port));
            asio::write(sockets_.back(), asio::buffer(request));
        }
    }

  private:
    asio::io_context io_;
    std::vector<tcp::socket> sockets_;
};

UnreadConnections::UnreadConnections(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UnreadConnections::UnreadConnections(UnreadConnections&&) noexcept = default;
UnreadConnections& UnreadConnections::operator=(UnreadConnections&&) noexcept = default;
UnreadConnections::~UnreadConnections() = default;

Result<UnreadConnections> UnreadConnections::open(std::uint16_t port, const std::string& target,
                                                  const std::string& body, std::uint32_t count) {
    auto impl = std::make_unique<Impl>();
    try {
        impl->open(port, request_text(target, body), count);
    } catch (const boost::system::system_error& error) {
        return broken(fmt::format("opening {} connections: {}", count, error.code().message()));
    }
    return UnreadConnections(std::move(impl));
}

}  // namespace flowfabric::bench
