#include "remote/post_address.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <boost/beast/http/error.hpp>

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::chrono::seconds connect_limit{10};
constexpr std::chrono::seconds answer_limit{10};
constexpr std::uint64_t max_answer_bytes = 65'536;  // beyond it nothing but the status counts
constexpr unsigned http11 = 11;

// Seconds; a date counts as absent.
std::int64_t retry_after_ms(std::string_view text) {
    constexpr std::int64_t ms = 1000;
    std::int32_t seconds = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return failure == std::errc() && end == text.data() + text.size() && seconds > 0 ? seconds * ms : 0;
}

}  // namespace

PostAddress::PostAddress(asio::io_context& io, std::string text, ServerUrl server, std::string target,
                         std::unique_ptr<asio::ssl::context> tls)
    : text_(std::move(text)),
      server_(std::move(server)),
      target_(std::move(target)),
      tls_(std::move(tls)),
      connection_(io, server_, tls_.get()) {}

Result<std::unique_ptr<PostAddress>> PostAddress::of(asio::io_context& io, const std::string& url) {
    const auto scheme = url.find("://");
    const auto path = std::min(url.find_first_of("/?", scheme == std::string::npos ? 0 : scheme + 3), url.size());
    auto server = parse_server_url(std::string_view(url).substr(0, path));
    if (!server) return server.error();
    std::string target = url.substr(path);
    if (!target.starts_with('/')) target.insert(0, "/");
    std::unique_ptr<asio::ssl::context> tls;
    if (server->tls) {
        auto verifying = verifying_tls();
        if (!verifying) return verifying.error();
        tls = *std::move(verifying);
    }
    return std::unique_ptr<PostAddress>(
        new PostAddress(io, url, *std::move(server), std::move(target), std::move(tls)));
}

asio::awaitable<PostReply> PostAddress::post(const Headers& headers, const std::string& content_type,
                                             const std::string& body) {
    if (!connection_.is_idle()) {
        const auto error = co_await connection_.open(connect_limit);
        if (error) {
            connection_.close();
            co_return PostReply{.error = error.message()};
        }
    }
    Connection::Request message{http::verb::post, target_, http11};
    for (const auto& [name, value] : headers) message.set(name, value);
    message.set(http::field::host, server_.authority);
    message.set(http::field::user_agent, "ff/" FF_VERSION);
    message.set(http::field::content_type, content_type);
    message.body() = body;
    message.prepare_payload();
    const auto sent = co_await connection_.send(message, answer_limit);
    auto error = sent.error;
    Connection::Parser parser;
    parser.body_limit(max_answer_bytes);
    if (!error) error = co_await connection_.read_rest(parser, answer_limit);
    if (error || !parser.get().keep_alive()) connection_.close();
    if (error && !(error == http::error::body_limit && parser.is_header_done())) {
        co_return PostReply{.error = error.message()};
    }
    PostReply reply{.status = parser.get().result_int(),
                    .retry_after_ms = retry_after_ms(parser.get()[http::field::retry_after])};
    reply.body = std::move(parser.get().body());
    co_return reply;
}

}  // namespace flowfabric::remote
