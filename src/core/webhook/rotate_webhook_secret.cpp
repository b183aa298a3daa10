#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/retry.hpp"
#include "core/webhook/on_webhook.hpp"

namespace flowfabric {
namespace {

class RotateWebhookSecretBody final : public OnWebhook {
  public:
    RotateWebhookSecretBody(RotateWebhookSecret command, NewWebhookSecret secret)
        : OnWebhook(std::move(command.name)),
          overlap_ms_(static_cast<std::uint64_t>(command.overlap_ms)),
          secret_(std::move(secret)) {}

    CommandTraits traits() const override {
        return {.name = "rotate_webhook_secret", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(webhook().name, secret_.text); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const WebhookRow* known = find(context);
        if (known == nullptr) return not_found();
        WebhookRow row = *known;
        const std::int64_t until = saturating_add(context.set.now_ms, overlap_ms_);
        row.previous_secret = std::exchange(row.secret, secret_.stored);
        row.previous_expires_at_ms = until;
        context.set.side.of<WebhookRow>().put(std::move(row));
        return Answer::of<WebhookSecretRotated>(
            {.name = webhook().name, .secret = secret_.text, .previous_expires_at_ms = until});
    }

  private:
    std::uint64_t overlap_ms_;
    NewWebhookSecret secret_;
};

}  // namespace

template <>
Result<Command> admit(RotateWebhookSecret command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_identity("name", command.name); !checked) return checked.error();
    if (command.overlap_ms < 0 || command.overlap_ms > max_grace_ms) {
        return invalid_input("overlap_ms", "must be 0 to " + std::to_string(max_grace_ms));
    }
    auto secret = new_webhook_secret(command.name, settings, ids);
    if (!secret) return secret.error();
    return Command::make<RotateWebhookSecretBody>(std::move(command), *std::move(secret));
}

}  // namespace flowfabric
