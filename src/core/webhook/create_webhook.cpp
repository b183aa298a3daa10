#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/events/consumer.hpp"
#include "core/events/on_consumer.hpp"
#include "core/webhook/on_webhook.hpp"
#include "core/webhook/webhook_checks.hpp"

namespace flowfabric {
namespace {

class CreateWebhookBody final : public OnWebhook {
  public:
    // The row has all but its time.
    CreateWebhookBody(WebhookRow row, std::string secret, std::optional<std::int64_t> position)
        : OnWebhook(row.key.name), row_(std::move(row)), secret_(std::move(secret)), position_(position) {}

    CommandTraits traits() const override {
        return {.name = "create_webhook", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(row_, secret_); }
    void name_rows(NamedRows& rows) const override {
        OnWebhook::name_rows(rows);
        rows.side.of<ConsumerRow>().keys.push_back(consumer());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        if (find(context) != nullptr) {
            return EngineError{.kind = ErrorKind::webhook_already_exists, .detail = "name: " + webhook().name};
        }
        const auto channel = static_cast<std::size_t>(row_.channel);
        const std::int64_t position = position_.value_or(std::max(set.trimmed[channel], set.drawn[channel]));
        if (auto refused = refuse_place(position, set.trimmed[channel], set.drawn[channel])) return *refused;
        WebhookRow row = row_;
        row.created_at_ms = set.now_ms;
        set.side.of<WebhookRow>().put(std::move(row));
        set.side.of<ConsumerRow>().put({.key = consumer(),
                                        .event_id = position,
                                        .registered_at_ms = set.now_ms,
                                        .acknowledged_at_ms = set.now_ms});
        return Answer::of<WebhookCreated>(
            {.name = webhook().name, .secret = secret_, .cursor = cursor_at(position), .created_at_ms = set.now_ms});
    }

  private:
    ConsumerKey consumer() const { return webhook_consumer(webhook().name, row_.channel); }

    WebhookRow row_;
    std::string secret_;
    std::optional<std::int64_t> position_;
};

}  // namespace

template <>
Result<Command> admit(CreateWebhook command, const Settings& settings, const IdSource& ids) {
    Checks check;
    check(check_identity("name", command.name));
    check(check_webhook_url(command.url));
    check.require(is_known(command.channel), "channel", "no such channel");
    if (command.namespace_name) check(check_identity("namespace", *command.namespace_name));
    check(check_webhook_types(command.types));
    check(check_range("max_batch", command.max_batch, 1, max_webhook_batch));
    check(check_line("source", command.source, max_label_bytes));
    check.require(!command.source.empty(), "source", "must not be empty");
    if (check.fault()) return *check.fault();
    std::optional<std::int64_t> position;
    if (command.cursor) {
        const auto place = place_in_channel(*command.cursor);
        if (!place) return place.error();
        position = *place;
    }
    auto secret = new_webhook_secret(command.name, settings, ids);
    if (!secret) return secret.error();
    WebhookRow row;
    row.key = {std::move(command.name)};
    row.url = std::move(command.url);
    row.channel = command.channel;
    row.namespace_name = std::move(command.namespace_name);
    row.types = {std::move(command.types)};
    row.max_batch = static_cast<std::int32_t>(command.max_batch);
    row.source = std::move(command.source);
    row.secret = std::move(secret->stored);
    return Command::make<CreateWebhookBody>(std::move(row), std::move(secret->text), position);
}

}  // namespace flowfabric
