#include "server/http/connection.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime/threads/guard.hpp"
#include "server/http/compression.hpp"
#include "server/http/refusal.hpp"
#include "server/http/request_head.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = asio::steady_timer::clock_type;

constexpr std::size_t most_unparsed = 131'072;
constexpr auto never = Clock::time_point::max();

// What a request that cannot be read is answered with; nothing when the connection itself is to blame.
std::optional<Response> refusal_of(const beast::error_code& error) {
    if (error == http::error::header_limit) return refusal(431, "headers_too_large");
    const bool disconnected = error == http::error::end_of_stream || error == http::error::partial_message;
    if (error.category() == http::make_error_code(http::error::bad_method).category() && !disconnected) {
        return refusal(400, "bad_request");
    }
    return std::nullopt;
}

// Whether it is certain where the body ends. Beyond an uncertain end something on the way could see another request
// than the server does (RFC 9112, 6.1 and 6.3).
template <class Parser>
bool is_framed(const Parser& parser) {
    const bool is_coded = parser.get().find(http::field::transfer_encoding) != parser.get().end();
    constexpr unsigned first_with_codings = 11;
    return !is_coded || (parser.chunked() && parser.get().version() >= first_with_codings);
}

bool only_reads(const Request& head, const RouteInfo* route) {
    if (head.method != "GET" && head.method != "HEAD" && head.method != "OPTIONS") return false;
    return route == nullptr || route->rules.changing_query.empty() || !head.query_value(route->rules.changing_query);
}

// Counts a request among those that a server waits for before it ends.
class UnderWay {
  public:
    explicit UnderWay(Connection::Shared& shared) : shared_(shared) { ++shared_.under_way; }
    ~UnderWay() {
        if (--shared_.under_way == 0 && shared_.on_idle) shared_.on_idle();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

  private:
    Connection::Shared& shared_;
};

}  // namespace

Connection::Connection(Shared& shared, tcp::socket socket)
    : shared_(shared),
      wire_(std::move(socket), shared.tls.get()),
      sender_(wire_, shared.options.timeout),
      buffer_(std::max(most_unparsed, shared.options.max_header_bytes)),
      woken_(wire_.get_executor(), never) {}

void Connection::close() {
    closed_ = true;
    stop_waiting();
    wire_.tcp().close();
    woken_.cancel();
}

void Connection::close_if_idle() {
    if (place_ && buffer_.size() == 0 && !wire_.has_news()) close();
}

void Connection::stop_waiting() {
    if (place_) shared_.waiting.erase(*place_);
    place_.reset();
}

void Connection::tell(Served served) const {
    served.status = sender_.status();
    served.bytes = sender_.bytes();
    if (shared_.service.observe) contain("the observer of requests broke", [&] { shared_.service.observe(served); });
}

asio::awaitable<void> Connection::turn_away() {
    const bool opened = co_await wire_.open(std::chrono::seconds(1));
    if (!opened) co_return;
    const Framing framing;
    co_await refuse(refusal(503, "too_many_connections"), false, framing);
    tell({});
    co_await part();
}

asio::awaitable<void> Connection::serve() {
    bool goes_on = co_await wire_.open(shared_.options.timeout);
    while (goes_on) goes_on = co_await serve_one();
    if (!closed_) co_await part();
}

asio::awaitable<void> Connection::part() {
    co_await wire_.shut();
    if (!unread_) co_return;
    // Closing now would reset the connection, and the client would lose the answer. It has a second to notice.
    constexpr std::size_t most = 16'777'216;
    std::array<char, 16'384> scrap;
    beast::error_code error;
    wire_.tcp().expires_after(std::chrono::seconds(1));
    for (std::size_t read = 0; !error && read < most;) {
        read +=
            co_await wire_.tcp().async_read_some(asio::buffer(scrap), asio::redirect_error(asio::use_awaitable, error));
    }
}

asio::awaitable<bool> Connection::serve_one() {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(shared_.options.max_header_bytes));
    parser.body_limit(boost::none);  // it depends on the route
    sender_.forget();
    if (!co_await read_head(parser)) {
        if (sender_.status() != 0) tell({});
        co_return false;
    }
    const auto begin = Clock::now();
    Served served;
    const bool goes_on = co_await serve_head(parser, served);
    served.took = Clock::now() - begin;
    tell(std::move(served));
    co_return goes_on && !shared_.ending.stop_requested();
}

