#include <algorithm>

#include "core/command/contents.hpp"
#include "core/execution/retry.hpp"
#include "core/webhook/on_webhook.hpp"

// What becomes of a webhook with each report of the server that sends for it.
namespace flowfabric {
namespace {

using Outcome = WebhookReport::Outcome;

constexpr std::uint64_t ownership_ms = 60'000;
constexpr std::int64_t first_pause_ms = 1000;
constexpr std::int64_t longest_pause_ms = 300'000;
constexpr std::int64_t longest_wish_ms = 3'600'000;  // that an address may have for a pause
constexpr std::int32_t attempts_if_refused = 5;
constexpr std::int32_t refused_until_dead = 100;
constexpr std::int64_t failing_until_dead_ms = std::int64_t{72} * 60 * 60 * 1000;
constexpr std::uint64_t failures_kept_ms = std::uint64_t{30} * 24 * 60 * 60 * 1000;

// Doubles with each attempt.
std::int64_t pause_after(std::int32_t attempts, std::int64_t wish_ms) {
    constexpr std::int32_t enough_doublings = 20;
    const std::int64_t doubled = first_pause_ms << std::clamp(attempts - 1, 0, enough_doublings);
    return std::max(std::min(doubled, longest_pause_ms), std::clamp(wish_ms, std::int64_t{0}, longest_wish_ms));
}

void end_turn(WebhookRow& row) {
    row.owner.reset();
    row.owned_until_ms = 0;
}

// Events no longer wait for it: one whose address is gone for good would keep all of them for ever.
void give_up(WebhookRow& row, RowTable<ConsumerRow>& consumers) {
    const ConsumerKey key = webhook_consumer(row.key.name, row.channel);
    if (const ConsumerRow* consumer = consumers.find(key)) {
        row.stopped_at_event_id = consumer->event_id;
        consumers.erase(key);
    }
    row.state = WebhookState::dead;
    row.next_attempt_at_ms.reset();
    end_turn(row);
}

void count_taken(WebhookRow& row, std::uint32_t events, std::int64_t now_ms) {
    row.refused_in_turn = 0;
    row.failing_since_ms.reset();
    row.last_error.reset();
    row.last_delivered_at_ms = now_ms;
    row.delivered_count += events;
}

class OnTurn : public OnWebhook {
  public:
    OnTurn(OpenWebhook webhook, std::string owner)
        : OnWebhook(std::move(webhook.name)), channel_(webhook.channel), owner_(std::move(owner)) {}

    std::size_t bytes() const override { return sizeof(*this) + contents_of(webhook().name, owner_); }
    void name_rows(NamedRows& rows) const override {
        OnWebhook::name_rows(rows);
        rows.side.of<ConsumerRow>().keys.push_back(consumer());
    }

  protected:
    ConsumerKey consumer() const { return webhook_consumer(webhook().name, channel_); }
    const std::string& owner() const { return owner_; }

    bool is_own(const WebhookRow* row) const {
        return row != nullptr && row->state == WebhookState::active && row->owner == owner_;
    }

    static Answer no_turn() { return Answer::of<WebhookTurn>({}); }

    // Keeps the row and goes on.
    Result<Answer> next_turn(WebhookRow row, DecisionContext& context) const {
        WorkingSet& set = context.set;
        WebhookWork work{.url = row.url,
                         .namespace_name = row.namespace_name,
                         .types = row.types.values,
                         .max_batch = static_cast<std::uint32_t>(row.max_batch),
                         .source = row.source,
                         .secrets = {},
                         .position = 0,
                         .retry_in_ms = 0,
                         .redelivering_count = static_cast<std::uint32_t>(row.redelivering_count)};
        auto secret = webhook_secret(row.key.name, row.secret, context.settings);
        if (!secret) return secret.error();
        work.secrets.push_back(*std::move(secret));
        if (row.previous_secret && row.previous_expires_at_ms.value_or(0) > set.now_ms) {
            auto previous = webhook_secret(row.key.name, *row.previous_secret, context.settings);
            if (!previous) return previous.error();
            work.secrets.push_back(*std::move(previous));
        }
        if (const ConsumerRow* reader = set.side.of<ConsumerRow>().find(consumer())) work.position = reader->event_id;
        if (row.next_attempt_at_ms) work.retry_in_ms = std::max(std::int64_t{0}, *row.next_attempt_at_ms - set.now_ms);
        row.owner = owner_;
        row.owned_until_ms = saturating_add(set.now_ms, ownership_ms);
        set.side.of<WebhookRow>().put(std::move(row));
        return Answer::of<WebhookTurn>({std::move(work)});
    }

  private:
    Channel channel_;
    std::string owner_;
};

class TakeWebhookBody final : public OnTurn {
  public:
    using OnTurn::OnTurn;

    CommandTraits traits() const override {
        return {.name = "take_webhook", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* row = find(context);
        if (row == nullptr || !is_open_to(*row, owner(), context.set.now_ms)) return no_turn();
        return next_turn(*row, context);
    }
};

class ReleaseWebhookBody final : public OnTurn {
  public:
    using OnTurn::OnTurn;

