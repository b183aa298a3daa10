#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/scope.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// The tokens with which callers of the API prove what they may do. A store keeps a digest of each secret; the secret
// itself is shown once, to the caller that has it made.
namespace flowfabric {

struct TokenCreated {
    static constexpr std::string_view type_name = "TokenCreated";

    std::string name;
    std::string secret;
    std::int64_t created_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &TokenCreated::name, field::optional, "The token's name.");
        visit("secret", &TokenCreated::secret, field::secret(FieldRule::no_limit),
              "What callers present; it is shown this once.");
        visit("created_at_ms", &TokenCreated::created_at_ms, field::optional, "When it was created.");
    }

    bool operator==(const TokenCreated&) const = default;
};

struct CreateToken {
    using Answer = TokenCreated;
    static constexpr std::string_view type_name = "CreateToken";
    static constexpr Operation operation{
        "create_token", "Creates a token for callers of the API; its secret is in the answer and nowhere else."};

    std::string name;
    std::vector<Scope> scopes;
    std::vector<std::string> namespaces;
    std::optional<std::int64_t> expires_at_ms;
    std::optional<std::uint32_t> rate_limit_per_s;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &CreateToken::name, field::required(field::identity),
              "The token's name; one that is revoked or has expired gives its name to the new one.");
        visit("scopes", &CreateToken::scopes, field::required(field::list(1, max_token_scopes)),
              "What its callers may do; admin includes all others.");
        visit("namespaces", &CreateToken::namespaces, field::list(0, max_token_namespaces, field::identity),
              "The only namespaces that it reaches; none: all of them.");
        visit("expires_at_ms", &CreateToken::expires_at_ms, field::time, "When it ceases to be accepted.");
        visit("rate_limit_per_s", &CreateToken::rate_limit_per_s, field::between(1, max_token_rate_per_s),
              "How many requests a second one server answers.");
    }
};

struct TokenRotated {
    static constexpr std::string_view type_name = "TokenRotated";

    std::string name;
    std::string secret;
    std::int64_t previous_expires_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &TokenRotated::name, field::optional, "The token's name.");
        visit("secret", &TokenRotated::secret, field::secret(FieldRule::no_limit),
              "What callers present from now on; it is shown this once.");
        visit("previous_expires_at_ms", &TokenRotated::previous_expires_at_ms, field::optional,
              "When the secret before ceases to be accepted.");
    }

    bool operator==(const TokenRotated&) const = default;
};

struct RotateToken {
    using Answer = TokenRotated;
    static constexpr std::string_view type_name = "RotateToken";
    static constexpr Operation operation{"rotate_token",
                                         "Gives a token a new secret; the one before works until the overlap is over."};

    std::string name;
    std::int64_t overlap_ms = 3'600'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &RotateToken::name, field::required(field::identity), "The token's name.");
        visit("overlap_ms", &RotateToken::overlap_ms, field::between(0, max_grace_ms),
              "How long the secret before goes on working.");
    }
};

struct TokenRevoked {
    static constexpr std::string_view type_name = "TokenRevoked";

    std::string name;
    std::int64_t revoked_at_ms = 0;
    bool changed = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &TokenRevoked::name, field::optional, "The token's name.");
        visit("revoked_at_ms", &TokenRevoked::revoked_at_ms, field::optional, "When it was revoked.");
        visit("changed", &TokenRevoked::changed, field::optional, "False if it was revoked before.");
    }

    bool operator==(const TokenRevoked&) const = default;
};

struct RevokeToken {
    using Answer = TokenRevoked;
    static constexpr std::string_view type_name = "RevokeToken";
    static constexpr Operation operation{"revoke_token", "Ends a token at once, with every secret that it has."};

    std::string name;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &RevokeToken::name, field::required(field::identity), "The token's name.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

// A token without its secret.
struct TokenView {
    enum class State : std::uint8_t { active, expired, revoked };
    static constexpr std::string_view type_name = "TokenView";

    std::string name;
    State state = State::active;
    std::vector<std::string> scopes;
    std::vector<std::string> namespaces;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;
    std::optional<std::int64_t> revoked_at_ms;
    std::optional<std::int64_t> previous_expires_at_ms;
    std::optional<std::uint32_t> rate_limit_per_s;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &TokenView::name, field::optional, "The token's name.");
        visit("state", &TokenView::state, field::optional, "Whether it is accepted.");
        visit("scopes", &TokenView::scopes, field::optional, "What its callers may do.");
        visit("namespaces", &TokenView::namespaces, field::optional, "The only namespaces that it reaches.");
        visit("created_at_ms", &TokenView::created_at_ms, field::optional, "When it was created.");
        visit("expires_at_ms", &TokenView::expires_at_ms, field::optional, "When it ceases to be accepted.");
        visit("revoked_at_ms", &TokenView::revoked_at_ms, field::optional, "When it was revoked.");
        visit("previous_expires_at_ms", &TokenView::previous_expires_at_ms, field::optional,
              "When the secret before the last rotation ceases to be accepted.");
        visit("rate_limit_per_s", &TokenView::rate_limit_per_s, field::optional,
              "How many requests a second one server answers.");
    }

    bool operator==(const TokenView&) const = default;
};

template <>
inline constexpr std::array enum_names<TokenView::State> =
    std::to_array<std::string_view>({"active", "expired", "revoked"});

struct TokenPage {
    static constexpr std::string_view type_name = "TokenPage";

    std::vector<TokenView> tokens;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("tokens", &TokenPage::tokens, field::optional, "Tokens, by name.");
        visit("next_cursor", &TokenPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const TokenPage&) const = default;
};

struct ListTokens {
    using Answer = TokenPage;
    static constexpr std::string_view type_name = "ListTokens";
    static constexpr Operation operation{"list_tokens", "Lists all tokens, by name, without their secrets."};

    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListTokens::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListTokens::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

// ---- who calls --------------------------------------------------------------------------------------------------

// What a token lets its callers do.
struct Caller {
    std::string name;
    std::vector<Scope> scopes;
    std::vector<std::string> namespaces;  // none: all of them
    std::optional<std::uint32_t> rate_limit_per_s;
    Bytes digest;  // of its secret

    bool may(Scope scope) const;
    bool reaches(std::string_view namespace_name) const;

    bool operator==(const Caller&) const = default;
};

// The tokens that are accepted at a moment. It knows no secret, only their digests.
class AcceptedTokens {
  public:
    // Whether a token was ever created: from then on no caller does without one.
    bool required() const { return required_; }
    // Takes as long for every secret of a length, known or not. Null: it is none of theirs.
    const Caller* find(std::string_view secret) const;
    // Whether a caller that was let in earlier would be let in now; null: one without a token.
    bool accept(const Caller* earlier) const;

    void require() { required_ = true; }
    // A secret with every right that is not in the store.
    void add(std::string_view secret, Caller caller);
    void add(Caller caller) { callers_.push_back(std::move(caller)); }

  private:
    bool required_ = false;
    std::vector<Caller> callers_;
};

}  // namespace flowfabric
