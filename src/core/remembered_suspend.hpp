#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/keyring.hpp"
#include "core/suspension_rows.hpp"

namespace flowfabric {

// What a suspend has answered, as it is kept for repeats: without the tokens, which are signed again for whoever asks
// again.
struct RememberedSuspend {
    struct Waitpoint {
        WaitpointId id;
        std::string key;
        std::string kid;

        bool operator==(const Waitpoint&) const = default;
    };

    SuspensionId suspension_id;
    std::vector<Waitpoint> waitpoints;  // the primary one first
    std::optional<Bytes> handle = {};   // absent if the condition was met already

    Json to_json() const;
    // Nothing for what `to_json` never wrote.
    static std::optional<RememberedSuspend> parse(const Json& json);

    // With the tokens; `unavailable` if a key that signed one is gone.
    Result<SuspensionDetails> details(const ExecutionId& id, const Keyring& keyring) const;

    bool operator==(const RememberedSuspend&) const = default;
};

// The answer that the row remembers; an error if the row is damaged.
Result<SuspendOutcome> recall(const SuspendDedupRow& row, const Keyring& keyring, BackendTag backend);

}  // namespace flowfabric
