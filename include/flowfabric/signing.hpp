#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// The keys that sign waitpoint tokens and grants.
namespace flowfabric {

// What the key is called that a store without one gets when an engine or a server starts.
inline constexpr std::string_view first_kid = "k1";

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

// ---- reads ------------------------------------------------------------------------------------------------------

// The keys that sign and verify now; secrets are never shown.
struct SigningKids {
    struct Verifying {
        static constexpr std::string_view type_name = "VerifyingKid";

        std::string kid;
        std::int64_t expires_at_ms = 0;

        template <class Visit>
        static void fields(Visit&& visit) {
            visit("kid", &Verifying::kid, field::optional, "The key's name.");
            visit("expires_at_ms", &Verifying::expires_at_ms, field::optional, "When it ceases to verify.");
        }

        bool operator==(const Verifying&) const = default;
    };
    static constexpr std::string_view type_name = "SigningKids";

    std::optional<std::string> current_kid;
    std::vector<Verifying> verifying;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("current_kid", &SigningKids::current_kid, field::optional, "The key that signs; absent: there is none.");
        visit("verifying", &SigningKids::verifying, field::optional, "Retired keys that still verify, by kid.");
    }

    bool operator==(const SigningKids&) const = default;
};

struct ListWaitpointHmacKids {
    using Answer = SigningKids;
    static constexpr std::string_view type_name = "ListWaitpointHmacKids";
    static constexpr Operation operation{"list_waitpoint_hmac_kids",
                                         "Names the key that signs and those that still verify."};
};

// A key without its secret.
struct SigningKeyView {
    enum class State : std::uint8_t { active, verifying, lapsed };
    static constexpr std::string_view type_name = "SigningKeyView";

    std::string kid;
    State state = State::active;
    bool sealed = false;
    std::int64_t rotated_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("kid", &SigningKeyView::kid, field::optional, "The key's name.");
        visit("state", &SigningKeyView::state, field::optional, "Whether it signs, still verifies, or neither.");
        visit("sealed", &SigningKeyView::sealed, field::optional, "False: its secret is stored in plain.");
        visit("rotated_at_ms", &SigningKeyView::rotated_at_ms, field::optional, "When it became the active key.");
        visit("expires_at_ms", &SigningKeyView::expires_at_ms, field::optional,
              "When a key that does not sign any more ceases to verify.");
    }

    bool operator==(const SigningKeyView&) const = default;
};

template <>
inline constexpr std::array enum_names<SigningKeyView::State> =
    std::to_array<std::string_view>({"active", "verifying", "lapsed"});

struct SigningKeyPage {
    static constexpr std::string_view type_name = "SigningKeyPage";

    std::vector<SigningKeyView> keys;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("keys", &SigningKeyPage::keys, field::optional, "Keys, by kid.");
        visit("next_cursor", &SigningKeyPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const SigningKeyPage&) const = default;
};

struct ListSigningKeys {
    using Answer = SigningKeyPage;
    static constexpr std::string_view type_name = "ListSigningKeys";
    static constexpr Operation operation{"list_signing_keys", "Lists all signing keys, by kid, without their secrets."};

    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListSigningKeys::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListSigningKeys::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
