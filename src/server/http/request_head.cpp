#include "server/http/request_head.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/base/names.hpp"
#include "flowfabric/duration.hpp"
#include "server/http/refusal.hpp"
#include "server/http/target.hpp"

namespace flowfabric::server {
namespace {

constexpr std::string_view id_header = "X-Request-Id";
constexpr std::string_view timeout_header = "Request-Timeout";
constexpr std::int64_t longest_timeout_ms = 86'400'000;

bool is_plain_token(std::string_view text) {
    constexpr std::size_t longest = 128;
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
    });
}

// Unique, and no secret.
std::string new_request_id() {
    thread_local std::mt19937_64 numbers{std::random_device{}()};
    return fmt::format("{:016x}", numbers());
}

// Seconds, such as 2 or 0.25, or a number with its unit, such as 250ms.
std::optional<std::int64_t> timeout_ms_in(std::string_view text) {
    double seconds = 0;
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
    if (failure != std::errc() || end != text.data() + text.size()) return parse_duration_ms(text);
    const double most = static_cast<double>(longest_timeout_ms) / 1000;
    return seconds >= 0 && seconds <= most ? std::optional(std::llround(seconds * 1000)) : std::nullopt;
}

bool is_text(const Target& target) {
    return std::ranges::all_of(target.path, is_valid_utf8) &&
           std::ranges::all_of(target.query, [](const auto& parameter) {
               return is_valid_utf8(parameter.first) && is_valid_utf8(parameter.second);
           });
}

}  // namespace

Expected<Request, Response> head_of(const boost::beast::http::request<boost::beast::http::string_body>& message) {
    auto target = parse_target(message.target());
    if (!target || !is_text(*target)) return refusal(400, "bad_request");
    Request request{.method = std::string(message.method_string()),
                    .path = std::move(target->path),
                    .query = std::move(target->query)};
    for (const auto& field : message) request.headers.add(std::string(field.name_string()), std::string(field.value()));
    const auto given = request.headers.find(id_header);
    if (given && !is_plain_token(*given)) return refusal(400, "bad_request_id");
    request.request_id = given ? std::string(*given) : new_request_id();
    return request;
}

Expected<std::optional<std::chrono::steady_clock::time_point>, Response> deadline_of(const Request& head) {
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;
    const auto given = head.headers.find(timeout_header);
    if (!given) return Deadline();
    const auto timeout_ms = timeout_ms_in(*given);
    if (timeout_ms && *timeout_ms >= 1 && *timeout_ms <= longest_timeout_ms) {
        return Deadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(*timeout_ms));
    }
    Response refused{.status = 400};
    refused.problem = api::unreadable(
        400, invalid_input(timeout_header, "must be a number of seconds from 0.001 to 86400, or have a unit: 250ms"));
    return refused;
}

}  // namespace flowfabric::server
