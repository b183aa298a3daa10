#include "server/http/http_server.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/http/connection.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::size_t connections_allowed(const HttpOptions& options) {
    constexpr rlim_t reserve = 128;
    constexpr rlim_t most = 10'000;
    if (options.max_connections > 0) return options.max_connections;
    rlimit descriptors{};
    if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return reserve;
    const rlim_t limit = std::min(descriptors.rlim_cur, most);
    return limit > 2 * reserve ? limit - reserve : std::max<rlim_t>(limit / 2, 1);
}

}  // namespace

class HttpServer::Impl {
  public:
    Impl(const HttpOptions& options, Service service, std::unique_ptr<asio::ssl::context> tls)
        : max_connections_(connections_allowed(options)),
          shared_{.io = std::make_shared<asio::io_context>(1),
                  .options = options,
                  .service = std::move(service),
                  .tls = std::move(tls)},
          acceptor_(*shared_.io),
          pause_(*shared_.io) {
        const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
        acceptor_.open(endpoint.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.bind(endpoint);
        acceptor_.listen();
        port_ = acceptor_.local_endpoint().port();
        asio::co_spawn(*shared_.io, accept(), [](const std::exception_ptr&) {});
        thread_ = std::thread([io = shared_.io] { io->run(); });
    }

    ~Impl() { stop(); }

    std::uint16_t port() const { return port_; }

    bool drain(std::chrono::milliseconds deadline) {
        const auto idle = std::make_shared<std::promise<void>>();
        asio::post(*shared_.io, [this, idle] {
            shared_.on_idle = [idle, told = false]() mutable {
                if (!std::exchange(told, true)) idle->set_value();
            };
            shared_.ending.request_stop();
            for (Connection* connection : connections_) connection->close_if_idle();
            if (shared_.under_way == 0) shared_.on_idle();
        });
        return idle->get_future().wait_for(deadline) == std::future_status::ready;
    }

    // The thread ends when nothing is left to do.
    void stop() {
        if (!thread_.joinable()) return;
        asio::post(*shared_.io, [this] {
            shared_.ending.request_stop();
            stopping_ = true;
            acceptor_.close();
            pause_.cancel();
            for (Connection* connection : connections_) connection->close();
        });
        thread_.join();
    }

  private:
    asio::awaitable<void> accept() {
        while (!stopping_) {
            tcp::socket socket(*shared_.io);
            boost::system::error_code error;
            co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
            if (!error) {
                take_in(std::move(socket));
            } else if (!stopping_) {
                // Out of descriptors, most likely; accepting again at once would only burn a core.
                pause_.expires_after(std::chrono::milliseconds(100));
                co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
            }
        }
    }

    void take_in(tcp::socket socket) {
        const bool room = make_room();
        const auto connection = std::make_shared<Connection>(shared_, std::move(socket));
        connections_.insert(connection.get());
        tell_count();
        asio::co_spawn(*shared_.io, room ? connection->serve() : connection->turn_away(),
                       [this, connection](const std::exception_ptr&) {
                           connections_.erase(connection.get());
                           tell_count();
                       });
    }

    void tell_count() const {
        if (shared_.service.count_connections) shared_.service.count_connections(connections_.size());
    }

    // Whether one more may come.
    bool make_room() {
        if (connections_.size() < max_connections_) return true;
        if (shared_.waiting.empty()) return false;
        Connection* longest = shared_.waiting.front();
        connections_.erase(longest);
        longest->close();
        return true;
    }

    const std::size_t max_connections_;
    std::uint16_t port_ = 0;
    // The I/O thread's own.
    Connection::Shared shared_;
    tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    std::set<Connection*> connections_;
    bool stopping_ = false;

    std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

bool is_loopback(const std::string& address) {
    boost::system::error_code failure;
    const auto parsed = asio::ip::make_address(address, failure);
    return address == "localhost" || (!failure && parsed.is_loopback());
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options, Service service) {
    auto tls = tls_context(options.tls);
    if (!tls) return tls.error();
    try {
        auto impl = std::make_unique<Impl>(options, std::move(service), *std::move(tls));
        return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
    } catch (const boost::system::system_error& error) {
        return EngineError{.kind = ErrorKind::unavailable,
                           .detail = "cannot listen on " + options.address + ':' + std::to_string(options.port) + ": " +
                                     error.code().message(),
                           .not_active = std::nullopt};
    }
}

std::uint16_t HttpServer::port() const {
    return impl_->port();
}

bool HttpServer::drain(std::chrono::milliseconds deadline) {
    return impl_->drain(deadline);
}

void HttpServer::stop() {
    impl_->stop();
}

}  // namespace flowfabric::server
