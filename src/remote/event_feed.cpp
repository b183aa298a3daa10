#include "remote/event_feed.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/url/url.hpp>

#include "api/type.hpp"
#include "core/base/hex.hpp"
#include "remote/answer.hpp"

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::milliseconds;

// Servers break the silence more often.
constexpr std::chrono::seconds silence_limit{60};
constexpr std::chrono::seconds before_reconnecting{1};
constexpr milliseconds while_full{20};

std::string target_of(Channel channel, const SubscribeOptions& options) {
    boost::urls::url target("/v1/events");
    auto parameters = target.params();
    parameters.append(boost::urls::param_view("channel", to_string(channel)));
    const std::string beginning = options.from_oldest ? "start" : "now";
    parameters.append(boost::urls::param_view("from", options.cursor.empty() ? beginning : hex_of(options.cursor)));
    if (options.namespace_name) parameters.append(boost::urls::param_view("namespace", *options.namespace_name));
    if (options.partition) parameters.append(boost::urls::param_view("partition", std::to_string(*options.partition)));
    if (options.consumer) parameters.append(boost::urls::param_view("consumer", *options.consumer));
    return std::string(target.buffer());
}

template <class E>
std::optional<Event> event_in(const boost::json::value& document) {
    auto event = api::from_json<E>(document, {.ignore_unknown_fields = true});
    if (!event) return std::nullopt;
    return Event(*std::move(event));
}

std::optional<Event> event_in(Channel channel, const std::string& text) {
    boost::system::error_code failure;
    const auto document = boost::json::parse(text, failure);
    if (failure) return std::nullopt;
    switch (channel) {
        case Channel::completion:
            return event_in<CompletionEvent>(document);
        case Channel::lease:
            return event_in<LeaseEvent>(document);
        case Channel::signal:
            return event_in<SignalEvent>(document);
        case Channel::operators:
            return event_in<OperatorEvent>(document);
        case Channel::audit:
            return event_in<AuditEvent>(document);
    }
    return std::nullopt;
}

}  // namespace

EventFeed::EventFeed(asio::io_context& io, const Transport& transport, Channel channel, const SubscribeOptions& options)
    : transport_(transport),
      channel_(channel),
      buffer_(std::max<std::size_t>(options.buffer, 1)),
      target_(target_of(channel, options)),
      connection_(io, transport.url(), transport.tls()),
      timer_(io),
      cursor_(options.cursor) {}

void EventFeed::close() {
    closed_ = true;
    connection_.close();
    timer_.cancel();
    end({.kind = ErrorKind::unavailable, .detail = "the client has ended"});
}

asio::awaitable<void> EventFeed::follow() {
    while (!closed_) {
        const auto lost = co_await follow_once(connection_);
        connection_.close();
        if (closed_ || !lost) co_return;
        const bool was_open = [&] {
            const std::scoped_lock lock(mutex_);
            return open_;
        }();
        // A server that ends, or whose store hangs, says so; another one may answer already.
        const bool passes = lost->kind == ErrorKind::transport || lost->kind == ErrorKind::unavailable;
        if (!was_open || !passes) {
            end(*lost);
            co_return;
        }
        put(StreamDisconnected{cursor(), lost->detail});
        co_await rest(before_reconnecting);
    }
}

// Why it ended.
asio::awaitable<std::optional<EngineError>> EventFeed::follow_once(Connection& connection) {
    auto refused = co_await transport_.open(connection);
    if (refused || closed_) co_return refused;
    auto request = transport_.request(http::verb::get, target_);
    request.set(http::field::accept, "text/event-stream");
    if (!last_id_.empty()) request.set("Last-Event-ID", last_id_);
    const auto sent = co_await connection.send(request, transport_.answer_limit());
    if (sent.error) co_return transport_.lost(sent.error);
    Connection::Parser parser;
    parser.body_limit(boost::none);
    auto error = co_await connection.read_head(parser, transport_.answer_limit());
    if (error) co_return transport_.lost(error);
    const unsigned status = parser.get().result_int();
    if (status != 200) {
        error = co_await connection.read_rest(parser, transport_.answer_limit());
        if (error) co_return transport_.lost(error);
        const auto document = document_in(status, parser.get().body());
        co_return document ? error_in(status, *document) : document.error();
    }
    set_open();
    co_return co_await read_events(connection, parser);
}

asio::awaitable<std::optional<EngineError>> EventFeed::read_events(Connection& connection, Connection::Parser& parser) {
    SseParser events;
    while (!parser.is_done()) {
        const auto error = co_await connection.read_some(parser, silence_limit);
        if (error) co_return transport_.lost(error);
        events.put(std::exchange(parser.get().body(), {}));
        while (const auto message = events.next()) take(*message);
        for (bool full = true; full && !closed_;) {
            {
                const std::scoped_lock lock(mutex_);
                full = deliveries_.size() >= buffer_;
            }
            if (full) co_await rest(while_full);
        }
    }
    co_return EngineError{.kind = ErrorKind::transport, .detail = "the server has ended the stream"};
}

asio::awaitable<void> EventFeed::rest(milliseconds time) {
    boost::system::error_code woken;
    timer_.expires_after(time);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

void EventFeed::take(const SseMessage& message) {
    if (!message.id.empty()) last_id_ = message.id;
    if (message.data.empty()) return pass(message.id);
    if (message.event != to_string(channel_)) return;
    auto event = event_in(channel_, message.data);
    if (event) put(*std::move(event));
}

void EventFeed::pass(const std::string& id) {
    auto place = bytes_of_hex(id);
    const std::scoped_lock lock(mutex_);
    if (place && deliveries_.empty()) cursor_ = *std::move(place);
}

void EventFeed::put(Delivery delivery) {
    std::function<void()> ready;
    {
        const std::scoped_lock lock(mutex_);
        deliveries_.push_back(std::move(delivery));
        ready = ready_;
        changed_.notify_all();
    }
    if (ready) ready();
}

void EventFeed::set_open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
}

void EventFeed::end(EngineError error) {
    std::function<void()> ready;
    {
        const std::scoped_lock lock(mutex_);
        if (!ended_) ended_ = std::move(error);
        ready = ready_;
        changed_.notify_all();
    }
    if (ready) ready();
}

Result<void> EventFeed::await_open() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_ || ended_; });
    if (!open_) return *ended_;
    return {};
}

Result<std::optional<Delivery>> EventFeed::next(milliseconds timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [this] { return !deliveries_.empty() || ended_; });
    if (deliveries_.empty()) {
        if (ended_) return *ended_;
        return std::optional<Delivery>();
    }
    Delivery delivery = std::move(deliveries_.front());
    deliveries_.pop_front();
    if (const auto* event = std::get_if<Event>(&delivery)) cursor_ = cursor_of(*event);
    return std::optional(std::move(delivery));
}

void EventFeed::notify(std::function<void()> ready) {
    std::function<void()> now;
    {
        const std::scoped_lock lock(mutex_);
        ready_ = std::move(ready);
        if (!deliveries_.empty() || ended_) now = ready_;
    }
    if (now) now();
}

Bytes EventFeed::cursor() const {
    const std::scoped_lock lock(mutex_);
    return cursor_;
}

}  // namespace flowfabric::remote
