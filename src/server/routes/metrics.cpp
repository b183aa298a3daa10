#include "server/routes/metrics.hpp"

#include "server/metrics/http_metrics.hpp"

namespace flowfabric::server {

void add_metrics_route(Router& router, Metrics& metrics, const std::shared_ptr<BlockingPool>& pool) {
    router.add("GET", metrics_path,
               [&metrics, pool](const Request&, const Responder& responder) {
                   pool->post([&metrics, responder] {
                       responder.respond({200, metrics.scrape(), "text/plain; version=0.0.4; charset=utf-8"});
                   });
               },
               {.scope = Scope::read, .open = true});
}

}  // namespace flowfabric::server
