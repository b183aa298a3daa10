#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flowfabric::server {

enum class SpanKind : std::uint8_t { server = 2, consumer = 5 };  // the protocol's numbers

struct SpanAttribute {
    std::string_view name;
    std::variant<std::string, std::int64_t> value;
};

// Something that began and ended, as OpenTelemetry tells it. Ids are hex digits, as in a traceparent.
struct Span {
    std::string trace_id;
    std::string span_id;
    std::string parent_id;  // empty: the trace begins with it
    std::string trace_state;
    std::string name;
    SpanKind kind = SpanKind::server;
    std::int64_t start_ns = 0;  // since 1970
    std::int64_t end_ns = 0;
    std::vector<SpanAttribute> attributes;
    bool failed = false;
    std::string failure;  // why, in a word
};

}  // namespace flowfabric::server