asio::awaitable<bool> Connection::serve_head(Parser& parser, Served& served) {
    Framing framing{.version = parser.get().version(),
                    .keep_alive = parser.get().keep_alive() && !shared_.ending.stop_requested(),
                    .head = parser.get().method() == http::verb::head};
    served.method = parser.get().method_string();
    auto head = head_of(parser.get());
    if (!head) co_return co_await refuse(std::move(head.error()), parser.is_done(), framing);
    served.path = parser.get().target().substr(0, parser.get().target().find('?'));
    served.request_id = head->request_id;
    served.traceparent = head->headers.find("traceparent").value_or("");
    served.tracestate = head->headers.find("tracestate").value_or("");
    framing.headers.add("X-Request-Id", head->request_id);
    framing.problems = problem_form_of(*head);
    if (shared_.options.cors) {
        for (auto& [name, value] : cors_headers(*shared_.options.cors, *head)) framing.headers.add(name, value);
    }
    const RouteInfo* route = shared_.service.router.match(head->method, head->path);
    served.open = route != nullptr && route->rules.open;
    std::optional<UnderWay> under_way;
    if (!served.open) under_way.emplace(shared_);
    auto refused = refusal_by_head(*head, route, parser);
    served.route = head->route;
    served.caller = head->caller;
    if (refused) co_return co_await refuse(*std::move(refused), parser.is_done(), std::move(framing));
    co_return co_await serve_body(parser, *route, *std::move(head), std::move(framing));
}

asio::awaitable<bool> Connection::refuse(Response refused, bool whole, Framing framing) {
    if (!whole) unread_ = true;
    framing.keep_alive = framing.keep_alive && whole;
    write_problem(refused, framing.problems);
    const bool sent = co_await sender_.send_whole(std::move(refused), framing);
    co_return sent&& framing.keep_alive;
}

std::optional<Response> Connection::refusal_by_head(Request& head, const RouteInfo* route, const Parser& parser) const {
    const Service& service = shared_.service;
    if (route != nullptr) head.route = route->path;
    const bool with_token = service.asks_for_token && service.asks_for_token();
    if (shared_.options.cors) {
        if (auto preflight = preflight_answer(*shared_.options.cors, head, with_token)) return preflight;
    }
    // Of callers without tokens a page of another origin looks like any other.
    if (!with_token && !only_reads(head, route) && is_foreign(shared_.options.cors, head))
        return refusal(403, "foreign_origin");
    const bool is_local = service.asks_for_token && is_loopback(shared_.options.address);
    if (is_local && !with_token && !names_loopback(head)) return refusal(403, "foreign_host");
    std::optional<Response> refused;
    if (service.gate) {
        const bool asked = contain("the gate of requests broke", [&] { refused = service.gate(head, route); });
        if (!asked) return refusal(500, "internal");
    }
    if (refused) return refused;
    if (route == nullptr) return service.router.refusal(head.path);
    auto deadline = deadline_of(head);
    if (!deadline) return std::move(deadline.error());
    head.deadline = *deadline;
    if (shared_.ending.stop_requested() && !route->rules.open) return draining();
    const auto length = parser.content_length();
    if (length && *length > route->rules.body_limit) return body_too_large(route->rules.body_limit, route->path);
    return std::nullopt;
}

