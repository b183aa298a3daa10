#include "server/routes/worker_round.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "api/json_text.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/task_form.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

constexpr std::uint64_t default_wait_ms = 20'000;
constexpr std::size_t max_items = 10'000;
// Longer than a claim may wait, so that a worker which does nothing but wait stays registered.
constexpr std::uint64_t liveness_ttl_ms = 90'000;

// What a worker may report of a task, and the operation that it is.
constexpr std::pair<std::string_view, std::string_view> outcomes[] = {{"complete", "complete"},
                                                                      {"fail", "fail"},
                                                                      {"delay", "delay"},
                                                                      {"suspend", "suspend"},
                                                                      {"release", "release_unstarted"}};

api::Problem refuse(std::string_view field, std::string_view reason) {
    return api::unreadable(422, invalid_input(field, reason));
}

// A frame has the form that it has by itself.
const api::Route& frames_route() {
    static const auto found =
        std::ranges::find(api::routes(), std::string_view("append_frame"), &api::Route::operation);
    return *found;
}

// A lease that is gone stays gone; any other failure may pass.
bool is_lost(const EngineError& error) {
    const ErrorFamily family = family_of(error.kind);
    return family == ErrorFamily::state || family == ErrorFamily::not_found ||
           error.kind == ErrorKind::execution_not_active;
}

json::object renewal_item(const Result<json::value>& answer) {
    if (answer) return {{"expires_at_ms", answer->at("lease_expires_at_ms")}};
    const EngineError& error = answer.error();
    json::object item = problem_item(api::problem_of(error));
    if (!is_lost(error)) return item;
    item["lost"] = true;
    if (error.not_active && error.not_active->terminal_outcome == "cancelled") item["cancel_requested"] = true;
    return item;
}

// What the request holds. Each part is refused by itself, so that none fails the others.
struct Round {
    using Part = api::OrProblem<json::object>;

    std::vector<Part> frames;
    std::vector<Part> done;
    std::vector<Part> renew;
    std::optional<Part> claim;
    std::optional<json::object> presence;  // tells the registry that the worker is there

    bool reports() const { return !frames.empty() || !done.empty() || !renew.empty(); }
    bool only_claims() const { return claim && !reports(); }
};

