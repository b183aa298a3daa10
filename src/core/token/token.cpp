#include "core/token/token.hpp"

#include <algorithm>

#include "core/base/base64.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t secret_bytes = 32;

}  // namespace

Result<NewSecret> new_secret(const Settings& settings) {
    const auto random = settings.random_bytes(secret_bytes);
    if (!random) return random.error();
    std::string text = "ff_" + to_base64url(*random);
    Binary hash{sha256(text)};
    return NewSecret{std::move(text), std::move(hash)};
}

TokenView::State state_of(const ApiTokenRow& row, std::int64_t now_ms) {
    if (row.revoked_at_ms) return TokenView::State::revoked;
    if (row.expires_at_ms && *row.expires_at_ms <= now_ms) return TokenView::State::expired;
    return TokenView::State::active;
}

TokenView view_of(const ApiTokenRow& row, std::int64_t now_ms) {
    return {.name = row.key.name,
            .state = state_of(row, now_ms),
            .scopes = row.scopes.values,
            .namespaces = row.namespaces.values,
            .created_at_ms = row.created_at_ms,
            .expires_at_ms = row.expires_at_ms,
            .revoked_at_ms = row.revoked_at_ms,
            .previous_expires_at_ms = row.previous_expires_at_ms,
            .rate_limit_per_s = row.rate_limit_per_s};
}

void accept(const ApiTokenRow& row, std::int64_t now_ms, AcceptedTokens& into) {
    into.require();
    if (state_of(row, now_ms) != TokenView::State::active) return;
    Caller caller{.name = row.key.name, .scopes = {}, .namespaces = row.namespaces.values};
    // A scope of a newer version gives nothing here.
    for (const std::string& stored : row.scopes.values) {
        if (const auto scope = parse_enum<Scope>(stored)) caller.scopes.push_back(*scope);
    }
    if (row.rate_limit_per_s) caller.rate_limit_per_s = static_cast<std::uint32_t>(*row.rate_limit_per_s);
    if (row.previous_hash && row.previous_expires_at_ms && *row.previous_expires_at_ms > now_ms) {
        caller.digest = row.previous_hash->bytes;
        into.add(caller);
    }
    caller.digest = row.secret_hash.bytes;
    into.add(std::move(caller));
}

bool Caller::may(Scope scope) const {
    return std::ranges::any_of(scopes, [&](Scope own) { return own == scope || own == Scope::admin; });
}

bool Caller::reaches(std::string_view namespace_name) const {
    return namespaces.empty() || std::ranges::find(namespaces, namespace_name) != namespaces.end();
}

const Caller* AcceptedTokens::find(std::string_view secret) const {
    const Bytes digest = sha256(secret);
    const Caller* found = nullptr;
    for (const Caller& caller : callers_) {
        if (equal_in_constant_time(caller.digest, digest)) found = &caller;
    }
    return found;
}

bool AcceptedTokens::accept(const Caller* earlier) const {
    return earlier == nullptr ? !required_ : std::ranges::find(callers_, *earlier) != callers_.end();
}

void AcceptedTokens::add(std::string_view secret, Caller caller) {
    require();
    caller.digest = sha256(secret);
    add(std::move(caller));
}

}  // namespace flowfabric
