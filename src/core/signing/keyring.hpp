#pragma once

#include <string_view>
#include <vector>

#include "core/command/settings.hpp"
#include "core/rows/side_tables.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric {

// Whether it was retired and its grace is over.
bool has_lapsed(const SigningKeyRow& row, std::int64_t now_ms);

// The keys that sign and verify at a moment, with their secrets.
class Keyring {
  public:
    // `unavailable` without a key that signs, or when the secrets cannot be read with this master key.
    static Result<Keyring> open(const RowTable<SigningKeyRow>& rows, const Settings& settings, std::int64_t now_ms);

    const SigningKey& active() const { return keys_.front(); }
    // Null for a kid that is unknown or verifies no longer.
    const SigningKey* find(std::string_view kid) const;
    // Also finds a key that verifies no longer, as long as the keystore has it.
    const SigningKey* find_lapsed(std::string_view kid) const;

  private:
    std::vector<SigningKey> keys_;  // the active one first
    std::vector<SigningKey> lapsed_;
};

}  // namespace flowfabric
