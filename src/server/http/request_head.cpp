#include "server/http/request_head.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/base/names.hpp"
#include "server/http/refusal.hpp"
#include "server/http/target.hpp"

namespace flowfabric::server {
namespace {

constexpr std::string_view id_header = "X-Request-Id";

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

}  // namespace flowfabric::server
