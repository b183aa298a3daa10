#include "server/routes/health.hpp"

#include <chrono>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "server/health_probe.hpp"

namespace flowfabric::server {

void add_health_routes(Router& router, Engine& engine, const std::shared_ptr<BlockingPool>& pool,
                       const std::string& store_kind) {
    const auto body = [store_kind](std::string_view status) {
        return boost::json::serialize(boost::json::object{{"status", status}, {"store", store_kind}});
    };
    constexpr std::chrono::milliseconds deadline{2'000};
    // A store that hangs is asked once in ten seconds; requests meanwhile are answered at once.
    constexpr std::chrono::milliseconds patience{10'000};
    const auto probe = std::make_shared<HealthProbe>(
        [&engine, patience] { return engine.check_store(patience).has_value(); }, deadline);
    router.add("GET", "/healthz",
               [probe, pool, ok = body("ok"), down = body("unavailable")](const Request&, const Responder& responder) {
                   pool->post([probe, responder, ok, down] {
                       responder.respond(probe->healthy() ? Response{200, ok} : Response{503, down});
                   });
               });

    const auto version = boost::json::serialize(boost::json::object{{"version", FF_VERSION}});
    router.add("GET", "/version",
               [version](const Request&, const Responder& responder) { responder.respond({200, version}); });
}

}  // namespace flowfabric::server
