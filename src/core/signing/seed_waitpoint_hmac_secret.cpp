#include "core/command/contents.hpp"
#include "core/signing/on_keystore.hpp"
#include "flowfabric/signing.hpp"

namespace flowfabric {
namespace {

class SeedWaitpointHmacSecretBody final : public OnKeystore {
  public:
    explicit SeedWaitpointHmacSecretBody(NewKey added) : added_(std::move(added)) {}

    CommandTraits traits() const override {
        return {.name = "seed_waitpoint_hmac_secret", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(added_.key.kid, added_.key.secret, added_.stored.bytes);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& keys = context.set.side.of<SigningKeyRow>();
        const std::string& kid = added_.key.kid;
        if (const SigningKeyRow* known = keys.find({kid})) {
            const auto same = has_secret(*known, added_.key, context.settings);
            if (!same) return same.error();
            return Answer::of<KeySeeded>({.kid = kid, .already_there = true, .same_secret = *same});
        }
        if (auto refused = refuse_plain(added_.stored, keys)) return *std::move(refused);
        if (const auto active = active_key(keys)) {
            return invalid_input("kid", "'" + active->key.kid + "' is active: rotate instead");
        }
        keys.put({.key = {kid}, .secret = added_.stored, .rotated_at_ms = context.set.now_ms, .active = true});
        return Answer::of<KeySeeded>({.kid = kid});
    }

  private:
    NewKey added_;
};

}  // namespace

template <>
Result<Command> admit(SeedWaitpointHmacSecret command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_kid("kid", command.kid); !checked) return checked.error();
    auto secret = seed_secret_of_hex("secret_hex", command.secret_hex);
    if (!secret) return secret.error();
    SigningKey key{std::move(command.kid), std::move(*secret)};
    return Command::make<SeedWaitpointHmacSecretBody>(new_key(std::move(key), settings, ids));
}

}  // namespace flowfabric
