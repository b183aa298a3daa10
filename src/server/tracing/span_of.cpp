#include "server/tracing/span_of.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/base/hex.hpp"
#include "core/base/trace_context.hpp"

namespace flowfabric::server {
namespace {

constexpr std::int64_t ns_of_ms = 1'000'000;

// An id of zeros counts as none.
std::string new_id(const RandomBits& random) {
    std::uint64_t bits = 0;
    while (bits == 0) bits = random();
    return fmt::format("{:016x}", bits);
}

// The half of an attempt's id that is random.
std::string id_of(const AttemptId& attempt) {
    constexpr std::size_t half = 8;
    const auto& bytes = attempt.uuid.bytes;
    return hex_of(std::string(bytes.begin() + half, bytes.end()));
}

void fail(Span& span, std::string why) {
    span.failed = true;
    span.attributes.push_back({"error.type", why});
    span.failure = std::move(why);
}

// False: it is not to be exported.
bool place_in_trace(Span& span, std::string_view traceparent, std::string_view tracestate, const RandomBits& random) {
    auto parent = parts_of_traceparent(traceparent);
    if (!parent) {
        span.trace_id = new_id(random);
        span.trace_id += new_id(random);
        return true;
    }
    span.trace_id = std::move(parent->trace_id);
    span.parent_id = std::move(parent->parent_id);
    if (is_tracestate(tracestate)) span.trace_state = tracestate;
    return parent->sampled;
}

bool has_failed(AttemptEnd end) {
    switch (end) {
        case AttemptEnd::error:
        case AttemptEnd::retry:
        case AttemptEnd::timeout:
        case AttemptEnd::lost:
            return true;
        case AttemptEnd::ok:
        case AttemptEnd::cancelled:
            break;
    }
    return false;
}

}  // namespace

std::optional<Span> span_of(const Served& served, std::int64_t ended_ns, bool by_tls, const RandomBits& random) {
    if (served.open || served.route.empty()) return std::nullopt;
    Span span{.kind = SpanKind::server, .end_ns = ended_ns};
    if (!place_in_trace(span, served.traceparent, served.tracestate, random)) return std::nullopt;
    span.span_id = new_id(random);
    span.name = served.method + ' ' + served.route;
    span.start_ns = ended_ns - std::chrono::duration_cast<std::chrono::nanoseconds>(served.took).count();
    span.attributes = {{"http.request.method", served.method},
                       {"http.route", served.route},
                       {"url.path", served.path},
                       {"url.scheme", by_tls ? "https" : "http"},
                       {"flowfabric.request_id", served.request_id}};
    if (served.status == 0) return span;  // the client left
    span.attributes.push_back({"http.response.status_code", static_cast<std::int64_t>(served.status)});
    constexpr unsigned first_fault = 500;
    if (served.status >= first_fault) fail(span, fmt::to_string(served.status));
    return span;
}

std::optional<Span> span_of(const ObservedAttempt& attempt) {
    const auto parent = parts_of_traceparent(attempt.traceparent);
    if (!parent || !parent->sampled) return std::nullopt;
    Span span{.trace_id = parent->trace_id,
              .span_id = id_of(attempt.attempt_id),
              .parent_id = parent->parent_id,
              .trace_state = attempt.tracestate.value_or(""),
              .name = "attempt " + attempt.execution_kind,
              .kind = SpanKind::consumer,
              .start_ns = attempt.started_at_ms * ns_of_ms,
              .end_ns = attempt.ended_at_ms * ns_of_ms};
    span.attributes = {{"flowfabric.execution_id", attempt.execution_id.to_string()},
                       {"flowfabric.execution_kind", attempt.execution_kind},
                       {"flowfabric.lane", attempt.lane_id},
                       {"flowfabric.attempt_index", static_cast<std::int64_t>(attempt.attempt_index)},
                       {"flowfabric.worker_id", attempt.worker_id},
                       {"flowfabric.outcome", std::string(to_string(attempt.end))}};
    if (has_failed(attempt.end)) {
        fail(span, attempt.failure_category.value_or(std::string(to_string(attempt.end))));
    }
    return span;
}

}  // namespace flowfabric::server
