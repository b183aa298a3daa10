#include "core/base/names.hpp"
#include "core/command/contents.hpp"
#include "core/webhook/on_webhook.hpp"

namespace flowfabric {
namespace {

class RemoveWebhookBody final : public OnWebhook {
  public:
    using OnWebhook::OnWebhook;

    CommandTraits traits() const override {
        return {.name = "remove_webhook", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(webhook().name); }
    void name_rows(NamedRows& rows) const override {
        OnWebhook::name_rows(rows);
        name_failures(rows);
        name_consumers(rows);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (known == nullptr) return Answer::of<WebhookRemoved>({.existed = false});
        SideTables& side = context.set.side;
        side.of<ConsumerRow>().erase(webhook_consumer(webhook().name, known->channel));
        for (const WebhookFailureRow& failure : side.of<WebhookFailureRow>().where(
                 [&](const WebhookFailureRow& row) { return row.key.webhook == webhook().name; })) {
            side.of<WebhookFailureRow>().erase(failure.key);
        }
        side.of<WebhookRow>().erase(webhook());
        return Answer::of<WebhookRemoved>({.existed = true});
    }
};

}  // namespace

template <>
Result<Command> admit(RemoveWebhook command, const Settings&, const IdSource&) {
    if (auto checked = check_identity("name", command.name); !checked) return checked.error();
    return Command::make<RemoveWebhookBody>(std::move(command.name));
}

}  // namespace flowfabric
