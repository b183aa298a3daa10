#include "core/signing/keyring.hpp"

#include <algorithm>

namespace flowfabric {
namespace {

const SigningKey* find_in(const std::vector<SigningKey>& keys, std::string_view kid) {
    const auto found = std::ranges::find(keys, kid, &SigningKey::kid);
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace

bool has_lapsed(const SigningKeyRow& row, std::int64_t now_ms) {
    return !row.active && row.expires_at_ms.value_or(now_ms) <= now_ms;
}

Result<Keyring> Keyring::open(const RowTable<SigningKeyRow>& rows, const Settings& settings, std::int64_t now_ms) {
    const MasterKey* master = settings.master_key ? &*settings.master_key : nullptr;
    Keyring ring;
    bool signs = false;
    for (const SigningKeyRow& row : rows.rows()) {
        auto key = open_stored(row.key.kid, row.secret.bytes, master);
        if (!key) return key.error();
        auto& keys = has_lapsed(row, now_ms) ? ring.lapsed_ : ring.keys_;
        keys.insert(row.active ? keys.begin() : keys.end(), std::move(*key));
        signs = signs || row.active;
    }
    if (!signs) return EngineError{.kind = ErrorKind::unavailable, .detail = "hmac_secret_not_initialized"};
    return ring;
}

const SigningKey* Keyring::find(std::string_view kid) const {
    return find_in(keys_, kid);
}

const SigningKey* Keyring::find_lapsed(std::string_view kid) const {
    return find_in(lapsed_, kid);
}

}  // namespace flowfabric
