#include "server/routes/output_streams.hpp"

#include <charconv>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/base/hex.hpp"
#include "server/routes/operation_call.hpp"
#include "server/routes/output_messages.hpp"

namespace flowfabric::server {
namespace {

using WalkOptions = api::OutputWalk::Options;

constexpr std::chrono::minutes between_looks_for_followers{5};

const api::Route& output_route() {
    static const api::Route route{.method = "GET",
                                  .path = "/v1/executions/{id}/stream",
                                  .belongs_to = {{.to = api::Belonging::To::execution, .field = "execution_id"}}};
    return route;
}

api::Problem refuse(std::string_view field, std::string_view reason) {
    return api::unreadable(400, invalid_input(field, reason));
}

// A client that comes back says what it has seen.
std::optional<api::Problem> read_beginning(const Request& request, WalkOptions& options) {
    const auto last = request.headers.find("last-event-id").value_or("");
    const auto from = request.query_value("from").value_or("");
    if (last.empty() && (from.empty() || from == "current")) return std::nullopt;
    if (last.empty() && from == "start") {
        options.from_first = true;
        return std::nullopt;
    }
    const std::string_view field = last.empty() ? "from" : "Last-Event-ID";
    const auto cursor = bytes_of_hex(last.empty() ? from : last);
    if (!cursor) return refuse(field, "must be a cursor: hexadecimal digits");
    const auto place = api::OutputPlace::of_cursor(*cursor);
    if (!place) return refuse(field, "must be a cursor of an execution's output");
    options.from = *place;
    return std::nullopt;
}

std::optional<api::Problem> read_filters(const Request& request, WalkOptions& options) {
    if (const auto text = request.query_value("attempt").value_or(""); !text.empty()) {
        std::uint32_t attempt = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), attempt);
        if (failure != std::errc() || end != text.data() + text.size()) return refuse("attempt", "must be a number");
        options.only_attempt = attempt;
    }
    const auto text = request.query_value("visibility").value_or("");
    const auto visibility = text.empty() ? FrameVisibility::all : parse_enum<FrameVisibility>(text);
    if (!visibility) return refuse("visibility", "must be all or exclude_best_effort");
    options.visibility = *visibility;
    return std::nullopt;
}

// Each time for so long: a follower that has ended is found then, if nothing tells of it before.
void tell_of_end(const std::weak_ptr<CompletionWaits>& to_wait, const ExecutionId& id, const std::stop_token& gone,
                 const std::function<bool()>& may_have_ended) {
    const auto waits = to_wait.lock();
    if (!waits) return;
    const auto until = CompletionWaits::Clock::now() + between_looks_for_followers;
    waits->wait(id, until, gone, [=](bool last, const std::function<void(bool)>& then) {
        const bool follows = may_have_ended();
        then(last || !follows);
        // A wait that ends before its time cannot be waited for now; the follower looks by itself from time to time.
        const bool is_over = CompletionWaits::Clock::now() < until || gone.stop_requested();
        if (last && follows && !is_over) tell_of_end(to_wait, id, gone, may_have_ended);
    });
}

void follow_output(EventStreamPool& streams, const std::shared_ptr<CompletionWaits>& waits, const Request& request,
                   const Responder& responder) {
    const auto id = ExecutionId::parse(request.places.at("id"));
    if (!id) return responder.respond(response_of(api::problem_of(id.error())));
    WalkOptions options;
    if (const auto refused = read_beginning(request, options)) return responder.respond(response_of(*refused));
    if (const auto refused = read_filters(request, options)) return responder.respond(response_of(*refused));
    const auto tell = [to_wait = std::weak_ptr(waits), id = *id,
                       gone = request.gone](const std::function<bool()>& may_have_ended) {
        tell_of_end(to_wait, id, gone, may_have_ended);
    };
    streams.for_caller(
        request, output_route(), {{"execution_id", id->to_string()}}, responder,
        [&streams, id = *id, options, tell, request, responder](const boost::json::object&) {
            streams.open(
                [&engine = streams.engine(), id, options, tell]() -> Result<std::unique_ptr<MessageSource>> {
                    return std::unique_ptr<MessageSource>(std::make_unique<OutputMessages>(engine, id, options, tell));
                },
                std::nullopt, request, responder);
        });
}

}  // namespace

void add_output_stream_route(Router& router, const std::shared_ptr<EventStreamPool>& streams,
                             const std::shared_ptr<CompletionWaits>& waits) {
    router.add("GET", output_route().path,
               [streams, waits](const Request& request, const Responder& responder) {
                   follow_output(*streams, waits, request, responder);
               },
               {.scope = Scope::read, .by_namespace = true});
}

}  // namespace flowfabric::server
