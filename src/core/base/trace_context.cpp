#include "core/base/trace_context.hpp"

#include <algorithm>

#include "flowfabric/limits.hpp"

namespace flowfabric {
namespace {

// version "-" trace id "-" parent id "-" flags
constexpr std::size_t trace_at = 3;
constexpr std::size_t parent_at = 36;
constexpr std::size_t flags_at = 53;
constexpr std::size_t trace_digits = 32;
constexpr std::size_t parent_digits = 16;

bool is_lower_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
    return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool is_sampled(std::string_view flags) {
    return std::string_view("13579bdf").find(flags.back()) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> read_traceparent(std::string_view text) {
    if (text.size() < max_traceparent_bytes) return std::nullopt;
    const std::string_view known = text.substr(0, max_traceparent_bytes);
    const std::string_view version = known.substr(0, 2);
    const bool is_first = version == "00";
    const bool goes_on = text.size() > known.size();
    if (!is_lower_hex(version) || version == "ff" || (goes_on && (is_first || text[known.size()] != '-'))) {
        return std::nullopt;
    }
    const bool separated = known[trace_at - 1] == '-' && known[parent_at - 1] == '-' && known[flags_at - 1] == '-';
    const std::string_view flags = known.substr(flags_at);
    if (!separated || !is_id(known.substr(trace_at, trace_digits)) || !is_id(known.substr(parent_at, parent_digits)) ||
        !is_lower_hex(flags)) {
        return std::nullopt;
    }
    if (is_first) return std::string(known);
    return "00" + std::string(known.substr(2, flags_at - 2)) + (is_sampled(flags) ? "01" : "00");
}

std::optional<TraceParent> parts_of_traceparent(std::string_view text) {
    const auto read = read_traceparent(text);
    if (!read) return std::nullopt;
    return TraceParent{.trace_id = read->substr(trace_at, trace_digits),
                       .parent_id = read->substr(parent_at, parent_digits),
                       .sampled = is_sampled(std::string_view(*read).substr(flags_at))};
}

bool is_tracestate(std::string_view text) {
    return !text.empty() && text.size() <= max_tracestate_bytes && text.find('=') != std::string_view::npos &&
           std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

Result<void> check_trace(const std::optional<std::string>& traceparent, const std::optional<std::string>& tracestate) {
    if (traceparent && read_traceparent(*traceparent) != *traceparent) {
        return invalid_input("traceparent", "must be 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, in lower case");
    }
    if (!tracestate) return {};
    if (!is_tracestate(*tracestate))
        return invalid_input("tracestate", "must be a list of key=value of 512 bytes at most");
    if (!traceparent) return invalid_input("tracestate", "belongs to a traceparent");
    return {};
}

}  // namespace flowfabric
