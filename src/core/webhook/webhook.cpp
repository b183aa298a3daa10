#include "core/webhook/webhook.hpp"

#include "core/base/base64.hpp"
#include "core/signing/on_keystore.hpp"
#include "core/signing/stored_secret.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t webhook_secret_bytes = 32;

}  // namespace

std::string webhook_kid(const std::string& webhook) {
    return "webhook:" + webhook;
}

WebhookView view_of(const WebhookRow& row) {
    return {.name = row.key.name,
            .url = row.url,
            .channel = row.channel,
            .namespace_name = row.namespace_name,
            .types = row.types.values,
            .max_batch = static_cast<std::uint32_t>(row.max_batch),
            .source = row.source,
            .state = row.state,
            .created_at_ms = row.created_at_ms,
            .delivered_count = static_cast<std::uint64_t>(row.delivered_count),
            .failed_count = static_cast<std::uint64_t>(row.failed_count),
            .last_delivered_at_ms = row.last_delivered_at_ms,
            .attempts = static_cast<std::uint32_t>(row.attempts),
            .failing_since_ms = row.failing_since_ms,
            .next_attempt_at_ms = row.next_attempt_at_ms,
            .last_error = row.last_error};
}

WebhookFailure view_of(const WebhookFailureRow& row) {
    return {.event_id = row.key.event_id,
            .event = {row.event},
            .error = row.error,
            .failed_at_ms = row.failed_at_ms,
            .redelivering = row.redelivering};
}

ConsumerKey webhook_consumer(const std::string& webhook, Channel channel) {
    return {channel, "webhook " + webhook};
}

Result<NewWebhookSecret> new_webhook_secret(const std::string& webhook, const Settings& settings, const IdSource& ids) {
    const auto random = settings.random_bytes(webhook_secret_bytes);
    if (!random) return random.error();
    NewKey key = new_key({webhook_kid(webhook), "whsec_" + to_base64url(*random)}, settings, ids);
    return NewWebhookSecret{std::move(key.key.secret), std::move(key.stored)};
}

Result<Bytes> webhook_secret(const std::string& webhook, const Binary& stored, const Settings& settings) {
    auto key = open_stored(webhook_kid(webhook), stored.bytes, settings.master_key ? &*settings.master_key : nullptr);
    if (!key) return key.error();
    return std::move(key->secret);
}

void forget(WebhookRow& webhook, const WebhookFailureRow& failure, RowTable<WebhookFailureRow>& failures) {
    --webhook.set_aside_count;
    if (failure.redelivering) --webhook.redelivering_count;
    failures.erase(WebhookFailureKey(failure.key));
}

bool is_open_to(const WebhookRow& row, const std::string& owner, std::int64_t now_ms) {
    return row.state == WebhookState::active && (!row.owner || *row.owner == owner || row.owned_until_ms <= now_ms);
}

}  // namespace flowfabric
