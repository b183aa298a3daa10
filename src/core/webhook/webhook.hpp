#pragma once

#include <optional>
#include <string>

#include "core/command/command.hpp"
#include "core/signing/signing.hpp"
#include "core/webhook/webhook_rows.hpp"
#include "flowfabric/webhook.hpp"

namespace flowfabric {

WebhookView view_of(const WebhookRow& row);
WebhookFailure view_of(const WebhookFailureRow& row);
// The consumer that keeps a webhook's events, under a name that the front door does not admit.
ConsumerKey webhook_consumer(const std::string& webhook, Channel channel);

// The name under which a webhook's secret is sealed; no signing key has a colon in its own.
std::string webhook_kid(const std::string& webhook);

// A new secret, `whsec_` and 256 random bits, as it is shown and as it is stored.
struct NewWebhookSecret {
    std::string text;
    Binary stored;
};
Result<NewWebhookSecret> new_webhook_secret(const std::string& webhook, const Settings& settings, const IdSource& ids);
Result<Bytes> webhook_secret(const std::string& webhook, const Binary& stored, const Settings& settings);

// A server's turn at a webhook: nothing if it is not, or no longer, its own.
struct WebhookTurn {
    std::optional<WebhookWork> work;
};

// Commands that servers give while they send. One server at a time owns a webhook, until it has been silent for a
// minute.
Command take_webhook(OpenWebhook webhook, std::string owner);
Command report_webhook(OpenWebhook webhook, std::string owner, WebhookReport report);
Command release_webhook(OpenWebhook webhook, std::string owner);
// Removes an event that was set aside long ago.
Command forget_webhook_failure(const WebhookFailureKey& failure);

// An event that was set aside is so no longer. Whatever does so holds its webhook.
void forget(WebhookRow& webhook, const WebhookFailureRow& failure, RowTable<WebhookFailureRow>& failures);

// Whether a server may take it over.
bool is_open_to(const WebhookRow& row, const std::string& owner, std::int64_t now_ms);

}  // namespace flowfabric
