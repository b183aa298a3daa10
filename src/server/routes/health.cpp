#include "server/routes/health.hpp"

#include <chrono>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "core/base/partition.hpp"
#include "server/health_probe.hpp"
#include "server/http/refusal.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

constexpr std::string_view unavailable = "unavailable";

constexpr std::chrono::milliseconds deadline{2'000};
// A store that hangs is asked once in ten seconds; requests meanwhile are answered at once.
constexpr std::chrono::milliseconds patience{10'000};

// Shared by the routes, on the pool's threads.
class Health {
  public:
    Health(Engine& engine, std::string store_kind)
        : engine_(engine),
          store_kind_(std::move(store_kind)),
          store_([&engine] { return engine.check_store(patience).has_value(); }, deadline) {}

    // Why the store cannot be used; empty: it can.
    std::string_view failure() { return store_.healthy() ? "" : unavailable; }
    // Why no work should come; empty: it may.
    std::string_view unreadiness() {
        if (const auto failed = failure(); !failed.empty()) return failed;
        const auto keys = engine_.list_waitpoint_hmac_kids();
        if (!keys) return unavailable;
        return keys->current_kid ? "" : "no_signing_key";
    }
    Response answer(std::string_view failure) const {
        if (failure.empty()) return {200, R"({"status":"ok"})"};
        Response response = refusal(503, failure);
        response.problem->more = {{"store", store_kind_}};
        return response;
    }

  private:
    Engine& engine_;
    const std::string store_kind_;
    HealthProbe store_;
};

// Clients that mint ids place them by the numbers of partitions.
std::string version_of(const std::string& store_kind) {
    const json::object partitions{
        {"flow", flow_partitions}, {"budget", budget_partitions}, {"quota", quota_partitions}};
    return json::serialize(json::object{{"version", FF_VERSION}, {"store", store_kind}, {"partitions", partitions}});
}

// The check of the store may take long and has the pool wait for it.
template <class Answer>
Handler on_pool(const std::shared_ptr<BlockingPool>& pool, const Answer& answer) {
    return [pool, answer](const Request& request, const Responder& responder) {
        pool->post([answer, responder, ending = request.ending] { responder.respond(answer(ending)); });
    };
}

}  // namespace

void add_health_routes(Router& router, Engine& engine, const std::shared_ptr<BlockingPool>& pool,
                       const std::string& store_kind) {
    const auto health = std::make_shared<Health>(engine, store_kind);
    const RouteRules open{.scope = Scope::read, .open = true};
    const auto always = [](std::string body) {
        return [body = std::move(body)](const Request&, const Responder& responder) { responder.respond({200, body}); };
    };
    router.add("GET", "/livez", always(R"({"status":"ok"})"), open);
    router.add("GET", "/version", always(version_of(store_kind)), open);
    router.add("GET", "/healthz",
               on_pool(pool, [health](const std::stop_token&) { return health->answer(health->failure()); }), open);
    router.add("GET", "/readyz",
               on_pool(pool,
                       [health](const std::stop_token& ending) {
                           return health->answer(ending.stop_requested() ? "draining" : health->unreadiness());
                       }),
               open);
}

}  // namespace flowfabric::server
