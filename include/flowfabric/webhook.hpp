#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/events.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// Webhooks: addresses that servers send the events of a channel to, in their order and at least once.
namespace flowfabric {

enum class WebhookState : std::uint8_t {
    active,
    paused,  // by an operator; events wait for it
    dead,    // given up: its address is gone, or has refused or failed for long; events no longer wait for it
};

template <>
inline constexpr std::array enum_names<WebhookState> = std::to_array<std::string_view>({"active", "paused", "dead"});

struct WebhookView {
    static constexpr std::string_view type_name = "WebhookView";

    std::string name;
    std::string url;
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;
    std::vector<std::string> types;
    std::uint32_t max_batch = 1;
    std::string source;
    WebhookState state = WebhookState::active;
    std::int64_t created_at_ms = 0;
    std::uint64_t delivered_count = 0;
    std::uint64_t failed_count = 0;
    std::optional<std::int64_t> last_delivered_at_ms;
    std::uint32_t attempts = 0;
    std::optional<std::int64_t> failing_since_ms;
    std::optional<std::int64_t> next_attempt_at_ms;
    std::optional<std::string> last_error;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &WebhookView::name, field::optional, "The webhook's name.");
        visit("url", &WebhookView::url, field::optional, "Where events are sent to.");
        visit("channel", &WebhookView::channel, field::optional, "The channel of events.");
        visit("namespace", &WebhookView::namespace_name, field::optional, "The only namespace whose events are sent.");
        visit("types", &WebhookView::types, field::optional, "The only types of events that are sent; none: all.");
        visit("max_batch", &WebhookView::max_batch, field::optional, "How many events a request may carry.");
        visit("source", &WebhookView::source, field::optional, "The source that events name.");
        visit("state", &WebhookView::state, field::optional, "Whether events are sent.");
        visit("created_at_ms", &WebhookView::created_at_ms, field::optional, "When it was created.");
        visit("delivered_count", &WebhookView::delivered_count, field::optional, "How many events were taken.");
        visit("failed_count", &WebhookView::failed_count, field::optional,
              "How many events were set aside because they were refused.");
        visit("last_delivered_at_ms", &WebhookView::last_delivered_at_ms, field::optional,
              "When an event was last taken.");
        visit("attempts", &WebhookView::attempts, field::optional, "How often the next event has been sent in vain.");
        visit("failing_since_ms", &WebhookView::failing_since_ms, field::optional,
              "Since when nothing was taken although something was sent.");
        visit("next_attempt_at_ms", &WebhookView::next_attempt_at_ms, field::optional,
              "When the next event is sent again.");
        visit("last_error", &WebhookView::last_error, field::optional,
              "What the last failed request came to, or why it is dead.");
    }

    bool operator==(const WebhookView&) const = default;
};

struct WebhookCreated {
    static constexpr std::string_view type_name = "WebhookCreated";

    std::string name;
    std::string secret;
    Bytes cursor;
    std::int64_t created_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &WebhookCreated::name, field::optional, "The webhook's name.");
        visit("secret", &WebhookCreated::secret, field::secret(FieldRule::no_limit),
              "What requests are signed with; it is shown this once.");
        visit("cursor", &WebhookCreated::cursor, field::cursor, "The events behind it are sent.");
        visit("created_at_ms", &WebhookCreated::created_at_ms, field::optional, "When it was created.");
    }

    bool operator==(const WebhookCreated&) const = default;
};

struct CreateWebhook {
    using Answer = WebhookCreated;
    static constexpr std::string_view type_name = "CreateWebhook";
    static constexpr Operation operation{
        "create_webhook", "Sends the events of a channel to an address, in their order and at least once."};

    std::string name;
    std::string url;
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;
    std::vector<std::string> types;
    std::uint32_t max_batch = 1;
    std::string source = "urn:flowfabric";
    std::optional<Bytes> cursor;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &CreateWebhook::name, field::required(field::identity), "The webhook's name.");
        visit("url", &CreateWebhook::url, field::required(field::line(max_url_bytes)),
              "Where events are sent to: http:// or https://, without credentials.");
        visit("channel", &CreateWebhook::channel, field::optional, "The channel of events.");
        visit("namespace", &CreateWebhook::namespace_name, field::identity,
              "The only namespace whose events are sent; absent: all.");
        visit("types", &CreateWebhook::types, field::list(0, max_webhook_types, field::line(max_label_bytes)),
              "The only types of events that are sent, such as success or failed; none: all.");
        visit("max_batch", &CreateWebhook::max_batch, field::between(1, max_webhook_batch),
              "How many events a request may carry; with more than 1 every request carries a list.");
        visit("source", &CreateWebhook::source, field::line(max_label_bytes),
              "The source that events name, to tell several stores apart.");
        visit("cursor", &CreateWebhook::cursor, field::cursor,
              "Only events behind it are sent; absent: those to come.");
    }
};

