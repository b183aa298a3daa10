#pragma once

#include <memory>

#include "flowfabric/observer.hpp"
#include "server/http/observer.hpp"
#include "server/tracing/span_exporter.hpp"

// Those who make spans of what they are told.
namespace flowfabric::server {

// Of requests, all on one thread.
Observer request_tracer(std::shared_ptr<SpanExporter> exporter, bool by_tls);

// Of attempts. It tells another observer of everything.
std::shared_ptr<EngineObserver> attempt_tracer(std::shared_ptr<SpanExporter> exporter,
                                               std::shared_ptr<EngineObserver> next);

}  // namespace flowfabric::server
