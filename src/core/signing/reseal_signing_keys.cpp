#include "core/signing/on_keystore.hpp"
#include "core/signing/stored_secret.hpp"
#include "flowfabric/signing.hpp"

namespace flowfabric {
namespace {

class ResealSigningKeysBody final : public OnKeystore {
  public:
    explicit ResealSigningKeysBody(const IdSource& ids) : ids_(ids) {}

    CommandTraits traits() const override {
        return {.name = "reseal_signing_keys", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& keys = context.set.side.of<SigningKeyRow>();
        const MasterKey& master = *context.settings.master_key;
        KeysResealed answer;
        std::vector<SigningKeyRow> resealed;
        for (SigningKeyRow row : keys.rows()) {
            // Those that are sealed must open as well: with two master keys in one store, no engine opens all secrets.
            const auto key = open_stored(row.key.kid, row.secret.bytes, &master);
            if (!key) return key.error();
            ++answer.keys;
            if (is_sealed(row.secret.bytes)) continue;
            row.secret = {stored_sealed(*key, master, nonce_of(ids_.at(answer.resealed++)))};
            resealed.push_back(std::move(row));
        }
        for (SigningKeyRow& row : resealed) keys.put(std::move(row));
        return Answer::of<KeysResealed>(answer);
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
