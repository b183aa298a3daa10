#include "server/http/cors.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <boost/beast/core/string.hpp>

#include "server/http/http_server.hpp"

namespace flowfabric::server {
namespace {

constexpr std::string_view methods = "GET, POST, PUT, PATCH, DELETE";
constexpr std::string_view request_headers =
    "content-type, idempotency-key, last-event-id, request-timeout, x-request-id, traceparent";
constexpr std::string_view max_age = "600";

// SCHEME://HOST[:PORT], as browsers send it.
bool is_origin(std::string_view text) {
    const auto end_of_scheme = text.find("://");
    if (end_of_scheme == std::string_view::npos || end_of_scheme == 0) return false;
    const auto host = text.substr(end_of_scheme + 3);
    return !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
    });
}

std::optional<std::string_view> allowed_origin(const CorsRules& rules, const Request& head) {
    const auto origin = head.headers.find("Origin");
    if (!origin || (!rules.any && std::ranges::find(rules.origins, *origin) == rules.origins.end()))
        return std::nullopt;
    return origin;
}

}  // namespace

Result<CorsRules> cors_rules(std::string_view origins) {
    CorsRules rules;
    std::istringstream items{std::string(origins)};
    for (std::string item; std::getline(items, item, ',');) {
        std::erase(item, ' ');
        if (item == "*") {
            rules.any = true;
        } else if (is_origin(item)) {
            rules.origins.push_back(item);
        } else if (!item.empty()) {
            rules.unreadable.push_back(item);
        }
    }
    if (!rules.any && rules.origins.empty()) {
        return invalid_input("cors-origins",
                             "names no origin such as https://shop.example; leave it unset for the same "
                             "origin only");
    }
    return rules;
}

std::optional<Response> preflight_answer(const CorsRules& rules, const Request& head, bool with_token) {
    if (head.method != "OPTIONS" || !head.headers.find("Access-Control-Request-Method")) return std::nullopt;
    Response response{.status = 200, .body = "", .content_type = "text/plain"};
    if (!allowed_origin(rules, head)) return response;
    std::string allowed(request_headers);
    if (with_token) allowed += ", authorization";
    // A star in this place does not cover the authorization header.
    if (const auto asked = head.headers.find("Access-Control-Request-Headers"); rules.any && asked) allowed = *asked;
    response.headers.add("Access-Control-Allow-Methods", std::string(methods));
    response.headers.add("Access-Control-Allow-Headers", allowed);
    response.headers.add("Access-Control-Max-Age", std::string(max_age));
    return response;
}

Headers cors_headers(const CorsRules& rules, const Request& head) {
    Headers headers{{"Vary", "Origin"}};
    if (const auto origin = allowed_origin(rules, head)) {
        headers.add("Access-Control-Allow-Origin", std::string(*origin));
        headers.add("Access-Control-Expose-Headers", rules.any ? "*" : "x-request-id, x-next-cursor, retry-after");
    }
    return headers;
}

bool is_foreign(const std::optional<CorsRules>& rules, const Request& head) {
    const auto origin = head.headers.find("Origin");
    if (rules && (rules->any || allowed_origin(*rules, head))) return false;
    if (!origin) {
        const auto site = head.headers.find("Sec-Fetch-Site").value_or("");
        return site == "cross-site" || site == "same-site";
    }
    const auto end_of_scheme = origin->find("://");
    const auto host = head.headers.find("Host");
    return end_of_scheme == std::string_view::npos || !host ||
           !boost::beast::iequals(origin->substr(end_of_scheme + 3), *host);
}

bool names_loopback(const Request& head) {
    const auto host = head.headers.find("Host");
    if (!host) return true;
    if (!host->starts_with('[')) {
        const auto name = host->substr(0, host->find(':'));
        return boost::beast::iequals(name, "localhost") || is_loopback(std::string(name));
    }
    const auto end = host->find(']');
    return end != std::string_view::npos && is_loopback(std::string(host->substr(1, end - 1)));
}

}  // namespace flowfabric::server
