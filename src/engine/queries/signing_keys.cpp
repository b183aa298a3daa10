#include "core/signing/keyring.hpp"
#include "core/signing/signing.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {
namespace {

// By kid.
StoreResult<std::vector<SigningKeyView>> keys_in(StoreReader& reader) {
    const auto rows = reader.all<SigningKeyRow>();
    if (!rows) return rows.error();
    const auto now = reader.now();
    if (!now) return now.error();
    using State = SigningKeyView::State;
    std::vector<SigningKeyView> keys;
    for (const SigningKeyRow& row : *rows) {
        const State state = row.active ? State::active : has_lapsed(row, *now) ? State::lapsed : State::verifying;
        keys.push_back({.kid = row.key.kid,
                        .state = state,
                        .sealed = is_sealed(row.secret.bytes),
                        .rotated_at_ms = row.rotated_at_ms,
                        .expires_at_ms = row.expires_at_ms});
    }
    return keys;
}

}  // namespace

AnswerTo<ListSigningKeys> answer(const ListSigningKeys& query, StoreReader& reader, const QueryContext&) {
    auto keys = keys_in(reader);
    if (!keys) return keys.error();
    return page_of(query, *std::move(keys), &SigningKeyPage::keys, &SigningKeyView::kid);
}

AnswerTo<ListWaitpointHmacKids> answer(const ListWaitpointHmacKids&, StoreReader& reader, const QueryContext&) {
    const auto keys = keys_in(reader);
    if (!keys) return keys.error();
    using State = SigningKeyView::State;
    SigningKids kids;
    for (const SigningKeyView& key : *keys) {
        if (key.state == State::active) kids.current_kid = key.kid;
        if (key.state == State::verifying) kids.verifying.push_back({key.kid, *key.expires_at_ms});
    }
    return kids;
}

}  // namespace flowfabric
