#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/webhook/on_webhook.hpp"
#include "core/webhook/webhook_checks.hpp"

namespace flowfabric {
namespace {

class UpdateWebhookBody final : public OnWebhook {
  public:
    explicit UpdateWebhookBody(UpdateWebhook command) : OnWebhook(command.name), command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "update_webhook", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(command_.name, command_.url, command_.types);
    }
    void name_rows(NamedRows& rows) const override {
        OnWebhook::name_rows(rows);
        if (command_.state) name_consumers(rows);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (known == nullptr) return not_found();
        WebhookRow row = *known;
        if (command_.state == WebhookState::paused && row.state == WebhookState::dead) {
            return invalid_input("state", "the webhook is dead; make it active or remove it");
        }
        if (command_.url) row.url = *command_.url;
        if (command_.types) row.types = {*command_.types};
        if (command_.max_batch) row.max_batch = static_cast<std::int32_t>(*command_.max_batch);
        if (command_.state && *command_.state != row.state) change_state(row, *command_.state, context.set);
        context.set.side.of<WebhookRow>().put(row);
        return Answer::of<WebhookView>(view_of(row));
    }

  private:
    static void change_state(WebhookRow& row, WebhookState state, WorkingSet& set) {
        if (row.state == WebhookState::dead) keep_events_again(row, set);
        row.state = state;
        row.owner.reset();
        row.attempts = row.refused_in_turn = 0;
        row.failing_since_ms = row.next_attempt_at_ms = std::nullopt;
    }

    static void keep_events_again(WebhookRow& row, WorkingSet& set) {
        const std::int64_t trimmed = set.trimmed[static_cast<std::size_t>(row.channel)];
        set.side.of<ConsumerRow>().put({.key = webhook_consumer(row.key.name, row.channel),
                                        .event_id = std::max(trimmed, row.stopped_at_event_id.value_or(trimmed)),
                                        .registered_at_ms = set.now_ms,
                                        .acknowledged_at_ms = set.now_ms});
        row.stopped_at_event_id.reset();
    }

    UpdateWebhook command_;
};

}  // namespace

template <>
Result<Command> admit(UpdateWebhook command, const Settings&, const IdSource&) {
    Checks check;
    check(check_identity("name", command.name));
    if (command.url) check(check_webhook_url(*command.url));
    if (command.types) check(check_webhook_types(*command.types));
    if (command.max_batch) check(check_range("max_batch", *command.max_batch, 1, max_webhook_batch));
    check.require(!command.state || *command.state == WebhookState::active || *command.state == WebhookState::paused,
                  "state", "must be active or paused");
    if (check.fault()) return *check.fault();
    return Command::make<UpdateWebhookBody>(std::move(command));
}

}  // namespace flowfabric