    CommandTraits traits() const override {
        return {.name = "release_webhook", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (!is_own(known)) return no_turn();
        WebhookRow row = *known;
        end_turn(row);
        context.set.side.of<WebhookRow>().put(std::move(row));
        return no_turn();
    }
};

class ReportWebhookBody final : public OnTurn {
  public:
    ReportWebhookBody(OpenWebhook webhook, std::string owner, WebhookReport report)
        : OnTurn(std::move(webhook), std::move(owner)), report_(std::move(report)) {}

    CommandTraits traits() const override {
        return {.name = "report_webhook", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return OnTurn::bytes() + contents_of(report_.error, report_.event); }
    void name_rows(NamedRows& rows) const override {
        OnTurn::name_rows(rows);
        auto& failures = rows.side.of<WebhookFailureRow>();
        if (report_.redelivery || report_.outcome == Outcome::refused) failures.keys.push_back(failure());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (!is_own(known)) return no_turn();
        WebhookRow row = *known;
        if (report_.redelivery) {
            take_up_redelivery(row, context.set);
        } else {
            take_up(row, context.set);
        }
        if (row.state == WebhookState::active) return next_turn(std::move(row), context);
        context.set.side.of<WebhookRow>().put(std::move(row));
        return no_turn();
    }

  private:
    WebhookFailureKey failure() const { return {webhook().name, report_.position}; }

    void advance(WorkingSet& set) const {
        auto& consumers = set.side.of<ConsumerRow>();
        const ConsumerRow* known = consumers.find(consumer());
        if (known == nullptr || known->event_id >= report_.position) return;
        ConsumerRow row = *known;
        row.event_id = report_.position;
        row.acknowledged_at_ms = set.now_ms;
        consumers.put(std::move(row));
    }

    void take_up(WebhookRow& row, WorkingSet& set) const {
        switch (report_.outcome) {
            case Outcome::none:
                return advance(set);
            case Outcome::delivered:
                row.attempts = 0;
                row.next_attempt_at_ms.reset();
                count_taken(row, report_.delivered, set.now_ms);
                return advance(set);
            case Outcome::failed:
            case Outcome::refused:
            case Outcome::gone:
                break;
        }
        ++row.attempts;
        row.last_error = report_.error;
        if (!row.failing_since_ms) row.failing_since_ms = set.now_ms;
        row.next_attempt_at_ms =
            saturating_add(set.now_ms, static_cast<std::uint64_t>(pause_after(row.attempts, report_.retry_after_ms)));
        if (report_.outcome == Outcome::refused && row.attempts >= attempts_if_refused)
            set_aside_if_there_is_room(row, set);
        const bool failing_for_long =
            row.failing_since_ms && set.now_ms - *row.failing_since_ms >= failing_until_dead_ms;
        if (report_.outcome == Outcome::gone || failing_for_long || row.refused_in_turn >= refused_until_dead) {
            give_up(row, set.side.of<ConsumerRow>());
        }
    }

    void set_aside_if_there_is_room(WebhookRow& row, WorkingSet& set) const {
        if (row.set_aside_count >= static_cast<std::int32_t>(max_set_aside)) {
            row.last_error = report_.error + "; " + std::to_string(max_set_aside) + " events are set aside already";
            return;
        }
        auto& failures = set.side.of<WebhookFailureRow>();
        if (const WebhookFailureRow* again = failures.find(failure())) forget(row, *again, failures);
        failures.put({.key = failure(),
                      .due_at_ms = saturating_add(set.now_ms, failures_kept_ms),
                      .event = report_.event,
                      .error = report_.error,
                      .failed_at_ms = set.now_ms});
        row.attempts = 0;
        ++row.refused_in_turn;
        ++row.failed_count;
        ++row.set_aside_count;
        // The next one is tried for the first time.
        row.failing_since_ms.reset();
        row.next_attempt_at_ms.reset();
        advance(set);
    }

    // An event that is not taken this time either stays set aside.
    void take_up_redelivery(WebhookRow& row, WorkingSet& set) const {
        auto& failures = set.side.of<WebhookFailureRow>();
        const WebhookFailureRow* known = failures.find(failure());
        if (known == nullptr || !known->redelivering) return;
        if (report_.outcome == Outcome::delivered) {
            forget(row, *known, failures);
            return count_taken(row, 1, set.now_ms);
        }
        --row.redelivering_count;
        WebhookFailureRow failed = *known;
        failed.redelivering = false;
        failed.error = report_.error;
        failures.put(std::move(failed));
    }

    WebhookReport report_;
};

}  // namespace

Command take_webhook(OpenWebhook webhook, std::string owner) {
    return Command::make<TakeWebhookBody>(std::move(webhook), std::move(owner));
}

Command report_webhook(OpenWebhook webhook, std::string owner, WebhookReport report) {
    return Command::make<ReportWebhookBody>(std::move(webhook), std::move(owner), std::move(report));
}

Command release_webhook(OpenWebhook webhook, std::string owner) {
    return Command::make<ReleaseWebhookBody>(std::move(webhook), std::move(owner));
}

}  // namespace flowfabric
