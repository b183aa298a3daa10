#pragma once

#include <string>
#include <utility>

#include "core/command/command.hpp"
#include "core/webhook/webhook.hpp"
#include "flowfabric/error.hpp"

// Commands that are about one webhook.
namespace flowfabric {

class OnWebhook : public CommandBody {
  public:
    explicit OnWebhook(std::string name) : webhook_{std::move(name)} {}

    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<WebhookRow>().keys.push_back(webhook_); }
    std::string subject() const final { return "webhook " + webhook_.name; }

  protected:
    const WebhookKey& webhook() const { return webhook_; }
    // Null: there is none.
    const WebhookRow* find(const DecisionContext& context) const {
        return context.set.side.of<WebhookRow>().find(webhook_);
    }
    EngineError not_found() const { return {.kind = ErrorKind::webhook_not_found, .detail = webhook_.name}; }

    // Its consumer, whichever channel it follows.
    void name_consumers(NamedRows& rows) const {
        for (const Channel channel : channels) {
            rows.side.of<ConsumerRow>().keys.push_back(webhook_consumer(webhook_.name, channel));
        }
    }
    // Every event that it has set aside.
    void name_failures(NamedRows& rows) const {
        auto& failures = rows.side.of<WebhookFailureRow>();
        failures.behind.push_back({webhook_.name, -1});
        failures.piece = max_set_aside;
    }

  private:
    WebhookKey webhook_;
};

}  // namespace flowfabric
