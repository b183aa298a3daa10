#include "remote/transport.hpp"

#include <tuple>

#include <fmt/format.h>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::milliseconds;

constexpr std::uint64_t max_answer_bytes = 256U << 20U;

std::string reason_of(const Connection::Error& error) {
    if (error == boost::beast::error::timeout) return "it does not answer";
    std::string text = error.message();
    if (!text.empty() && text.front() >= 'A' && text.front() <= 'Z') text.front() += 'a' - 'A';
    return text;
}

EngineError transport_error(std::string detail) {
    return {.kind = ErrorKind::transport, .detail = std::move(detail), .connection_fault = true};
}

}  // namespace

Transport::Transport(RemoteOptions options, ServerUrl url)
    : options_(std::move(options)), url_(std::make_unique<const ServerUrl>(std::move(url))) {}

Result<Transport> Transport::make(RemoteOptions options) {
    auto url = parse_server_url(options.url);
    if (!url) return url.error();
    Transport transport(std::move(options), *std::move(url));
    if (transport.url_->tls) {
        auto tls = verifying_tls();
        if (!tls) return tls.error();
        transport.tls_ = *std::move(tls);
    }
    return transport;
}

asio::awaitable<std::optional<EngineError>> Transport::open(Connection& connection) const {
    const auto error = co_await connection.open(options_.connect_limit);
    if (!error) co_return std::nullopt;
    connection.close();
    std::string detail = fmt::format("cannot reach {}: {}", url_->text, reason_of(error));
    if (error == asio::error::connection_refused) detail += "; is a server running? `ff server` starts one";
    co_return transport_error(std::move(detail));
}

Connection::Request Transport::request(http::verb method, const std::string& target) const {
    constexpr unsigned http11 = 11;
    Connection::Request request{method, url_->base + target, http11};
    request.set(http::field::host, url_->authority);
    request.set(http::field::user_agent, "ff/" FF_VERSION);
    if (options_.token) request.set(http::field::authorization, "Bearer " + *options_.token);
    return request;
}

EngineError Transport::lost(const Connection::Error& error) const {
    const bool closed = error == http::error::end_of_stream || error == http::error::partial_message;
    return transport_error(
        fmt::format("the connection to {} is lost: {}", url_->text, closed ? "it was closed" : reason_of(error)));
}

asio::awaitable<Transport::Answer> Transport::exchange(Connection& connection, std::string target, std::string body,
                                                       milliseconds max_wait, bool changes) const {
    auto message = request(http::verb::post, target);
    message.set(http::field::content_type, "application/json");
    message.body() = std::move(body);
    message.prepare_payload();

    Answer answer;
    const auto sent = co_await connection.send(message, options_.answer_limit);
    auto error = sent.error;
    Connection::Parser parser;
    parser.body_limit(max_answer_bytes);
    if (!error) error = co_await connection.read_rest(parser, options_.answer_limit + max_wait);
    if (!error) {
        answer.status = parser.get().result_int();
        answer.keep = parser.get().keep_alive();
        answer.body = std::move(parser.get().body());
        co_return answer;
    }
    connection.close();
    answer.error = lost(error);
    answer.may_repeat = !changes || sent.bytes == 0;
    if (changes && sent.bytes > 0) {
        answer.error->kind = ErrorKind::unknown_outcome;
        answer.error->connection_fault = false;
    }
    co_return answer;
}

}  // namespace flowfabric::remote
