#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/webhook_receiver.hpp"

namespace flowfabric::test {

// A collector of OpenTelemetry that keeps the spans which it is sent.
class Collector {
  public:
    using Object = boost::json::object;

    explicit Collector(std::uint16_t port = 0) : receiver_("/v1/traces", port) {}

    std::uint16_t port() const { return receiver_.port(); }
    std::string url() const { return receiver_.url(""); }
    WebhookReceiver& receiver() { return receiver_; }

    // The spans of the next request.
    std::vector<Object> next() {
        const server::Request request = receiver_.next();
        const auto document = boost::json::parse(request.body);
        std::vector<Object> spans;
        for (const auto& resource : document.at("resourceSpans").as_array()) {
            for (const auto& scope : resource.at("scopeSpans").as_array()) {
                for (const auto& span : scope.at("spans").as_array()) spans.push_back(span.as_object());
            }
        }
        return spans;
    }
    // The first span of which this holds; throws when it does not come.
    Object await_span(const std::function<bool(const Object&)>& is_meant) {
        for (std::size_t at = 0;; ++at) {
            while (at == spans_.size()) {
                for (Object& span : next()) spans_.push_back(std::move(span));
            }
            if (is_meant(spans_[at])) return spans_[at];
        }
    }
    // All that have come so far.
    const std::vector<Object>& spans() const { return spans_; }

    // An attribute's value as a text; nothing without it.
    static std::optional<std::string> attribute(const Object& span, std::string_view key) {
        for (const auto& one : span.at("attributes").as_array()) {
            if (one.at("key").as_string() != key) continue;
            const Object& value = one.at("value").as_object();
            return std::string(value.begin()->value().as_string());
        }
        return std::nullopt;
    }

  private:
    WebhookReceiver receiver_;
    std::vector<Object> spans_;
};

}  // namespace flowfabric::test
