#include "core/signing/on_keystore.hpp"
#include "core/signing/stored_secret.hpp"
#include "core/webhook/webhook.hpp"
#include "flowfabric/signing.hpp"

namespace flowfabric {
namespace {

// Seals what is not sealed. What is must open as well: with two master keys in one store, no engine opens all secrets.
struct Sealing {
    const IdSource& ids;
    const MasterKey& master;
    KeysResealed answer;

    // Whether it was stored in plain.
    Result<bool> seal(const std::string& kid, Binary& stored) {
        const auto key = open_stored(kid, stored.bytes, &master);
        if (!key) return key.error();
        ++answer.keys;
        if (is_sealed(stored.bytes)) return false;
        stored = {stored_sealed(*key, master, nonce_of(ids.at(answer.resealed++)))};
        return true;
    }
};

class ResealSigningKeysBody final : public OnKeystore {
  public:
    explicit ResealSigningKeysBody(const IdSource& ids) : ids_(ids) {}

    CommandTraits traits() const override {
        return {.name = "reseal_signing_keys", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        OnKeystore::name_rows(rows);
        auto& webhooks = rows.side.of<WebhookRow>();
        webhooks.all = webhooks.alone = true;
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& keys = context.set.side.of<SigningKeyRow>();
        auto& webhooks = context.set.side.of<WebhookRow>();
        Sealing sealing{.ids = ids_, .master = *context.settings.master_key, .answer = {}};
        std::vector<SigningKeyRow> resealed_keys;
        for (SigningKeyRow& row : keys.rows()) {
            const auto changed = sealing.seal(row.key.kid, row.secret);
            if (!changed) return changed.error();
            if (*changed) resealed_keys.push_back(std::move(row));
        }
        std::vector<WebhookRow> resealed_webhooks;
        for (WebhookRow& row : webhooks.rows()) {
            const std::string kid = webhook_kid(row.key.name);
            const auto changed = sealing.seal(kid, row.secret);
            if (!changed) return changed.error();
            const auto previous = row.previous_secret ? sealing.seal(kid, *row.previous_secret) : Result<bool>(false);
            if (!previous) return previous.error();
            if (*changed || *previous) resealed_webhooks.push_back(std::move(row));
        }
        for (SigningKeyRow& row : resealed_keys) keys.put(std::move(row));
        for (WebhookRow& row : resealed_webhooks) webhooks.put(std::move(row));
        return Answer::of<KeysResealed>(sealing.answer);
    }

  private:
    IdSource ids_;
};

}  // namespace

template <>
Result<Command> admit(ResealSigningKeys, const Settings& settings, const IdSource& ids) {
    if (!settings.master_key) return missing_master_key("nothing to seal with");
    return Command::make<ResealSigningKeysBody>(ids);
}

}  // namespace flowfabric
