#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/webhook/on_webhook.hpp"

// Events that were refused for good: sent once more, or forgotten.
namespace flowfabric {
namespace {

class RedeliverWebhookEventsBody final : public OnWebhook {
  public:
    RedeliverWebhookEventsBody(std::string name, std::optional<std::int64_t> event_id)
        : OnWebhook(std::move(name)), event_id_(event_id) {}

    CommandTraits traits() const override {
        return {.name = "redeliver_webhook_events", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(webhook().name); }
    void name_rows(NamedRows& rows) const override {
        OnWebhook::name_rows(rows);
        if (event_id_) {
            rows.side.of<WebhookFailureRow>().keys.push_back({webhook().name, *event_id_});
        } else {
            name_failures(rows);
        }
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (known == nullptr) return not_found();
        if (known->state != WebhookState::active) {
            return invalid_input("name", "the webhook is " + std::string(to_string(known->state)));
        }
        auto& failures = context.set.side.of<WebhookFailureRow>();
        auto meant = failures.where([&](const WebhookFailureRow& row) {
            return row.key.webhook == webhook().name && (!event_id_ || row.key.event_id == *event_id_);
        });
        if (event_id_ && meant.empty()) return invalid_input("event_id", "no such event is set aside");
        WebhookRow row = *known;
        for (WebhookFailureRow& failure : meant) {
            if (failure.redelivering) continue;
            failure.redelivering = true;
            ++row.redelivering_count;
            failures.put(std::move(failure));
        }
        context.set.side.of<WebhookRow>().put(std::move(row));
        return Answer::of<WebhookRedelivery>({.count = meant.size()});
    }

  private:
    std::optional<std::int64_t> event_id_;
};

class ForgetWebhookFailureBody final : public CommandBody {
  public:
    explicit ForgetWebhookFailureBody(WebhookFailureKey failure) : failure_(std::move(failure)) {}

    CommandTraits traits() const override {
        return {.name = "forget_webhook_failure", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(failure_.webhook); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<WebhookRow>().keys.push_back({failure_.webhook});
        rows.side.of<WebhookFailureRow>().keys.push_back(failure_);
    }
    std::string subject() const override { return "webhook " + failure_.webhook; }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        SideTables& side = context.set.side;
        const WebhookFailureRow* failure = side.of<WebhookFailureRow>().find(failure_);
        const WebhookRow* webhook = side.of<WebhookRow>().find({failure_.webhook});
        const bool old = failure != nullptr && failure->due_at_ms <= context.set.now_ms;
        if (old && webhook != nullptr) {
            WebhookRow row = *webhook;
            forget(row, *failure, side.of<WebhookFailureRow>());
            side.of<WebhookRow>().put(std::move(row));
        }
        return Answer::of<TimerFired>({.changed = old && webhook != nullptr});
    }

  private:
    WebhookFailureKey failure_;
};

}  // namespace

template <>
Result<Command> admit(RedeliverWebhookEvents command, const Settings&, const IdSource&) {
    Checks check;
    check(check_identity("name", command.name));
    check.require(!command.event_id || *command.event_id >= 0, "event_id", "must not be negative");
    if (check.fault()) return *check.fault();
    return Command::make<RedeliverWebhookEventsBody>(std::move(command.name), command.event_id);
}

Command forget_webhook_failure(const WebhookFailureKey& failure) {
    return Command::make<ForgetWebhookFailureBody>(failure);
}

}  // namespace flowfabric
