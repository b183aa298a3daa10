#include "server/metrics/http_metrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <prometheus/gauge.h>

namespace flowfabric::server {
namespace {

// Others are one, so that clients do not make labels.
std::string label_of_method(const std::string& method) {
    constexpr auto known =
        std::to_array<std::string_view>({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"});
    return std::ranges::find(known, method) == known.end() ? "OTHER" : method;
}

}  // namespace

Observer http_metrics(Metrics& metrics) {
    auto& requests = prometheus::BuildCounter()
                         .Name("ff_http_requests_total")
                         .Help("Requests that were answered")
                         .Register(metrics.all());
    auto& durations = prometheus::BuildHistogram()
                          .Name("ff_http_request_duration_seconds")
                          .Help("How long requests took, from their head to the end of the answer")
                          .Register(metrics.all());
    return [&requests, &durations](const Served& served) {
        if (served.route == metrics_path) return;
        const prometheus::Labels labels{{"method", label_of_method(served.method)},
                                        {"path", served.route.empty() ? "unknown" : served.route},
                                        {"status", served.status == 0 ? "left" : std::to_string(served.status)}};
        requests.Add(labels).Increment();
        durations.Add(labels, Metrics::seconds()).Observe(std::chrono::duration<double>(served.took).count());
    };
}

std::function<void(std::size_t)> connection_gauge(Metrics& metrics) {
    auto& connections = prometheus::BuildGauge()
                            .Name("ff_http_connections")
                            .Help("Clients that are connected")
                            .Register(metrics.all())
                            .Add({});
    return [&connections](std::size_t count) { connections.Set(static_cast<double>(count)); };
}

prometheus::Counter& shutdown_timeouts(Metrics& metrics) {
    return prometheus::BuildCounter()
        .Name("ff_shutdown_timeout_total")
        .Help("Ends of the server at which requests under way were cut off")
        .Register(metrics.all())
        .Add({});
}

}  // namespace flowfabric::server
