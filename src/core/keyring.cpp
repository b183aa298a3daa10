#include "core/keyring.hpp"

#include <algorithm>

namespace flowfabric {

Result<Keyring> Keyring::open(const RowTable<SigningKeyRow>& rows, const Settings& settings, std::int64_t now_ms) {
    const MasterKey* master = settings.master_key ? &*settings.master_key : nullptr;
    Keyring ring;
    bool signs = false;
    for (const SigningKeyRow* row : rows.where([](const SigningKeyRow&) { return true; })) {
        if (!row->active && row->expires_at_ms.value_or(now_ms) <= now_ms) continue;
        auto key = open_stored(row->key.kid, row->secret.bytes, master);
        if (!key) return key.error();
        ring.keys_.insert(row->active ? ring.keys_.begin() : ring.keys_.end(), std::move(*key));
        signs = signs || row->active;
    }
    if (!signs) return EngineError{.kind = ErrorKind::unavailable, .detail = "hmac_secret_not_initialized"};
    return ring;
}

const SigningKey* Keyring::find(std::string_view kid) const {
    const auto found = std::ranges::find(keys_, kid, &SigningKey::kid);
    return found == keys_.end() ? nullptr : &*found;
}

}  // namespace flowfabric
