#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "flowfabric/observer.hpp"
#include "server/http/observer.hpp"
#include "server/tracing/span.hpp"

// What a server makes spans of. Nothing comes of a trace that is not sampled. The names of attributes are those of
// OpenTelemetry's semantic conventions, or begin with `flowfabric.`; docs/tracing.md lists them.
namespace flowfabric::server {

// 64 random bits.
using RandomBits = std::function<std::uint64_t()>;

// Of a request that ended at that time: it belongs to the trace of its traceparent, or begins one. Nothing comes of
// probes and scrapes, nor of requests without a route.
std::optional<Span> span_of(const Served& served, std::int64_t ended_ns, bool by_tls, const RandomBits& random);

// Of an attempt: a child of what its execution was submitted by. It is the same whoever makes it.
std::optional<Span> span_of(const ObservedAttempt& attempt);

}  // namespace flowfabric::server