struct UpdateWebhook {
    using Answer = WebhookView;
    static constexpr std::string_view type_name = "UpdateWebhook";
    static constexpr Operation operation{"update_webhook",
                                         "Changes a webhook, which goes on where it is; what is absent stays."};

    std::string name;
    std::optional<std::string> url;
    std::optional<std::vector<std::string>> types;
    std::optional<std::uint32_t> max_batch;
    std::optional<WebhookState> state;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &UpdateWebhook::name, field::required(field::identity), "The webhook's name.");
        visit("url", &UpdateWebhook::url, field::line(max_url_bytes), "Where events are sent to.");
        visit("types", &UpdateWebhook::types, field::list(0, max_webhook_types, field::line(max_label_bytes)),
              "The only types of events that are sent; none: all.");
        visit("max_batch", &UpdateWebhook::max_batch, field::between(1, max_webhook_batch),
              "How many events a request may carry.");
        visit("state", &UpdateWebhook::state, field::optional,
              "active or paused; a dead one that is made active goes on where it was, or with the oldest event that "
              "is kept.");
    }
};

struct WebhookSecretRotated {
    static constexpr std::string_view type_name = "WebhookSecretRotated";

    std::string name;
    std::string secret;
    std::int64_t previous_expires_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &WebhookSecretRotated::name, field::optional, "The webhook's name.");
        visit("secret", &WebhookSecretRotated::secret, field::secret(FieldRule::no_limit),
              "What requests are signed with from now on; it is shown this once.");
        visit("previous_expires_at_ms", &WebhookSecretRotated::previous_expires_at_ms, field::optional,
              "Until when they are signed with the secret before as well.");
    }

    bool operator==(const WebhookSecretRotated&) const = default;
};

struct RotateWebhookSecret {
    using Answer = WebhookSecretRotated;
    static constexpr std::string_view type_name = "RotateWebhookSecret";
    static constexpr Operation operation{"rotate_webhook_secret",
                                         "Gives a webhook a new secret; requests are signed with both for a while."};

    std::string name;
    std::int64_t overlap_ms = 86'400'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &RotateWebhookSecret::name, field::required(field::identity), "The webhook's name.");
        visit("overlap_ms", &RotateWebhookSecret::overlap_ms, field::between(0, max_grace_ms),
              "How long requests are signed with the secret before as well.");
    }
};

struct WebhookRemoved {
    static constexpr std::string_view type_name = "WebhookRemoved";

    bool existed = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("existed", &WebhookRemoved::existed, field::optional, "Whether there was one.");
    }

    bool operator==(const WebhookRemoved&) const = default;
};

struct RemoveWebhook {
    using Answer = WebhookRemoved;
    static constexpr std::string_view type_name = "RemoveWebhook";
    static constexpr Operation operation{"remove_webhook", "Ends a webhook, with the events that it has set aside."};

    std::string name;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &RemoveWebhook::name, field::required(field::identity), "The webhook's name.");
    }
};

struct WebhookRedelivery {
    static constexpr std::string_view type_name = "WebhookRedelivery";

    std::uint64_t count = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("count", &WebhookRedelivery::count, field::optional, "How many events are sent again.");
    }

    bool operator==(const WebhookRedelivery&) const = default;
};

struct RedeliverWebhookEvents {
    using Answer = WebhookRedelivery;
    static constexpr std::string_view type_name = "RedeliverWebhookEvents";
    static constexpr Operation operation{"redeliver_webhook_events",
                                         "Sends events once more that a webhook has set aside."};

