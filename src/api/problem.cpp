#include "api/problem.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <boost/json/array.hpp>

#include "core/base/hex.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

unsigned status_of(const EngineError& error) {
    switch (error.kind) {
        case ErrorKind::corruption:
            return 500;
        case ErrorKind::cursor_expired:
            return 410;
        case ErrorKind::retry_exhausted:
            return 503;
        default:
            break;
    }
    switch (family_of(error.kind)) {
        case ErrorFamily::not_found:
            return 404;
        case ErrorFamily::validation:
            return 400;
        case ErrorFamily::contention:
        case ErrorFamily::conflict:
        case ErrorFamily::state:
            return 409;
        case ErrorFamily::resource_exhausted:
            return 429;
        case ErrorFamily::unavailable:
            return 503;
        case ErrorFamily::timeout:
            return 504;
        case ErrorFamily::bug:
        case ErrorFamily::transport:
            break;
    }
    return 500;
}

// Published clients know most kinds of contention by the family's name alone, and a closed list of states.
std::string_view kind_of(const EngineError& error) {
    using enum ErrorKind;
    constexpr auto contentions = std::to_array({execution_not_active, retry_exhausted});
    constexpr auto states =
        std::to_array({execution_not_terminal, max_replays_exhausted, replay_not_allowed, flow_already_terminal,
                       flow_sealed, stale_lease, lease_expired, lease_revoked});
    const auto is_among = [&](const auto& kinds) { return std::ranges::find(kinds, error.kind) != kinds.end(); };
    if (error.kind == execution_terminal) return "terminal";
    const ErrorFamily family = family_of(error.kind);
    if (family == ErrorFamily::contention && !is_among(contentions)) return "contention";
    if (family == ErrorFamily::state && !is_among(states)) return "state_conflict";
    return name_of(error.kind);
}

// Published clients expect `retryable` with no other status.
bool may_pass(unsigned status) {
    return status == 409 || status == 429 || status >= 500;
}

// Details of these come from a store or from our own code: statements, addresses, names of tables.
bool is_internal(const EngineError& error) {
    return error.kind == ErrorKind::internal || error.kind == ErrorKind::transport ||
           error.kind == ErrorKind::retry_exhausted;
}

std::string text_of(const EngineError& error) {
    std::string text(name_of(error.kind));
    if (is_internal(error)) return text + ": the server's log says more";
    // "execution not found: {fp:7}:…" is what published clients look for.
    if (family_of(error.kind) == ErrorFamily::not_found) std::ranges::replace(text, '_', ' ');
    if (!error.detail.empty()) text.append(": ").append(error.detail);
    return text;
}

bool is_in_field_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '[' || c == ']' || c == '-';
}

// A refusal of a field says "FIELD: reason".
std::vector<Problem::Detail> details_of(const EngineError& error) {
    const auto colon = error.detail.find(": ");
    if (family_of(error.kind) != ErrorFamily::validation || colon == std::string::npos || colon == 0) return {};
    const auto field = error.detail.substr(0, colon);
    if (!std::ranges::all_of(field, is_in_field_name)) return {};
    return {{field, error.detail.substr(colon + 2)}};
}

}  // namespace

Problem problem_of(const EngineError& error) {
    Problem problem{.status = status_of(error),
                    .error = text_of(error),
                    .kind = std::string(kind_of(error)),
                    .retryable = std::nullopt,
                    .details = details_of(error)};
    if (may_pass(problem.status)) problem.retryable = is_retryable(error);
    if (is_internal(error)) problem.cause = error.detail;
    if (error.not_active) {
        problem.more["terminal_outcome"] = error.not_active->terminal_outcome;
        problem.more["lease_epoch"] = error.not_active->lease_epoch;
        problem.more["lifecycle_phase"] = error.not_active->lifecycle_phase;
        if (!error.not_active->attempt_id.empty()) problem.more["attempt_id"] = error.not_active->attempt_id;
    }
    if (error.oldest_cursor) problem.more["oldest_cursor"] = hex_of(*error.oldest_cursor);
    return problem;
}

Problem refused(unsigned status, std::string_view kind, std::string_view reason) {
    std::string error(kind);
    if (!reason.empty()) error.append(": ").append(reason);
    Problem problem{.status = status,
                    .error = std::move(error),
                    .kind = std::string(kind),
                    .retryable = std::nullopt,
                    .details = {}};
    if (may_pass(status)) problem.retryable = status == 429 || status == 503;
    return problem;
}

Problem unreadable(unsigned status, const EngineError& error) {
    return {.status = status,
            .error = "invalid request: " + error.detail,
            .kind = "invalid_input",
            .retryable = std::nullopt,
            .details = details_of(error)};
}

json::object to_json(const Problem& problem) {
    json::object body{{"error", problem.error}, {"kind", problem.kind}};
    if (problem.retryable) body["retryable"] = *problem.retryable;
    if (!problem.details.empty()) {
        json::array details;
        for (const auto& [field, reason] : problem.details) details.push_back({{"field", field}, {"reason", reason}});
        body["details"] = std::move(details);
    }
    for (const auto& [name, value] : problem.more) body[name] = value;
    return body;
}

json::object to_problem_json(const Problem& problem, std::string_view request_id) {
    std::string title = problem.kind;
    std::ranges::replace(title, '_', ' ');
    if (!title.empty()) title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    json::object body{{"type", "urn:flowfabric:problem:" + problem.kind},
                      {"title", title},
                      {"status", problem.status},
                      {"detail", problem.error},
                      {"instance", request_id}};
    for (auto& [name, value] : to_json(problem)) body[name] = std::move(value);
    return body;
}

}  // namespace flowfabric::api
