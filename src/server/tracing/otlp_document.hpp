#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "remote/post_address.hpp"
#include "server/tracing/span.hpp"

// The OpenTelemetry Protocol in its JSON encoding: ids are hex digits, 64-bit integers are texts, enums are numbers.
namespace flowfabric::server {

// The body of a request to …/v1/traces.
std::string otlp_document(std::span<const Span> spans, const std::string& service_name);

// What a collector's reply says of the spans that it was sent.
struct OtlpAnswer {
    bool again = false;        // they are to be sent once more
    std::size_t rejected = 0;  // otherwise: those of them that it does not take
    std::string trouble;       // why; empty: it takes them all
    std::int64_t retry_after_ms = 0;
};
OtlpAnswer otlp_answer(const remote::PostReply& reply, std::size_t span_count);

}  // namespace flowfabric::server