// The field, if the object has it; null counts as absent.
auto* given_in(auto& object, std::string_view name) {
    auto* value = object.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

api::OrProblem<std::vector<Round::Part>> parts_in(json::object& body, std::string_view name) {
    std::vector<Round::Part> parts;
    json::value* given = given_in(body, name);
    if (given == nullptr) return parts;
    auto* items = given->if_array();
    if (items == nullptr || items->size() > max_items) {
        return refuse(name, "must be an array of at most " + std::to_string(max_items));
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
        auto* item = (*items)[i].if_object();
        if (item == nullptr) {
            parts.emplace_back(refuse(std::string(name) + '[' + std::to_string(i) + ']', "must be an object"));
        } else {
            parts.emplace_back(std::move(*item));
        }
    }
    return parts;
}

void rename(json::object& object, std::string_view from, std::string_view to) {
    const auto found = object.find(from);
    if (found == object.end()) return;
    // A new key may move all of them to another place.
    json::value value = std::move(found->value());
    object.erase(found);
    object[to] = std::move(value);
}

// The request of `claim`. One that comes with a report or a renewal takes what is there and never waits.
Round::Part claim_in(const json::object& body, json::value& given, const Request& request, bool may_wait) {
    if (!given.is_object()) return refuse("claim", "must be an object");
    json::object claim = std::move(given.get_object());
    if (given_in(claim, "kinds") != nullptr)
        return refuse("claim.kinds", "is not supported; a lane or a capability chooses the work");
    rename(claim, "max", "max_count");
    rename(claim, "wait_ms", "max_wait_ms");
    if (auto refused = api::limit_claim_wait(claim, "claim.wait_ms", default_wait_ms)) return *std::move(refused);
    if (!may_wait) claim["max_wait_ms"] = 0;
    claim["worker_id"] = request.places.at("worker_id");
    claim["namespace"] = "default";
    for (const std::string_view name : {"worker_instance_id", "request_id", "namespace"}) {
        if (const json::value* own = given_in(body, name)) claim[name] = *own;
    }
    return claim;
}

// The request of `register_worker` where a claim says what the worker serves, and of `heartbeat_worker` otherwise.
std::optional<json::object> presence_in(const json::object& body, const std::optional<Round::Part>& claim) {
    json::object presence;
    const auto copy = [&](const json::object& from, std::string_view name) {
        if (const json::value* given = given_in(from, name)) presence[name] = *given;
    };
    if (!claim || !*claim) {
        copy(body, "worker_instance_id");
        copy(body, "namespace");
        return presence.contains("worker_instance_id") ? std::optional(std::move(presence)) : std::nullopt;
    }
    for (const std::string_view name : {"namespace", "worker_id", "worker_instance_id", "lanes", "capabilities"}) {
        copy(**claim, name);
    }
    presence["liveness_ttl_ms"] = liveness_ttl_ms;
    return presence;
}

api::OrProblem<Round> round_in(json::object body, const Request& request) {
    Round round;
    auto frames = parts_in(body, "frames");
    if (!frames) return frames.error();
    auto done = parts_in(body, "done");
    if (!done) return done.error();
    auto renew = parts_in(body, "renew");
    if (!renew) return renew.error();
    round.frames = *std::move(frames);
    round.done = *std::move(done);
    round.renew = *std::move(renew);
    if (json::value* claim = given_in(body, "claim")) {
        round.claim = claim_in(body, *claim, request, !round.reports());
        if (round.only_claims() && !*round.claim) return round.claim->error();
    }
    round.presence = presence_in(body, round.claim);
    return round;
}

// One call, from its request to its answer. Answers of the engine come from any thread; each has a place of its own.
class RoundCall : public std::enable_shared_from_this<RoundCall> {
  public:
    RoundCall(Client& client, Asker asker, Responder responder)
        : client_(client), asker_(std::move(asker)), responder_(std::move(responder)) {}

    void run(Round round) {
        frames_.resize(round.frames.size());
        done_.resize(round.done.size());
        renewed_.resize(round.renew.size());
        // Its own share keeps the call open until everything is submitted.
        open_ = 1;
        // In front of the reports, behind which a stream is closed.
        for (std::size_t i = 0; i < round.frames.size(); ++i) append(i, round.frames[i]);
        for (std::size_t i = 0; i < round.done.size(); ++i) report(i, round.done[i]);
        for (std::size_t i = 0; i < round.renew.size(); ++i) renew(i, std::move(round.renew[i]));
        const bool claims = round.claim && *round.claim;
        if (round.presence) report_presence(*round.presence, claims);
        if (claims) claim(**round.claim);
        if (round.claim && !claims) claimed_ = round.claim->error();
        finish_one();
    }

  private:
    using Take = std::function<void(Result<json::value>)>;
    using Claimed = api::OrProblem<json::value>;

    void submit(std::string_view name, const json::object& request, const Take& take) {
        const api::OperationEntry& operation = *api::find_operation(name);
        auto asked = operation.parse(request, {.ignore_unknown_fields = true});
        if (!asked) {
            take(asked.error());
            return;
        }
        if (overrides_lease(*asked)) {
            take(invalid_input("source", "must be lease_holder in a worker's round"));
            return;
        }
        end_with(asker_, *asked);
        open_.fetch_add(1);
        client_.submit_any(
            std::get<Commands>(*std::move(asked)),
            [self = shared_from_this(), &operation, take](const Result<std::any>& answer) {
                take(answer ? Result<json::value>(operation.present(*answer)) : Result<json::value>(answer.error()));
                self->finish_one();
            },
            Client::AnswerOn::executor);
    }

    void append(std::size_t index, const Round::Part& part) {
        auto frame = part ? api::request_of(frames_route(), *api::find_operation("append_frame"), *part, {})
                          : Round::Part(part.error());
        if (!frame) {
            frames_[index] = problem_item(frame.error());
            return;
        }
        submit("append_frame", *frame, [this, index](const Result<json::value>& answer) {
            frames_[index] = answer ? json::object{{"answer", *answer}} : problem_item(api::problem_of(answer.error()));
        });
    }

    void report(std::size_t index, const Round::Part& part) {
        if (!part) {
            done_[index] = problem_item(part.error());
            return;
        }
        const json::object& item = *part;
        const json::value* outcome = item.if_contains("outcome");
        const std::string_view name =
            outcome != nullptr && outcome->is_string() ? std::string_view(outcome->get_string()) : "";
        const auto* known = std::ranges::find(outcomes, name, &std::pair<std::string_view, std::string_view>::first);
        if (known == std::end(outcomes)) {
            done_[index] = problem_item(refuse("outcome", "must be one of complete, fail, delay, suspend, release"));
            return;
        }
        submit(known->second, item, [this, index](const Result<json::value>& answer) {
            done_[index] = answer ? json::object{{"answer", *answer}} : problem_item(api::problem_of(answer.error()));
        });
    }

    void renew(std::size_t index, Round::Part part) {
        if (!part) {
            renewed_[index] = problem_item(part.error());
            return;
        }
        json::object& item = *part;
        if (const json::value* progress = item.if_contains("progress"); progress != nullptr && progress->is_object()) {
            json::object command = progress->get_object();
            command["lease"] = item["lease"];
            // A lease that is lost shows in its renewal.
            submit("progress", command, [](const Result<json::value>&) {});
        }
        submit("renew", item,
               [this, index](const Result<json::value>& answer) { renewed_[index] = renewal_item(answer); });
    }

    void claim(const json::object& request) {
        submit("claim", request, [this](Result<json::value> answer) {
            claimed_ = answer ? Claimed(*std::move(answer)) : Claimed(api::problem_of(answer.error()));
        });
    }

    // Nothing depends on the registry, so what it refuses is not told. The claim says by itself what is asked of the
    // worker.
    void report_presence(const json::object& request, bool claims) {
        if (claims) {
            submit("register_worker", request, [](const Result<json::value>&) {});
            return;
        }
        submit("heartbeat_worker", request, [this](const Result<json::value>& answer) {
            // A worker that is not registered is told so by a word alone.
            const json::object* told = answer ? answer->if_object() : nullptr;
            if (told != nullptr) worker_ = told->at("WorkerAlive").at("mode");
        });
    }

    void finish_one() {
        if (open_.fetch_sub(1) != 1) return;
        json::object body{{"done", json::array(done_.begin(), done_.end())},
                          {"renew", json::array(renewed_.begin(), renewed_.end())}};
        if (!frames_.empty()) body["frames"] = json::array(frames_.begin(), frames_.end());
        json::array tasks;
        if (claimed_ && !*claimed_) {
            if (frames_.empty() && done_.empty() && renewed_.empty()) {
                return responder_.respond(response_of(claimed_->error()));
            }
            body["claim"] = problem_item(claimed_->error());
        } else if (claimed_) {
            worker_ = (*claimed_)->at("worker");
            tasks = api::tasks_of(**std::move(claimed_));
        }
        body["tasks"] = std::move(tasks);
        body["worker"] = std::move(worker_);
        if (!responder_.try_respond({.body = api::json_text(body)})) {
            api::give_back(client_, body.at("tasks").as_array());
        }
    }

    Client& client_;
    const Asker asker_;
    const Responder responder_;
    std::vector<json::object> frames_;
    std::vector<json::object> done_;
    std::vector<json::object> renewed_;
    std::optional<Claimed> claimed_;
    json::value worker_ = "run";  // what is asked of the worker
    std::atomic<std::size_t> open_ = 0;
};

}  // namespace

void add_worker_round_route(Router& router, Client& client, const std::shared_ptr<BlockingPool>& pool) {
    const RouteRules rules{.scope = Scope::worker, .body_limit = static_cast<std::size_t>(api::BodyLimit::bulk)};
    const Handler exchange = [&client](const Request& request, const Responder& responder) {
        auto body = body_of(request);
        if (!body) return responder.respond(response_of(body.error()));
        auto round = round_in(*std::move(body), request);
        if (!round) return responder.respond(response_of(round.error()));
        if (round->only_claims()) {
            responder.respond_at(request.ending, {.body = R"({"done":[],"renew":[],"tasks":[],"worker":"run"})"});
            keep_open(responder);
        }
        std::make_shared<RoundCall>(client, asker_of(request), responder)->run(*std::move(round));
    };
    router.add("POST", "/v1/workers/{worker_id}/exchange", beside_io(pool, exchange), rules);
}

}  // namespace flowfabric::server
