#include "server/routes/event_streams.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/hex.hpp"
#include "runtime/threads/guard.hpp"
#include "server/auth/refusals.hpp"
#include "server/routes/event_stream.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

constexpr std::size_t stream_threads = 4;
constexpr std::size_t stream_buffer = 200;  // events
constexpr std::chrono::seconds between_looks{5};

using Subscribe = std::function<Result<std::unique_ptr<Subscription>>()>;

// All streams of a server, with the threads that they share: those of a pool, which subscribe, read and write, and one
// that looks for streams which have been silent for long, or whose callers are no longer let in.
//
// Life cycle: the constructor starts the threads; the destructor runs what is queued and joins. By then every client
// has gone.
class EventStreams {
  public:
    EventStreams(Engine& engine, std::shared_ptr<Access> access)
        : engine_(engine),
          access_(std::move(access)),
          pool_(stream_threads),
          looking_([this](const std::stop_token& stop) { look(stop); }) {}

    Engine& engine() { return engine_; }

    // Calls `then` with what is asked for as the caller may follow it, or answers with the refusal. The route says what
    // belongs to a namespace.
    void for_caller(const Request& request, const api::Route& route, boost::json::object asked,
                    const Responder& responder, std::function<void(boost::json::object)> then) {
        if (!request.caller || request.caller->namespaces.empty()) return then(std::move(asked));
        access_->namespaces().hold(request.caller, route, std::move(asked),
                                   [responder, then = std::move(then)](api::OrProblem<boost::json::object> held) {
                                       if (!held) return responder.respond(response_of(held.error()));
                                       then(*std::move(held));
                                   });
    }

    void open(Subscribe subscribe, std::optional<DurableConsumer> consumer, const Request& request,
              const Responder& responder) {
        // The stream outlives the tokens that were accepted when it began, and needs no other of them.
        const auto caller = request.caller ? std::make_shared<const Caller>(*request.caller) : nullptr;
        pool_.post([this, subscribe = std::move(subscribe), consumer = std::move(consumer), gone = request.gone,
                    draining = request.ending, responder, caller]() mutable {
            if (gone.stop_requested()) return;
            auto subscription = subscribe();
            // A cursor that is too old is refused with the oldest one that still works.
            if (!subscription) return responder.respond(response_of(api::problem_of(subscription.error())));
            const EventStream::Setting setting{
                .client = engine_, .pool = pool_, .draining = draining, .accepted = [access = access_, caller] {
                    return access->accepts(caller.get());
                }};
            const auto stream =
                std::make_shared<EventStream>(setting, *std::move(subscription), std::move(consumer), gone);
            stream->open(responder);
            const std::scoped_lock lock(mutex_);
            streams_.push_back(stream);
        });
    }

  private:
    void look(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stopping_.wait_for(lock, stop, between_looks, [&] { return stop.stop_requested(); })) {
            contain("a look at silent event streams broke", [&] {
                std::erase_if(streams_, [](const auto& known) {
                    const auto stream = known.lock();
                    return !stream || !stream->look();
                });
            });
        }
    }

    Engine& engine_;
    const std::shared_ptr<Access> access_;
    std::mutex mutex_;  // guards streams_
    std::condition_variable_any stopping_;
    std::vector<std::weak_ptr<EventStream>> streams_;
    BlockingPool pool_;
    std::jthread looking_;
};

api::Problem refuse(std::string_view field, std::string_view reason) {
    return api::unreadable(400, invalid_input(field, reason));
}

struct Beginning {
    Bytes cursor;  // empty: from now, or the oldest event
    bool from_oldest = false;
};

// A client that comes back says what it has seen.
api::OrProblem<Beginning> beginning_of(const Request& request) {
    const auto last = request.headers.find("last-event-id").value_or("");
    const auto from = request.query_value("from").value_or("");
    if (last.empty() && (from.empty() || from == "now")) return Beginning{};
    if (last.empty() && from == "start") return Beginning{.cursor = {}, .from_oldest = true};
    auto cursor = bytes_of_hex(last.empty() ? from : last);
    if (!cursor || cursor->empty()) {
        return last.empty() ? refuse("from", "must be start, now or a cursor: hexadecimal digits")
                            : refuse("Last-Event-ID", "must be a cursor: hexadecimal digits");
    }
    return Beginning{.cursor = *std::move(cursor), .from_oldest = false};
}

api::OrProblem<std::optional<std::uint16_t>> partition_of(const Request& request) {
    const auto text = request.query_value("partition").value_or("");
    if (text.empty()) return std::optional<std::uint16_t>{};
    std::uint16_t partition = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), partition);
    if (failure != std::errc() || end != text.data() + text.size()) return refuse("partition", "must be a number");
    return std::optional(partition);
}

