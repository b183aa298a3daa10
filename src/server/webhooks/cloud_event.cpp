#include "server/webhooks/cloud_event.hpp"

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/type.hpp"
#include "core/base/hex.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric::server {
namespace {

std::string_view kind(const LeaseEvent& event) {
    return event.event_type.text();
}
std::string_view kind(const CompletionEvent& event) {
    return event.outcome.text();
}
std::string_view kind(const SignalEvent& event) {
    return event.effect;
}
std::string_view kind(const OperatorEvent& event) {
    return event.event_type.text();
}
std::string_view kind(const AuditEvent& event) {
    return event.action;
}

std::int64_t time(const SignalEvent& event) {
    return event.delivered_at_ms;
}
template <class E>
std::int64_t time(const E& event) {
    return event.occurred_at_ms;
}

std::string subject(const OperatorEvent& event) {
    return event.subject_id ? event.subject_id->to_string() : "";
}
std::string subject(const AuditEvent& event) {
    return event.subject.value_or("");
}
template <class E>
std::string subject(const E& event) {
    return event.execution_id.to_string();
}

std::string iso_time(std::int64_t at_ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> at{milliseconds(at_ms)};
    return fmt::format("{:%FT%T}Z", fmt::gmtime(system_clock::to_time_t(floor<seconds>(at))));
}

}  // namespace

std::string_view kind_of(const Event& event) {
    return std::visit([](const auto& one) { return kind(one); }, event);
}

boost::json::object cloud_event(const Event& event, std::string_view source) {
    const auto channel = to_string(static_cast<Channel>(event.index()));
    return std::visit(
        [&](const auto& one) {
            boost::json::object message{{"specversion", "1.0"},
                                        {"id", fmt::format("{}-{}", channel, one.event_id)},
                                        {"source", source},
                                        {"type", fmt::format("flowfabric.{}.{}", channel, kind(one))},
                                        {"time", iso_time(time(one))},
                                        {"datacontenttype", "application/json"},
                                        {"data", api::to_json(one)}};
            if (const std::string about = subject(one); !about.empty()) message["subject"] = about;
            return message;
        },
        event);
}

std::string webhook_signature(const std::vector<Bytes>& secrets, std::int64_t timestamp_s, std::string_view body) {
    const std::string text = fmt::format("{}.{}", timestamp_s, body);
    std::string words;
    for (const Bytes& secret : secrets) {
        words += (words.empty() ? "v1=" : ",v1=") + hex_of(hmac_sha256(secret, text));
    }
    return words;
}

}  // namespace flowfabric::server
