#include "server/http_server.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <list>
#include <optional>
#include <thread>
#include <tuple>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using HttpResponse = http::response<http::string_body>;

HttpResponse to_http(Response response, unsigned version, bool keep_alive) {
    HttpResponse message{http::int_to_status(response.status), version};
    message.set(http::field::server, "FlowFabric/" FF_VERSION);
    message.set(http::field::content_type, "application/json");
    message.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.keep_alive(keep_alive);
    message.body() = std::move(response.body);
    message.prepare_payload();
    return message;
}

// What a request that cannot be read is answered with; nothing when the connection itself is to blame.
std::optional<Response> refusal_of(const beast::error_code& error) {
    if (error == http::error::body_limit) return Response{413, R"({"error":"payload_too_large"})", {}};
    if (error == http::error::header_limit) return Response{431, R"({"error":"headers_too_large"})", {}};
    const bool disconnected = error == http::error::end_of_stream || error == http::error::partial_message;
    if (error.category() == http::make_error_code(http::error::bad_method).category() && !disconnected) {
        return Response{400, R"({"error":"bad_request"})", {}};
    }
    return std::nullopt;
}

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
    Impl(const HttpOptions& options, Handler handler)
        : options_(options),
          handler_(std::move(handler)),
          max_connections_(connections_allowed(options)),
          acceptor_(io_),
          pool_(options.handler_threads) {
        const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
        acceptor_.open(endpoint.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.bind(endpoint);
        acceptor_.listen();
        port_ = acceptor_.local_endpoint().port();
        asio::co_spawn(io_, accept(), asio::detached);
        io_thread_ = std::thread([this] { io_.run(); });
    }

    ~Impl() { stop(); }

    std::uint16_t port() const { return port_; }

    void stop() {
        io_.stop();
        if (io_thread_.joinable()) io_thread_.join();
        pool_.join();
    }

  private:
    asio::awaitable<void> accept() {
        for (;;) {
            tcp::socket socket(io_);
            beast::error_code error;
            co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
            if (!error) {
                beast::tcp_stream stream(std::move(socket));
                if (take_seat()) {
                    asio::co_spawn(io_, serve(std::move(stream)), asio::detached);
                } else {
                    asio::co_spawn(io_, turn_away(std::move(stream)), asio::detached);
                }
                continue;
            }
            // Out of descriptors, most likely; accepting again at once would only burn a core.
            asio::steady_timer pause(io_, std::chrono::milliseconds(100));
            co_await pause.async_wait(asio::use_awaitable);
        }
    }

    // What a connection has from its beginning to its end, unless another takes it over.
    struct Seat {
        beast::tcp_stream& stream;
        bool lost = false;
    };

    // A seat whose connection waits for a request, and may be lost to another for as long.
    class Waiting {
      public:
        Waiting(std::list<Seat*>& all, Seat& seat) : all_(all), seat_(seat), place_(all.insert(all.end(), &seat)) {}
        ~Waiting() {
            if (!seat_.lost) all_.erase(place_);
        }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;

      private:
        std::list<Seat*>& all_;
        const Seat& seat_;
        const std::list<Seat*>::iterator place_;
    };

    bool take_seat() {
        if (connections_ < max_connections_) {
            ++connections_;
            return true;
        }
        if (waiting_.empty()) return false;
        waiting_.front()->lost = true;
        waiting_.front()->stream.close();
        waiting_.pop_front();
        return true;
    }

    asio::awaitable<void> turn_away(beast::tcp_stream stream) {
        beast::error_code error;
        auto message = to_http({503, R"({"error":"too_many_connections"})", {}}, 11, false);
        stream.expires_after(std::chrono::seconds(1));
        co_await http::async_write(stream, message, asio::redirect_error(asio::use_awaitable, error));
        std::ignore = stream.socket().shutdown(tcp::socket::shutdown_send, error);
    }

    asio::awaitable<void> serve(beast::tcp_stream stream) {
        Seat seat{stream};
        const std::shared_ptr<void> leave(nullptr, [this, &seat](void*) {
            if (!seat.lost) --connections_;
        });
        beast::flat_buffer buffer;
        beast::error_code error;
        auto token = asio::redirect_error(asio::use_awaitable, error);
        for (bool keep_alive = true; keep_alive;) {
            http::request_parser<http::string_body> parser;
            parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
            parser.body_limit(options_.max_body_bytes);
            stream.expires_after(options_.timeout);
            {
                const Waiting waiting(waiting_, seat);
                co_await http::async_read(stream, buffer, parser, token);
            }
            if (seat.lost) co_return;

            Response response;
            const unsigned version = parser.get().version();
            const bool head = parser.get().method() == http::verb::head;
            if (error) {
                auto refusal = refusal_of(error);
                if (!refusal) break;
                keep_alive = false;
                response = *std::move(refusal);
            } else {
                keep_alive = parser.get().keep_alive();
                stream.expires_never();
                response = co_await asio::co_spawn(pool_, handle(parser.release()), asio::use_awaitable);
            }
            auto message = to_http(std::move(response), version, keep_alive);
            if (head) message.body().clear();  // its length stays announced
            stream.expires_after(options_.timeout);
            co_await http::async_write(stream, message, token);
            if (error) break;
        }
        std::ignore = stream.socket().shutdown(tcp::socket::shutdown_send, error);
    }

    asio::awaitable<Response> handle(http::request<http::string_body> message) {
        const Request request{.method = std::string(message.method_string()),
                              .target = std::string(message.target()),
                              .body = std::move(message.body())};
        try {
            co_return handler_(request);
        } catch (...) {
            co_return Response{500, R"({"error":"internal"})", {}};
        }
    }

    const HttpOptions options_;
    const Handler handler_;
    const std::size_t max_connections_;
    std::uint16_t port_ = 0;
    // The I/O thread's own.
    std::size_t connections_ = 0;
    std::list<Seat*> waiting_;  // for a request, the longest first
    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    asio::thread_pool pool_;  // after io_: a waiting handler owns its connection, which belongs to io_
    std::thread io_thread_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options, Handler handler) {
    try {
        auto impl = std::make_unique<Impl>(options, std::move(handler));
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

void HttpServer::stop() {
    impl_->stop();
}

}  // namespace flowfabric::server
