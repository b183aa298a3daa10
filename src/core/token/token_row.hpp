#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct TokenKey {
    std::string name;

    auto operator<=>(const TokenKey&) const = default;
};

template <Is<TokenKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("name", key.name);
}

// A token for callers of the API. It has a second secret while a rotation overlaps.
struct ApiTokenRow {
    static constexpr std::string_view table = "ff_api_token";
    static constexpr RowLock lock = RowLock::itself;
    using Key = TokenKey;

    TokenKey key;
    Binary secret_hash;  // SHA-256
    std::optional<Binary> previous_hash;
    std::optional<std::int64_t> previous_expires_at_ms;
    TextList scopes;
    TextList namespaces;  // none: all of them
    std::optional<std::int32_t> rate_limit_per_s;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;
    std::optional<std::int64_t> revoked_at_ms;

    bool operator==(const ApiTokenRow&) const = default;
};

template <Is<ApiTokenRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("secret_hash", row.secret_hash);
    visit("previous_hash", row.previous_hash);
    visit("previous_expires_at_ms", row.previous_expires_at_ms);
    visit("scopes", row.scopes);
    visit("namespaces", row.namespaces);
    visit("rate_limit_per_s", row.rate_limit_per_s);
    visit("created_at_ms", row.created_at_ms);
    visit("expires_at_ms", row.expires_at_ms);
    visit("revoked_at_ms", row.revoked_at_ms);
}

}  // namespace flowfabric
