#include "server/metrics/webhook_metrics.hpp"

#include <prometheus/counter.h>

namespace flowfabric::server {
namespace {

std::string label_of(WebhookReport::Outcome outcome) {
    using enum WebhookReport::Outcome;
    switch (outcome) {
        case delivered:
            return "delivered";
        case refused:
            return "refused";
        case gone:
            return "gone";
        case none:
        case failed:
            break;
    }
    return "failed";
}

}  // namespace

WebhookSender::Observer webhook_metrics(Metrics& metrics) {
    auto& requests = prometheus::BuildCounter()
                         .Name("ff_webhook_requests_total")
                         .Help("Requests to webhooks")
                         .Register(metrics.all());
    return [&requests](const std::string& webhook, WebhookReport::Outcome outcome) {
        requests.Add({{"webhook", webhook}, {"outcome", label_of(outcome)}}).Increment();
    };
}

}  // namespace flowfabric::server
