#pragma once

#include <array>
#include <cstdint>

#include "core/signing/signing.hpp"
#include "flowfabric/ids.hpp"

// A signing key's secret as it lies in the keystore: 0x00, secret | 0x01, nonce, ciphertext, tag (AES-256-GCM, the kid
// as associated data, so that a row copied under another kid does not open).
namespace flowfabric {

using MasterKey = std::array<std::uint8_t, 32>;
using SealNonce = std::array<std::uint8_t, 12>;  // random; never twice under one master key

// The random end of a fresh id.
SealNonce nonce_of(const Uuid& fresh);

// `unavailable`: what is asked for takes a master key, and the engine has none.
EngineError missing_master_key(std::string_view why);

Bytes stored_plain(const SigningKey& key);
Bytes stored_sealed(const SigningKey& key, const MasterKey& master, const SealNonce& nonce);

bool is_sealed(std::string_view stored);

// Opens both forms. Sealed without a master key: unavailable; under another one, or tampered with: corruption.
Result<SigningKey> open_stored(std::string_view kid, std::string_view stored, const MasterKey* master);

}  // namespace flowfabric