std::optional<std::string> text_in(const Request& request, std::string_view name) {
    const auto text = request.query_value(name).value_or("");
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

const api::Route& channel_route() {
    static const api::Route route{.method = "GET", .path = "/v1/events", .belongs_to = {{.field = "namespace"}}};
    return route;
}

const api::Route& execution_route() {
    static const api::Route route{.method = "GET",
                                  .path = "/v1/executions/{id}/events",
                                  .belongs_to = {{.to = api::Belonging::To::execution, .field = "execution_id"}}};
    return route;
}

// A consumer keeps events from being removed, so that only operators register one.
Result<void> check_registered(Engine& engine, Channel channel, const std::string& consumer) {
    const auto known = engine.list_consumers();
    if (!known) return known.error();
    const auto is_it = [&](const ConsumerView& one) { return one.channel == channel && one.name == consumer; };
    if (std::ranges::any_of(*known, is_it)) return {};
    return EngineError{.kind = ErrorKind::consumer_not_found, .detail = consumer, .not_active = std::nullopt};
}

void follow_channel(EventStreams& streams, const Request& request, const Responder& responder) {
    const auto channel = parse_enum<Channel>(request.query_value("channel").value_or(""));
    if (!channel) {
        return responder.respond(
            response_of(refuse("channel", "must be one of completion, lease, signal, operator, audit")));
    }
    if (const auto refused = refuse_channel(*channel, request.caller.get())) {
        return responder.respond(response_of(*refused));
    }
    SubscribeOptions options;
    options.consumer = text_in(request, "consumer");
    if (options.consumer && request.caller && !request.caller->namespaces.empty()) {
        return responder.respond(
            response_of(forbidden(*request.caller, "is held to namespaces, which consumers are not")));
    }
    const auto beginning = beginning_of(request);
    if (!beginning) return responder.respond(response_of(beginning.error()));
    const auto partition = partition_of(request);
    if (!partition) return responder.respond(response_of(partition.error()));
    options.cursor = beginning->cursor;
    options.from_oldest = beginning->from_oldest;
    options.partition = *partition;
    options.buffer = stream_buffer;
    boost::json::object asked;
    if (const auto name = text_in(request, "namespace")) asked["namespace"] = *name;
    streams.for_caller(request, channel_route(), std::move(asked), responder,
                       [&streams, channel = *channel, options, request, responder](boost::json::object held) mutable {
                           if (const auto* name = held.if_contains("namespace"))
                               options.namespace_name = name->as_string();
                           std::optional<DurableConsumer> consumer;
                           if (options.consumer) consumer = {.channel = channel, .name = *options.consumer};
                           const bool may_register = !request.caller || request.caller->may(Scope::admin);
                           streams.open(
                               [&engine = streams.engine(), channel, options,
                                may_register]() -> Result<std::unique_ptr<Subscription>> {
                                   if (options.consumer && !may_register) {
                                       auto registered = check_registered(engine, channel, *options.consumer);
                                       if (!registered) return registered.error();
                                   }
                                   return engine.subscribe(channel, options);
                               },
                               std::move(consumer), request, responder);
                       });
}

void follow_execution(EventStreams& streams, const Request& request, const Responder& responder) {
    const auto id = ExecutionId::parse(request.places.at("id"));
    if (!id) return responder.respond(response_of(api::problem_of(id.error())));
    const auto beginning = beginning_of(request);
    if (!beginning) return responder.respond(response_of(beginning.error()));
    streams.for_caller(request, execution_route(), {{"execution_id", id->to_string()}}, responder,
                       [&streams, id = *id, beginning = *beginning, request, responder](const boost::json::object&) {
                           streams.open(
                               [&engine = streams.engine(), id, beginning] {
                                   return engine.subscribe_execution(id, beginning.cursor, beginning.from_oldest);
                               },
                               std::nullopt, request, responder);
                       });
}

}  // namespace

void add_event_stream_routes(Router& router, Engine& engine, const std::shared_ptr<Access>& access) {
    const auto streams = std::make_shared<EventStreams>(engine, access);
    const RouteRules reading{.scope = Scope::read, .by_namespace = true};
    router.add(
        "GET", channel_route().path,
        [streams](const Request& request, const Responder& responder) { follow_channel(*streams, request, responder); },
        {.scope = Scope::read, .by_namespace = true, .changing_query = "consumer"});
    router.add(
        "GET", execution_route().path,
        [streams](const Request& request, const Responder& responder) {
            follow_execution(*streams, request, responder);
        },
        reading);
}

}  // namespace flowfabric::server
