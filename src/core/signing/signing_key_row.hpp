#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct SigningKeyId {
    std::string kid;

    auto operator<=>(const SigningKeyId&) const = default;
};

template <Is<SigningKeyId> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("kid", key.kid);
}

// What signs waitpoint tokens and grants. One key is active; a retired one verifies until it expires.
struct SigningKeyRow {
    static constexpr std::string_view table = "ff_waitpoint_hmac";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = SigningKeyId;

    SigningKeyId key;
    Binary secret;  // as core/signing/signing.hpp seals it
    std::int64_t rotated_at_ms = 0;
    bool active = true;
    std::optional<std::int64_t> expires_at_ms;

    bool operator==(const SigningKeyRow&) const = default;
};

template <Is<SigningKeyRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("secret", row.secret);
    visit("rotated_at_ms", row.rotated_at_ms);
    visit("active", row.active);
    visit("expires_at_ms", row.expires_at_ms);
}

}  // namespace flowfabric
