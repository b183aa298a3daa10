#include "remote/answer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "core/base/hex.hpp"

namespace flowfabric::remote {
namespace {

namespace json = boost::json;

// Deeper documents than a server takes in.
constexpr std::size_t max_depth = 512;

std::optional<ErrorKind> kind_named(std::string_view name) {
    for (auto kind = 0U; kind <= static_cast<unsigned>(ErrorKind::unknown_outcome); ++kind) {
        if (name_of(static_cast<ErrorKind>(kind)) == name) return static_cast<ErrorKind>(kind);
    }
    return std::nullopt;
}

std::string_view text_at(const json::value& document, std::string_view name) {
    const auto* object = document.if_object();
    const auto* value = object == nullptr ? nullptr : object->if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

// The facts about an execution that is not active.
std::optional<NotActiveFacts> not_active_in(const json::value& document) {
    const auto phase = text_at(document, "lifecycle_phase");
    if (phase.empty()) return std::nullopt;
    const json::value* epoch = document.get_object().if_contains("lease_epoch");
    boost::system::error_code failure;
    const auto number = epoch == nullptr ? 0 : epoch->to_number<std::uint64_t>(failure);
    return NotActiveFacts{.terminal_outcome = std::string(text_at(document, "terminal_outcome")),
                          .lease_epoch = failure ? 0 : number,
                          .lifecycle_phase = std::string(phase),
                          .attempt_id = std::string(text_at(document, "attempt_id"))};
}

// What is told by the status alone.
ErrorKind kind_of(unsigned status) {
    switch (status) {
        case 401:
        case 403:
            return ErrorKind::invalid_token;
        case 413:
            return ErrorKind::payload_too_large;
        case 429:
            return ErrorKind::resource_exhausted;
        case 503:
            return ErrorKind::unavailable;
        case 504:
            return ErrorKind::timeout;
        default:
            return status < 500 ? ErrorKind::invalid_input : ErrorKind::internal;
    }
}

}  // namespace

// "KIND: detail" says the kind exactly, where the field `kind` may give only the family's name.
EngineError error_in(unsigned status, const json::value& document) {
    const std::string_view told = text_at(document, "error");
    if (told.empty()) return {.kind = kind_of(status), .detail = fmt::format("HTTP status {}", status)};
    const auto colon = told.find(": ");
    std::string first(told.substr(0, colon));
    std::ranges::replace(first, ' ', '_');
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : told.substr(colon + 2);
    EngineError error;
    error.not_active = not_active_in(document);
    error.oldest_cursor = bytes_of_hex(text_at(document, "oldest_cursor"));
    if (error.oldest_cursor && error.oldest_cursor->empty()) error.oldest_cursor.reset();
    if (const auto kind = kind_named(first)) {
        error.kind = *kind;
        error.detail = rest;
        return error;
    }
    error.kind = kind_named(text_at(document, "kind")).value_or(kind_of(status));
    error.detail = first == "invalid_request" ? rest : told;
    return error;
}

Result<json::value> document_in(unsigned status, std::string_view body) {
    json::parse_options options;
    options.max_depth = max_depth;
    boost::system::error_code failure;
    json::value document = json::parse(body, failure, {}, options);
    if (!failure) return document;
    if (status >= 400) return error_in(status, {});
    return EngineError{.kind = ErrorKind::transport, .detail = "the answer is not JSON: " + failure.message()};
}

Result<std::any> answer_in(const api::OperationEntry& operation, unsigned status, const json::value& document) {
    // An answer that was long in coming begins before its status is known.
    const bool is_problem = !text_at(document, "error").empty() && !text_at(document, "kind").empty();
    if (status >= 400 || is_problem) return error_in(status, document);
    return operation.read_answer(document, {.ignore_unknown_fields = true});
}

Result<std::any> answer_in_text(const api::OperationEntry& operation, unsigned status, std::string_view body) {
    const auto document = document_in(status, body);
    if (!document) return document.error();
    return answer_in(operation, status, *document);
}

}  // namespace flowfabric::remote
