#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"

// The keys that sign waitpoint tokens and grants.
namespace flowfabric {

struct KeySeeded {
    static constexpr std::string_view type_name = "KeySeeded";

    std::string kid;
    bool already_there = false;
    bool same_secret = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("kid", &KeySeeded::kid, field::optional, "The key that signs.");
        visit("already_there", &KeySeeded::already_there, field::optional, "Whether there was a key before.");
        visit("same_secret", &KeySeeded::same_secret, field::optional, "Whether its secret is the one given.");
    }

    bool operator==(const KeySeeded&) const = default;
};

struct SeedWaitpointHmacSecret {
    using Answer = KeySeeded;
    static constexpr std::string_view type_name = "SeedWaitpointHmacSecret";
    static constexpr Operation operation{"seed_waitpoint_hmac_secret",
                                         "Installs the first signing key; safe to repeat at every start."};

    std::string kid;
    std::string secret_hex;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("kid", &SeedWaitpointHmacSecret::kid, field::required(field::identity),
              "The key's name, without a colon.");
        visit("secret_hex", &SeedWaitpointHmacSecret::secret_hex, field::required(field::secret(FieldRule::no_limit)),
              "Its secret: 32 bytes, in hex.");
    }
};

struct KeyRotated {
    static constexpr std::string_view type_name = "KeyRotated";

    std::optional<std::string> previous_kid;
    std::string new_kid;
    std::uint32_t gc_count = 0;
    bool changed = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("previous_kid", &KeyRotated::previous_kid, field::optional, "The key that signed before, if any.");
        visit("new_kid", &KeyRotated::new_kid, field::optional, "The key that signs now.");
        visit("gc_count", &KeyRotated::gc_count, field::optional, "How many retired keys were removed.");
        visit("changed", &KeyRotated::changed, field::optional, "False if it was the active key already.");
    }

    bool operator==(const KeyRotated&) const = default;
};

struct RotateWaitpointHmacSecret {
    using Answer = KeyRotated;
    static constexpr std::string_view type_name = "RotateWaitpointHmacSecret";
    static constexpr Operation operation{
        "rotate_waitpoint_hmac_secret",
        "Signs with a new key from now on; the old one verifies until its grace is over."};

    std::string new_kid;
    std::string new_secret_hex;
    std::int64_t grace_ms = 86'400'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("new_kid", &RotateWaitpointHmacSecret::new_kid, field::required(field::identity),
              "The new key's name, without a colon.");
        visit("new_secret_hex", &RotateWaitpointHmacSecret::new_secret_hex,
              field::required(field::secret(FieldRule::no_limit)), "Its secret, in hex.");
        visit("grace_ms", &RotateWaitpointHmacSecret::grace_ms, field::between(0, max_grace_ms),
              "How long the old key goes on verifying.");
    }
};

struct KeysResealed {
    static constexpr std::string_view type_name = "KeysResealed";

    std::uint32_t resealed = 0;
    std::uint32_t keys = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("resealed", &KeysResealed::resealed, field::optional, "How many secrets were stored in plain until now.");
        visit("keys", &KeysResealed::keys, field::optional, "How many keys there are, the sealed ones included.");
    }

    bool operator==(const KeysResealed&) const = default;
};

struct ResealSigningKeys {
    using Answer = KeysResealed;
    static constexpr std::string_view type_name = "ResealSigningKeys";
    static constexpr Operation operation{
        "reseal_signing_keys",
        "Seals every secret that is stored in plain with the engine's master key; safe to repeat."};
};

}  // namespace flowfabric
