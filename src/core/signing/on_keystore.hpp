#pragma once

#include <optional>

#include "core/command/command.hpp"
#include "core/signing/signing.hpp"

// Commands that change the keystore.
namespace flowfabric {

class OnKeystore : public CommandBody {
  public:
    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const override {
        auto& keys = rows.side.of<SigningKeyRow>();
        keys.all = keys.alone = true;
    }
};

// A key that is to be added: as it is, and as it is stored.
struct NewKey {
    SigningKey key;
    Binary stored;
};

NewKey new_key(SigningKey key, const Settings& settings, const IdSource& ids);

std::optional<SigningKeyRow> active_key(const RowTable<SigningKeyRow>& keys);
Result<bool> has_secret(const SigningKeyRow& row, const SigningKey& key, const Settings& settings);
// One secret in plain would undo what the master key of the others is for.
std::optional<EngineError> refuse_plain(const Binary& stored, const RowTable<SigningKeyRow>& keys);

}  // namespace flowfabric
