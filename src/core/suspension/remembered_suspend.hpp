#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/signing/keyring.hpp"
#include "core/suspension/suspension_rows.hpp"

namespace flowfabric {

// What a suspend has answered, as it is kept for repeats: without the tokens, which are signed again for each repeat.
struct RememberedSuspend {
    struct Waitpoint {
        WaitpointId id;
        std::string key;
        std::string kid;

        bool operator==(const Waitpoint&) const = default;
    };

    SuspensionId suspension_id;
    std::vector<Waitpoint> waitpoints;  // the primary one first
    std::optional<Bytes> handle = {};   // absent once the condition was met
    // The seqs of what it received, once the condition was met: as many as an answer carries, and one more if there is.
    std::vector<std::int32_t> signals = {};

    Json to_json() const;
    // Nothing for what `to_json` never wrote.
    static std::optional<RememberedSuspend> parse(const Json& json);

    // Signs the tokens again; `unavailable` if a key that signed one is gone.
    Result<SuspensionDetails> details(const ExecutionId& id, const Keyring& keyring) const;
    // For a suspension that has ended. Its tokens open nothing any more; a token that can no longer be signed is empty.
    SuspensionDetails details_of_ended(const ExecutionId& id, const Keyring* keyring) const;

    bool operator==(const RememberedSuspend&) const = default;
};

// What the row remembers; an error if it is damaged.
Result<RememberedSuspend> recall(const SuspendDedupRow& row);

}  // namespace flowfabric
