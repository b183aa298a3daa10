#include "server/tracing/otlp_document.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "api/json_text.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

json::object attribute_object(const SpanAttribute& attribute) {
    json::object value;
    if (const auto* text = std::get_if<std::string>(&attribute.value)) {
        value["stringValue"] = *text;
    } else {
        value["intValue"] = fmt::to_string(std::get<std::int64_t>(attribute.value));
    }
    return {{"key", attribute.name}, {"value", std::move(value)}};
}

json::array attributes(std::span<const SpanAttribute> all) {
    json::array list;
    for (const SpanAttribute& one : all) list.push_back(attribute_object(one));
    return list;
}

json::object span_object(const Span& span) {
    json::object object{{"traceId", span.trace_id}, {"spanId", span.span_id}};
    if (!span.parent_id.empty()) object["parentSpanId"] = span.parent_id;
    if (!span.trace_state.empty()) object["traceState"] = span.trace_state;
    object["name"] = span.name;
    object["kind"] = static_cast<int>(span.kind);
    object["startTimeUnixNano"] = fmt::to_string(span.start_ns);
    object["endTimeUnixNano"] = fmt::to_string(span.end_ns);
    object["attributes"] = attributes(span.attributes);
    constexpr int error = 2;
    object["status"] =
        span.failed ? json::object{{"code", error}, {"message", span.failure}} : json::object{};  // else unset
    return object;
}

// As a number or as a text, both of which the encoding allows.
std::size_t count_in(const json::value* value) {
    if (value == nullptr) return 0;
    if (value->is_int64()) return static_cast<std::size_t>(std::max<std::int64_t>(value->as_int64(), 0));
    std::size_t count = 0;
    if (const auto* text = value->if_string())
        std::ignore = std::from_chars(text->data(), text->data() + text->size(), count);
    return count;
}

// Of the spans of a request that succeeded a collector may refuse some.
void note_partial_success(const std::string& body, OtlpAnswer& answer) {
    boost::system::error_code failure;
    const json::value document = json::parse(body, failure);
    const auto* object = failure ? nullptr : document.if_object();
    const auto* partial = object == nullptr ? nullptr : object->if_contains("partialSuccess");
    if (partial == nullptr || !partial->is_object()) return;
    answer.rejected = count_in(partial->get_object().if_contains("rejectedSpans"));
    if (answer.rejected == 0) return;
    const auto* message = partial->get_object().if_contains("errorMessage");
    answer.trouble = fmt::format("{} are refused", answer.rejected);
    if (message != nullptr && message->is_string()) answer.trouble.append(": ").append(message->get_string());
}

}  // namespace

std::string otlp_document(std::span<const Span> spans, const std::string& service_name) {
    const std::vector<SpanAttribute> resource{{"service.name", service_name},
                                              {"service.version", std::string(FF_VERSION)}};
    json::array list;
    for (const Span& span : spans) list.push_back(span_object(span));
    json::object of_scope{{"scope", json::object{{"name", "flowfabric"}, {"version", FF_VERSION}}},
                          {"spans", std::move(list)}};
    json::object of_resource{{"resource", json::object{{"attributes", attributes(resource)}}},
                             {"scopeSpans", json::array{std::move(of_scope)}}};
    return api::json_text(json::object{{"resourceSpans", json::array{std::move(of_resource)}}});
}

OtlpAnswer otlp_answer(const remote::PostReply& reply, std::size_t span_count) {
    OtlpAnswer answer;
    if (!reply.error.empty()) return {.again = true, .trouble = reply.error};
    if (reply.status >= 200 && reply.status < 300) {
        note_partial_success(reply.body, answer);
        answer.rejected = std::min(answer.rejected, span_count);
        return answer;
    }
    answer.trouble = fmt::format("HTTP {}", reply.status);
    switch (reply.status) {
        case 429:
        case 502:
        case 503:
        case 504:
            answer.again = true;
            answer.retry_after_ms = reply.retry_after_ms;
            break;
        default:
            answer.rejected = span_count;
            break;
    }
    return answer;
}

}  // namespace flowfabric::server
