#include "server/webhooks/webhook_request.hpp"

#include <fmt/format.h>

#include "server/webhooks/cloud_event.hpp"

namespace flowfabric::server {

namespace asio = boost::asio;
using Outcome = WebhookReport::Outcome;

Outcome webhook_outcome(unsigned status) {
    constexpr unsigned gone = 410;
    switch (status) {
        case gone:
            return Outcome::gone;
        case 408:
        case 425:
        case 429:
            return Outcome::failed;
        default:
            break;
    }
    if (status >= 200 && status < 300) return Outcome::delivered;
    return status >= 500 ? Outcome::failed : Outcome::refused;
}

asio::awaitable<WebhookReply> post_webhook(remote::PostAddress& address, const WebhookRequest& request) {
    const remote::PostAddress::Headers headers{
        {"FF-Webhook", request.webhook},
        {"FF-Timestamp", fmt::to_string(request.timestamp_s)},
        {"FF-Signature", webhook_signature(request.secrets, request.timestamp_s, request.body)}};
    const remote::PostReply answer = co_await address.post(headers, request.content_type, request.body);
    if (!answer.error.empty()) co_return WebhookReply{.outcome = Outcome::failed, .error = answer.error};
    WebhookReply reply;
    reply.outcome = webhook_outcome(answer.status);
    if (reply.outcome == Outcome::delivered) co_return reply;
    reply.error = fmt::format("HTTP {}", answer.status);
    reply.retry_after_ms = answer.retry_after_ms;
    co_return reply;
}

}  // namespace flowfabric::server
