#include "core/suspension/waitpoint.hpp"

#include "core/base/names.hpp"

namespace flowfabric {

Result<void> check_waitpoint_key(std::string_view key) {
    return check_line("waitpoint_key", key, max_label_bytes);
}

WaitpointRow new_waitpoint(const ExecutionRow& row, const WaitpointId& id, std::string key, const SigningKey& signer,
                           std::int64_t now_ms) {
    return {.key = {row.id.partition, id},
            .execution_uuid = row.id.uuid,
            .suspension_id = std::nullopt,
            .attempt_index = row.attempt_index,
            .waitpoint_key = std::move(key),
            .state = WaitpointState::pending,
            .token_kid = signer.kid,
            .token_fingerprint = fingerprint_of(waitpoint_token(signer, row.id, id)),
            .required_signal_names = {},
            .created_at_ms = now_ms};
}

bool is_match(SignalEffect effect) {
    return effect == SignalEffect::resume_condition_satisfied || effect == SignalEffect::appended_to_waitpoint;
}

void count_signal(WorkingSet& set, WaitpointRow waitpoint, SignalEffect effect, std::int64_t now_ms) {
    waitpoint.signal_count += 1;
    if (is_match(effect)) waitpoint.matched_signal_count += 1;
    waitpoint.last_signal_at_ms = now_ms;
    set.side.of<WaitpointRow>().put(std::move(waitpoint));
}

}  // namespace flowfabric
