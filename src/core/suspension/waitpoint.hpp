#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/rows/working_set.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric {

Result<void> check_waitpoint_key(std::string_view key);

// A pending one of the execution's present attempt, with the token that the key signs.
WaitpointRow new_waitpoint(const ExecutionRow& row, const WaitpointId& id, std::string key, const SigningKey& signer,
                           std::int64_t now_ms);

// Whether a signal with this effect brings its condition nearer.
bool is_match(SignalEffect effect);
// Counts a signal that the waitpoint has received.
void count_signal(WorkingSet& set, WaitpointRow waitpoint, SignalEffect effect, std::int64_t now_ms);

}  // namespace flowfabric
