#include "server/metrics/otlp_metrics.hpp"

#include <array>

#include <prometheus/counter.h>

namespace flowfabric::server {

std::function<void(ExportOutcome, std::size_t)> otlp_metrics(Metrics& metrics) {
    auto& spans = prometheus::BuildCounter()
                      .Name("ff_otlp_spans_total")
                      .Help("Spans, by what became of them")
                      .Register(metrics.all());
    const auto of = [&spans](const char* outcome) { return &spans.Add({{"outcome", outcome}}); };
    return [counters = std::array{of("exported"), of("rejected"), of("dropped")}](ExportOutcome outcome,
                                                                                  std::size_t count) {
        counters.at(static_cast<std::size_t>(outcome))->Increment(static_cast<double>(count));
    };
}

}  // namespace flowfabric::server
