#include "server/routes/operation_routes.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "api/json_text.hpp"
#include "api/routes/answer_form.hpp"
#include "server/auth/refusals.hpp"
#include "server/http/refusal.hpp"
#include "server/routes/operation_call.hpp"
#include "server/routes/page_lines.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

constexpr std::size_t max_batch_items = 10'000;
constexpr std::size_t max_batch_reads = 500;
constexpr std::ptrdiff_t max_batch_answer_bytes = 16'777'216;
constexpr std::uint64_t max_wait_ms = 50'000;

// For so many requests at a time.
class Room {
  public:
    explicit Room(std::size_t most) : free_(most) {}

    bool enter() {
        std::size_t free = free_.load();
        while (free > 0) {
            if (free_.compare_exchange_weak(free, free - 1)) return true;
        }
        return false;
    }
    void leave() { free_.fetch_add(1); }

  private:
    std::atomic<std::size_t> free_;
};

// A request's place in a room that it has entered, until the turn ends or nothing is left of the request.
class Turn {
  public:
    explicit Turn(std::shared_ptr<Room> room) : room_(std::move(room)) {}
    ~Turn() { end(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    void end() {
        if (!ended_.exchange(true)) room_->leave();
    }
    // For what does nothing any more when its client has gone.
    void end_at(const std::stop_token& gone) {
        on_gone_.emplace(gone, [this] { end(); });
    }

  private:
    const std::shared_ptr<Room> room_;
    std::atomic<bool> ended_ = false;
    std::optional<std::stop_callback<std::function<void()>>> on_gone_;
};

// One route, with what it needs to be answered.
struct RouteCall {
    const api::Route& route;
    const api::OperationEntry& operation;
    Client& client;
    std::shared_ptr<BlockingPool> pool;
    std::shared_ptr<CompletionWaits> waits;
    std::shared_ptr<Access> access;
    std::vector<RequestDefault> defaults;  // of the operation
    std::shared_ptr<Room> room;            // null: any number of requests may be under way
};

// What the route's scope does not say.
std::optional<api::Problem> refuse_by_contents(const std::variant<Commands, Queries>& asked, const Caller* caller) {
    if (overrides_lease(asked)) return refuse_without(Scope::admin, caller);
    const auto* command = std::get_if<Commands>(&asked);
    const auto* acknowledged = command == nullptr ? nullptr : std::get_if<AcknowledgeEvents>(command);
    return acknowledged == nullptr ? std::nullopt : refuse_channel(acknowledged->channel, caller);
}

// The request is one that its caller may make, as far as its route says that.
void carry_out(const RouteCall& call, const Asker& asker, json::object request, Outcome then) {
    for (const auto& [operation, field, value] : call.defaults) {
        if (json::value& given = request[field]; given.is_null()) given = value;
    }
    auto asked = api::asked_by(call.route, call.operation, request);
    if (!asked) return then(asked.error());
    if (const auto refused = refuse_by_contents(*asked, asker.caller.get())) return then(*refused);
    end_with(asker, *asked);
    if (api::is_audited(call.route) || overrides_lease(*asked))
        then = call.access->recorded(call.route, request, asker, std::move(then));
    ask(*std::move(asked), call.client, *call.pool, asker.gone,
        [call, request = std::move(request), then = std::move(then)](const Result<std::any>& answer) {
            if (!answer) return then(api::problem_of(answer.error()));
            if (call.route.send_raw != nullptr) return then(call.route.send_raw(request, *answer));
            then(api::answer_of(call.route, call.operation, request, call.operation.present(*answer)));
        });
}

void run(const RouteCall& call, const Asker& asker, json::object body, const api::RequestParts& parts, Outcome then) {
    auto request = api::request_of(call.route, call.operation, std::move(body), parts);
    if (!request) return then(request.error());
    if (!asker.caller || asker.caller->namespaces.empty()) {
        return carry_out(call, asker, *std::move(request), std::move(then));
    }
    call.access->namespaces().hold(asker.caller, call.route, *std::move(request),
                                   [call, asker, then = std::move(then)](api::OrProblem<json::object> held) {
                                       if (!held) return then(held.error());
                                       carry_out(call, asker, *std::move(held), then);
                                   });
}

// How long the request waits for the end of its execution.
api::OrProblem<std::chrono::milliseconds> wait_of(const Request& request) {
    const auto given = request.query_value("wait_ms");
    if (!given || given->empty()) return std::chrono::milliseconds(0);
    std::uint64_t wait_ms = 0;
    const auto [end, failure] = std::from_chars(given->data(), given->data() + given->size(), wait_ms);
    if (failure == std::errc() && end == given->data() + given->size() && wait_ms <= max_wait_ms) {
        return std::chrono::milliseconds(wait_ms);
    }
    return api::unreadable(400,
                           invalid_input("wait_ms", "must be an integer from 0 to " + std::to_string(max_wait_ms)));
}

void answer_at_end(const RouteCall& call, const Request& request, std::chrono::milliseconds wait,
                   const ExecutionId& execution, const Responder& responder) {
    const auto look = [call, asker = asker_of(request), parts = parts_of(request), responder](
                          bool last, std::function<void(bool)> then) {
        run(call, asker, {}, parts, [responder, last, then = std::move(then)](api::OrProblem<api::SentAnswer> answer) {
            const bool has_ended = answer || answer.error().kind != name_of(api::not_ended);
            if (!has_ended && !last) return then(false);
            responder.respond(answer ? response_of(*std::move(answer)) : response_of(answer.error()));
            then(true);
        });
    };
    responder.respond_at(request.ending, draining());
    call.waits->wait(execution, CompletionWaits::Clock::now() + wait_within(request.deadline, wait), request.gone,
                     look);
}

api::Problem too_many_at_once(const api::Route& route) {
    if (route.is_stream_operation) {
        return api::refused(429, "resource_exhausted", "too many concurrent stream operations");
    }
    return api::refused(429, "concurrency_limit_exceeded",
                        std::string("too many concurrent ").append(route.one_at_a_time).append(" calls"));
}

// The parts of the request for the page behind the cursor.
api::RequestParts parts_behind(api::RequestParts parts, const std::optional<std::string>& cursor) {
    if (!cursor) return parts;
    std::erase_if(parts.query, [](const auto& parameter) { return parameter.first == "cursor"; });
    parts.query.emplace_back("cursor", *cursor);
    return parts;
}

void answer_in_lines(const RouteCall& call, const Request& request, const Responder& responder) {
    PageLines::Source source{
        .items = call.route.lines,
        .ask = [call, asker = asker_of(request), parts = parts_of(request)](
                   const auto& cursor,
                   Outcome then) { run(call, asker, {}, parts_behind(parts, cursor), std::move(then)); },
        .goes_on = [access = call.access, caller = request.caller] { return access->accepts(caller.get()); }};
    std::make_shared<PageLines>(std::move(source), request, responder)->ask(std::nullopt);
}

void answer_one(const RouteCall& call, const Request& request, const Responder& responder) {
    auto body = call.route.without_body ? api::OrProblem<json::object>(json::object{}) : body_of(request);
    if (!body) return responder.respond(response_of(body.error()));
    if (call.route.waits_for_end) {
        const auto wait = wait_of(request);
        if (!wait) return responder.respond(response_of(wait.error()));
        const auto execution = ExecutionId::parse(request.places.at("id"));
        if (execution && wait->count() > 0) return answer_at_end(call, request, *wait, *execution, responder);
    }
    if (!call.route.lines.empty()) return answer_in_lines(call, request, responder);
    std::shared_ptr<Turn> turn;
    if (call.room) {
        if (!call.room->enter()) return responder.respond(response_of(too_many_at_once(call.route)));
        turn = std::make_shared<Turn>(call.room);
        if (call.route.is_stream_operation) turn->end_at(request.gone);
    }
    if (!call.route.early.empty()) responder.respond_at(request.ending, {.body = std::string(call.route.early)});
    if (call.route.waits) keep_open(responder);
    run(call, asker_of(request), *std::move(body), parts_of(request),
        [call, responder, turn](api::OrProblem<api::SentAnswer> answer) {
            if (turn) turn->end();
            if (!answer) return responder.respond(response_of(answer.error()));
            if (call.route.abandon == nullptr) return responder.respond(response_of(*std::move(answer)));
            if (!responder.try_respond(response_of(*answer))) call.route.abandon(call.client, *answer);
        });
}

api::Problem answer_too_large() {
    return api::refused(413, "answer_too_large", "the answer to the batch has no room left; ask for fewer at once");
}

// The outcomes of a batch, which come from any thread and in any order. They are kept as text, and no more of it than
// an answer may have.
class BatchAnswers {
  public:
    BatchAnswers(RouteCall call, std::size_t count, Responder responder)
        : call_(std::move(call)), items_(count), open_(count), responder_(std::move(responder)) {}

    void put(std::size_t index, api::OrProblem<api::SentAnswer> outcome) {
        Item& item = items_[index];
        if (outcome) {
            if (call_.route.abandon != nullptr) item.held = *outcome;
            item.text = api::json_text(json::object{{"answer", std::move(outcome->body)}});
            if (!take_room(static_cast<std::ptrdiff_t>(item.text.size()))) {
                abandon(item);
                item = {.text = api::json_text(problem_item(answer_too_large()))};
            }
        } else {
            item.text = api::json_text(problem_item(outcome.error()));
        }
        if (open_.fetch_sub(1) == 1) finish();
    }

  private:
    struct Item {
        std::string text = {};
        std::optional<api::SentAnswer> held = {};  // what its client has to get, or is taken back
    };

    bool take_room(std::ptrdiff_t bytes) {
        if (room_.fetch_sub(bytes) >= bytes) return true;
        room_.fetch_add(bytes);
        return false;
    }

    void finish() {
        std::string all = R"({"items":[)";
        for (const Item& item : items_) all.append(&item == &items_.front() ? "" : ",").append(item.text);
        if (responder_.try_respond({.body = std::move(all.append("]}"))})) return;
        for (const Item& item : items_) abandon(item);
    }

    void abandon(const Item& item) const {
        if (item.held) call_.route.abandon(call_.client, *item.held);
    }

    const RouteCall call_;
    std::vector<Item> items_;  // each is written by one thread, and read when all are
    std::atomic<std::ptrdiff_t> room_ = max_batch_answer_bytes;
    std::atomic<std::size_t> open_;
    const Responder responder_;
};

// Each item of a batch has a key of its own under the batch's.
api::RequestParts parts_of_item(const api::RequestParts& batch, std::size_t index) {
    api::RequestParts item{.places = {},
                           .query = {},
                           .idempotency_key = batch.idempotency_key,
                           .traceparent = batch.traceparent,
                           .tracestate = batch.tracestate};
    if (item.idempotency_key) item.idempotency_key->append("/").append(std::to_string(index));
    return item;
}

// What such an item holds would be kept from its client until the last item of the batch is answered.
bool waits(const json::object& item) {
    const json::value* wait = item.if_contains("max_wait_ms");
    return wait != nullptr && !wait->is_null() && *wait != json::value(0);
}

void answer_batch(const RouteCall& call, const Request& request, const Responder& responder) {
    auto body = body_of(request);
    if (!body) return responder.respond(response_of(body.error()));
    const json::value* given = body->if_contains("items");
    const auto* items = given == nullptr ? nullptr : given->if_array();
    const std::size_t most = call.operation.changes ? max_batch_items : max_batch_reads;
    if (items == nullptr || items->size() > most) {
        const auto reason = "must be an array of at most " + std::to_string(most);
        return responder.respond(response_of(api::unreadable(422, invalid_input("items", reason))));
    }
    if (items->empty()) return responder.respond({.body = R"({"items":[]})"});
    const auto answers = std::make_shared<BatchAnswers>(call, items->size(), responder);
    const api::RequestParts parts = parts_of(request);
    for (std::size_t i = 0; i < items->size(); ++i) {
        const auto* item = (*items)[i].if_object();
        if (item == nullptr) {
            answers->put(i,
                         api::unreadable(422, invalid_input("items[" + std::to_string(i) + "]", "must be an object")));
            continue;
        }
        if (call.route.abandon != nullptr && waits(*item)) {
            answers->put(i, api::unreadable(422, invalid_input("max_wait_ms", "must be 0 in a batch")));
            continue;
        }
        run(call, asker_of(request), *item, parts_of_item(parts, i),
            [answers, i](auto outcome) { answers->put(i, std::move(outcome)); });
    }
}

void add_call(Router& router, const RouteCall& call) {
    const api::Route& route = call.route;
    const auto rules = [&route](api::BodyLimit limit) {
        return RouteRules{.scope = route.scope,
                          .by_namespace = !route.belongs_to.empty(),
                          .body_limit = static_cast<std::size_t>(limit)};
    };
    router.add(std::string(route.method), route.path,
               beside_io(call.pool, [call](const Request& request,
                                           const Responder& responder) { answer_one(call, request, responder); }),
               rules(route.limit));
    if (!route.batched) return;
    router.add(std::string(route.method), std::string(route.path) + ":batch",
               beside_io(call.pool, [call](const Request& request,
                                           const Responder& responder) { answer_batch(call, request, responder); }),
               rules(api::BodyLimit::bulk));
}

}  // namespace

void add_operation_routes(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool,
                          const std::shared_ptr<CompletionWaits>& waits, const std::shared_ptr<Access>& access,
                          const std::vector<RequestDefault>& defaults, std::size_t stream_operations) {
    auto streams = std::make_shared<Room>(stream_operations);
    const auto room_of = [&streams](const api::Route& route) {
        if (route.is_stream_operation) return streams;
        return route.one_at_a_time.empty() ? nullptr : std::make_shared<Room>(1);
    };
    const auto defaults_of = [&defaults](std::string_view operation) {
        std::vector<RequestDefault> own;
        std::ranges::copy_if(defaults, std::back_inserter(own),
                             [&](const RequestDefault& each) { return each.operation == operation; });
        return own;
    };
    for (const auto& table : {api::routes(), api::named_routes()}) {
        for (const api::Route& route : table) {
            add_call(router, {route, *api::find_operation(route.operation), client, pool, waits, access,
                              defaults_of(route.operation), room_of(route)});
        }
    }
}

}  // namespace flowfabric::server
