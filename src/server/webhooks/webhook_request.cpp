#include "server/webhooks/webhook_address.hpp"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <boost/beast/http/error.hpp>

#include "server/webhooks/cloud_event.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Outcome = WebhookReport::Outcome;

constexpr std::chrono::seconds connect_limit{10};
constexpr std::chrono::seconds answer_limit{10};
constexpr std::uint64_t max_answer_bytes = 65'536;  // of which nothing but the status counts
constexpr unsigned http11 = 11;

// Seconds; a date counts as absent.
std::int64_t retry_after_ms(std::string_view text) {
    constexpr std::int64_t ms = 1000;
    std::int32_t seconds = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return failure == std::errc() && end == text.data() + text.size() && seconds > 0 ? seconds * ms : 0;
}

}  // namespace

Outcome webhook_outcome(unsigned status) {
    constexpr unsigned gone = 410;
    switch (status) {
        case gone:
            return Outcome::gone;
        case 408:
        case 425:
        case 429:
            return Outcome::failed;
        default:
            break;
    }
    if (status >= 200 && status < 300) return Outcome::delivered;
    return status >= 500 ? Outcome::failed : Outcome::refused;
}

WebhookAddress::WebhookAddress(asio::io_context& io, std::string text, remote::ServerUrl server, std::string target,
                               std::unique_ptr<asio::ssl::context> tls)
    : text_(std::move(text)),
      server_(std::move(server)),
      target_(std::move(target)),
      tls_(std::move(tls)),
      connection_(io, server_, tls_.get()) {}

Result<std::unique_ptr<WebhookAddress>> WebhookAddress::of(asio::io_context& io, const std::string& url) {
    const auto host = url.find("://") + 3;
    const auto path = std::min(url.find_first_of("/?", host), url.size());
    auto server = remote::parse_server_url(std::string_view(url).substr(0, path));
    if (!server) return server.error();
    std::string target = url.substr(path);
    if (!target.starts_with('/')) target.insert(0, "/");
    std::unique_ptr<asio::ssl::context> tls;
    if (server->tls) {
        auto verifying = remote::verifying_tls();
        if (!verifying) return verifying.error();
        tls = *std::move(verifying);
    }
    return std::unique_ptr<WebhookAddress>(
        new WebhookAddress(io, url, *std::move(server), std::move(target), std::move(tls)));
}

asio::awaitable<WebhookReply> WebhookAddress::post(const WebhookRequest& request) {
    const auto failed = [](const remote::Connection::Error& error) {
        return WebhookReply{.outcome = Outcome::failed, .error = error.message()};
    };
    if (!connection_.is_idle()) {
        const auto error = co_await connection_.open(connect_limit);
        if (error) {
            connection_.close();
            co_return failed(error);
        }
    }
    remote::Connection::Request message{http::verb::post, target_, http11};
    message.set(http::field::host, server_.authority);
    message.set(http::field::user_agent, "ff/" FF_VERSION);
    message.set(http::field::content_type, request.content_type);
    message.set("FF-Webhook", request.webhook);
    message.set("FF-Timestamp", fmt::to_string(request.timestamp_s));
    message.set("FF-Signature", webhook_signature(request.secrets, request.timestamp_s, request.body));
    message.body() = request.body;
    message.prepare_payload();
    const auto sent = co_await connection_.send(message, answer_limit);
    auto error = sent.error;
    remote::Connection::Parser parser;
    parser.body_limit(max_answer_bytes);
    if (!error) error = co_await connection_.read_rest(parser, answer_limit);
    if (error || !parser.get().keep_alive()) connection_.close();
    if (error && !(error == http::error::body_limit && parser.is_header_done())) co_return failed(error);
    const auto& answer = parser.get();
    WebhookReply reply;
    reply.outcome = webhook_outcome(answer.result_int());
    if (reply.outcome == Outcome::delivered) co_return reply;
    reply.error = fmt::format("HTTP {}", answer.result_int());
    reply.retry_after_ms = retry_after_ms(answer[http::field::retry_after]);
    co_return reply;
}

}  // namespace flowfabric::server
