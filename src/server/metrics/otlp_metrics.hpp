#pragma once

#include "server/metrics/registry.hpp"
#include "server/tracing/span_exporter.hpp"

namespace flowfabric::server {

// Counts spans by what became of them.
std::function<void(ExportOutcome, std::size_t)> otlp_metrics(Metrics& metrics);

}  // namespace flowfabric::server
