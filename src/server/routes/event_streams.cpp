#include "server/routes/event_streams.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/hex.hpp"
#include "server/auth/refusals.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

constexpr std::size_t stream_buffer = 200;  // events

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

void follow_channel(EventStreamPool& streams, const Request& request, const Responder& responder) {
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
                                may_register]() -> Result<std::unique_ptr<MessageSource>> {
                                   if (options.consumer && !may_register) {
                                       auto registered = check_registered(engine, channel, *options.consumer);
                                       if (!registered) return registered.error();
                                   }
                                   return messages_of(engine.subscribe(channel, options));
                               },
                               std::move(consumer), request, responder);
                       });
}

void follow_execution(EventStreamPool& streams, const Request& request, const Responder& responder) {
    const auto id = ExecutionId::parse(request.places.at("id"));
    if (!id) return responder.respond(response_of(api::problem_of(id.error())));
    const auto beginning = beginning_of(request);
    if (!beginning) return responder.respond(response_of(beginning.error()));
    streams.for_caller(
        request, execution_route(), {{"execution_id", id->to_string()}}, responder,
        [&streams, id = *id, beginning = *beginning, request, responder](const boost::json::object&) {
            streams.open(
                [&engine = streams.engine(), id, beginning] {
                    return messages_of(engine.subscribe_execution(id, beginning.cursor, beginning.from_oldest));
                },
                std::nullopt, request, responder);
        });
}

}  // namespace

void add_event_stream_routes(Router& router, const std::shared_ptr<EventStreamPool>& streams) {
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
