#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"
#include "flowfabric/webhook.hpp"

namespace flowfabric {

struct WebhookKey {
    std::string name;

    auto operator<=>(const WebhookKey&) const = default;
};

template <Is<WebhookKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("name", key.name);
}

// An address that the events of a channel are sent to. How far that has come is the position of a durable consumer
// (webhook_consumer), for as long as events are kept for it.
struct WebhookRow {
    static constexpr std::string_view table = "ff_webhook";
    static constexpr RowLock lock = RowLock::itself;
    using Key = WebhookKey;

    WebhookKey key;
    std::string url;
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;
    TextList types;  // none: all of them
    std::int32_t max_batch = 1;
    std::string source;
    Binary secret;  // as core/signing/stored_secret.hpp seals it
    std::optional<Binary> previous_secret;
    std::optional<std::int64_t> previous_expires_at_ms;
    std::int64_t created_at_ms = 0;
    WebhookState state = WebhookState::active;
    std::optional<std::int64_t> stopped_at_event_id;  // of a dead one: its consumer's position

    std::optional<std::string> owner;  // the server that sends
    std::int64_t owned_until_ms = 0;
    std::int32_t attempts = 0;         // to send the next events
    std::int32_t refused_in_turn = 0;  // events that were set aside, since one was taken
    std::optional<std::int64_t> failing_since_ms;
    std::optional<std::int64_t> next_attempt_at_ms;
    std::optional<std::string> last_error;
    std::optional<std::int64_t> last_delivered_at_ms;
    std::int64_t delivered_count = 0;
    std::int64_t failed_count = 0;        // events that were ever set aside
    std::int32_t set_aside_count = 0;     // those that still are: max_set_aside at most
    std::int32_t redelivering_count = 0;  // events that were set aside and are to be sent once more

    bool operator==(const WebhookRow&) const = default;
};

template <Is<WebhookRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("url", row.url);
    visit("channel", row.channel);
    visit("namespace", row.namespace_name);
    visit("types", row.types);
    visit("max_batch", row.max_batch);
    visit("source", row.source);
    visit("secret", row.secret);
    visit("previous_secret", row.previous_secret);
    visit("previous_expires_at_ms", row.previous_expires_at_ms);
    visit("created_at_ms", row.created_at_ms);
    visit("state", row.state);
    visit("stopped_at_event_id", row.stopped_at_event_id);
    visit("owner", row.owner);
    visit("owned_until_ms", row.owned_until_ms);
    visit("attempts", row.attempts);
    visit("refused_in_turn", row.refused_in_turn);
    visit("failing_since_ms", row.failing_since_ms);
    visit("next_attempt_at_ms", row.next_attempt_at_ms);
    visit("last_error", row.last_error);
    visit("last_delivered_at_ms", row.last_delivered_at_ms);
    visit("delivered_count", row.delivered_count);
    visit("failed_count", row.failed_count);
    visit("set_aside_count", row.set_aside_count);
    visit("redelivering_count", row.redelivering_count);
}

struct WebhookFailureKey {
    std::string webhook;
    std::int64_t event_id = 0;

    const std::string& series() const { return webhook; }
    auto operator<=>(const WebhookFailureKey&) const = default;
};

template <Is<WebhookFailureKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("webhook", key.webhook);
    visit("event_id", key.event_id);
}

// So many events of one webhook may be set aside: whatever is about all of them is about no more.
inline constexpr std::uint32_t max_set_aside = 1000;

// An event that was refused for good, and set aside so that those behind it go on.
struct WebhookFailureRow {
    static constexpr std::string_view table = "ff_webhook_failure";
    static constexpr std::string_view queue_column = "due_at_ms";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = WebhookFailureKey;

    WebhookFailureKey key;
    std::int64_t due_at_ms = 0;  // when it is removed
    std::string event;
    std::string error;
    std::int64_t failed_at_ms = 0;
    bool redelivering = false;

    std::int64_t queued_at_ms() const { return due_at_ms; }

    bool operator==(const WebhookFailureRow&) const = default;
};

template <Is<WebhookFailureRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("due_at_ms", row.due_at_ms);
    visit("event", row.event);
    visit("error", row.error);
    visit("failed_at_ms", row.failed_at_ms);
    visit("redelivering", row.redelivering);
}

}  // namespace flowfabric