    std::string name;
    std::optional<std::int64_t> event_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &RedeliverWebhookEvents::name, field::required(field::identity), "The webhook's name.");
        visit("event_id", &RedeliverWebhookEvents::event_id, field::time, "The only event that is meant; absent: all.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct WebhookPage {
    static constexpr std::string_view type_name = "WebhookPage";

    std::vector<WebhookView> webhooks;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("webhooks", &WebhookPage::webhooks, field::optional, "Webhooks, by name.");
        visit("next_cursor", &WebhookPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const WebhookPage&) const = default;
};

struct ListWebhooks {
    using Answer = WebhookPage;
    static constexpr std::string_view type_name = "ListWebhooks";
    static constexpr Operation operation{"list_webhooks", "Lists all webhooks, by name, without their secrets."};

    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListWebhooks::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListWebhooks::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct GetWebhook {
    using Answer = std::optional<WebhookView>;
    static constexpr std::string_view type_name = "GetWebhook";
    static constexpr Operation operation{"get_webhook", "Shows a webhook, and how it is doing."};

    std::string name;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &GetWebhook::name, field::required(field::identity), "The webhook's name.");
    }
};

// An event that its webhook's address has refused for good.
struct WebhookFailure {
    static constexpr std::string_view type_name = "WebhookFailure";

    std::int64_t event_id = 0;
    Json event;
    std::string error;
    std::int64_t failed_at_ms = 0;
    bool redelivering = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &WebhookFailure::event_id, field::optional, "The event's place on its channel.");
        visit("event", &WebhookFailure::event, field::optional, "The event as it was sent.");
        visit("error", &WebhookFailure::error, field::optional, "What the last request came to.");
        visit("failed_at_ms", &WebhookFailure::failed_at_ms, field::optional, "When it was set aside.");
        visit("redelivering", &WebhookFailure::redelivering, field::optional, "Whether it is to be sent once more.");
    }

    bool operator==(const WebhookFailure&) const = default;
};

struct WebhookFailurePage {
    static constexpr std::string_view type_name = "WebhookFailurePage";

    std::vector<WebhookFailure> failures;
    std::optional<std::int64_t> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("failures", &WebhookFailurePage::failures, field::optional,
              "Events that were set aside, the oldest first.");
        visit("next_cursor", &WebhookFailurePage::next, field::optional,
              "Where the next page begins; absent at the end.");
    }

    bool operator==(const WebhookFailurePage&) const = default;
};

struct ListWebhookFailures {
    using Answer = WebhookFailurePage;
    static constexpr std::string_view type_name = "ListWebhookFailures";
    static constexpr Operation operation{"list_webhook_failures",
                                         "Lists the events that a webhook has set aside in the last 30 days."};

    std::string name;
    std::optional<std::int64_t> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &ListWebhookFailures::name, field::required(field::identity), "The webhook's name.");
        visit("cursor", &ListWebhookFailures::after, field::time, "The last page's next_cursor.");
        visit("limit", &ListWebhookFailures::limit, field::optional,
              "How many at most; more than 1000 counts as 1000.");
    }
};

// ---- sending ----------------------------------------------------------------------------------------------------

// A webhook that a server may take over.
struct OpenWebhook {
    std::string name;
    Channel channel = Channel::completion;
};

// What one server is to send, for as long as it goes on reporting.
struct WebhookWork {
    std::string url;
    std::optional<std::string> namespace_name;
    std::vector<std::string> types;
    std::uint32_t max_batch = 1;
    std::string source;
    std::vector<Bytes> secrets;            // the one that counts first
    std::int64_t position = 0;             // the events behind it are to be sent
    std::int64_t retry_in_ms = 0;          // nothing is sent before
    std::uint32_t redelivering_count = 0;  // events that were set aside and are to be sent once more

    bool operator==(const WebhookWork&) const = default;
};

// What a server tells of its work. The store's answer is what there is to do from now on.
struct WebhookReport {
    enum class Outcome : std::uint8_t {
        none,       // it is still there
        delivered,  // the events were taken
        failed,     // the address does not answer, or has trouble of its own: it may take them later
        refused,    // the address does not want this event
        gone,       // the address says that it is no more
    };

    Outcome outcome = Outcome::none;
    std::int64_t position = 0;  // everything up to it is dealt with; where an event was refused, its id
    std::uint32_t delivered = 0;
    std::string error;
    std::int64_t retry_after_ms = 0;  // as the address asked for
    std::string event;                // what was refused
    bool redelivery = false;          // it is about an event that was set aside; `position` is its id
};

}  // namespace flowfabric
