#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/result.hpp"

// W3C Trace Context: the trace that a request belongs to, as its headers say it. Nothing is decided by it.
namespace flowfabric {

// As version 00 writes it. Nothing if it is malformed; of a version to come what is known of it.
std::optional<std::string> read_traceparent(std::string_view text);

// What a traceparent says.
struct TraceParent {
    std::string trace_id;   // 32 hex digits
    std::string parent_id;  // 16
    bool sampled = false;   // whoever began the trace keeps it
};
// Nothing if it is malformed.
std::optional<TraceParent> parts_of_traceparent(std::string_view text);

bool is_tracestate(std::string_view text);
// Of fields, which unlike headers are refused when they are malformed.
Result<void> check_trace(const std::optional<std::string>& traceparent, const std::optional<std::string>& tracestate);

}  // namespace flowfabric