asio::awaitable<bool> Connection::read_head(Parser& parser) {
    beast::error_code error;
    wire_.tcp().expires_after(shared_.options.timeout);
    place_ = shared_.waiting.insert(shared_.waiting.end(), this);
    co_await http::async_read_header(wire_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    stop_waiting();
    if (closed_) co_return false;
    if (!error && !is_framed(parser)) error = http::error::bad_transfer_encoding;
    if (!error) co_return true;
    const Framing framing{.version = parser.get().version()};
    if (auto refused = refusal_of(error)) co_await refuse(*std::move(refused), false, framing);
    co_return false;
}

asio::awaitable<bool> Connection::serve_body(Parser& parser, const RouteInfo& route, Request request, Framing framing) {
    BodyRoom::Share share(shared_.room);
    if (!co_await read_body(parser, route, framing, share)) co_return false;
    const auto deadline = request.deadline.value_or(never);
    if (deadline <= Clock::now()) co_return co_await refuse(deadline_passed("nothing was done"), true, framing);
    request.body = std::move(parser.get().body());
    const auto exchange = call_handler(route, std::move(request));
    const bool sent = co_await answer(*exchange, deadline, framing);
    exchange->leave();
    co_return sent&& framing.keep_alive;
}

asio::awaitable<bool> Connection::read_body(Parser& parser, const RouteInfo& route, Framing framing,
                                            BodyRoom::Share& share) {
    if (parser.is_done()) co_return true;
    const std::size_t limit = route.rules.body_limit;
    parser.body_limit(limit);
    bool has_room = share.grow_to(parser.content_length().value_or(0));
    const bool waits = beast::iequals(parser.get()[http::field::expect], "100-continue");
    if (has_room && waits) {
        const bool sent = co_await sender_.send_continue();
        if (!sent) co_return false;
    }
    beast::error_code error;
    wire_.tcp().expires_after(shared_.options.timeout);
    while (has_room && !error && !parser.is_done()) {
        co_await http::async_read_some(wire_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
        has_room = share.grow_to(parser.get().body().size());
    }
    if (has_room && !error) co_return true;
    auto refused = !has_room                          ? refusal(503, "overloaded")
                   : error == http::error::body_limit ? body_too_large(limit, route.path)
                                                      : refusal_of(error);
    if (refused) co_await refuse(*std::move(refused), false, std::move(framing));
    co_return false;
}

std::shared_ptr<Exchange> Connection::call_handler(const RouteInfo& route, Request request) {
    // The connection may be gone when the answer comes.
    const auto wake = [self = weak_from_this(), io = shared_.io] {
        asio::post(*io, [self] {
            const auto connection = self.lock();
            if (!connection) return;
            connection->news_ = true;
            connection->woken_.cancel();
        });
    };
    auto exchange = std::make_shared<Exchange>(wake, accepts_gzip(request.headers), problem_form_of(request));
    request.gone = exchange->gone();
    request.ending = shared_.ending.get_token();
    const Responder responder(exchange);
    contain("a handler of requests broke", [&] { call_route(route, std::move(request), responder); });
    return exchange;
}

asio::awaitable<bool> Connection::answer(Exchange& exchange, Clock::time_point deadline, const Framing& framing) {
    for (;;) {
        auto next = co_await next_of(exchange, deadline);
        if (!next) co_return false;
        if (next->head) {
            if (!next->streamed) co_return co_await sender_.send_whole(*std::move(next->head), framing);
            if (!co_await sender_.send_head(*std::move(next->head), framing)) co_return false;
            if (framing.head) co_return framing.chunked();
        }
        const bool sent = co_await sender_.send_part(next->part, next->ended, framing);
        exchange.sent();
        // Without chunks only the end of the connection ends the body.
        if (!sent || next->ended) co_return sent&& framing.chunked();
    }
}

asio::awaitable<std::optional<Exchange::Next>> Connection::next_of(Exchange& exchange, Clock::time_point& deadline) {
    using namespace asio::experimental::awaitable_operators;
    const auto since = Clock::now();
    for (;;) {
        news_ = false;
        if (deadline <= Clock::now()) {
            exchange.expire();
            deadline = never;
        }
        if (auto next = exchange.take()) co_return next;
        if (closed_) co_return std::nullopt;
        const auto patience = exchange.patience();
        if (patience && Clock::now() >= since + *patience) co_return exchange.fill();
        woken_.expires_at(std::min(deadline, patience ? since + *patience : never));
        wire_.tcp().expires_never();
        const auto first = co_await (wait_until_woken() || wait_until_gone());
        if (first.index() == 1) co_return std::nullopt;
    }
}

asio::awaitable<void> Connection::wait_until_woken() {
    if (news_ || closed_) co_return;
    beast::error_code error;
    co_await woken_.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

asio::awaitable<void> Connection::wait_until_gone() {
    beast::error_code error;
    co_await wire_.tcp().socket().async_wait(tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
    // Behind a next request that is there already only looking tells.
    asio::steady_timer pause(wire_.get_executor());
    while (!error && !wire_.is_left()) {
        pause.expires_after(std::chrono::seconds(1));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
}

}  // namespace flowfabric::server
