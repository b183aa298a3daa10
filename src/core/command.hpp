#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/id_source.hpp"
#include "core/rows.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/result.hpp"

// Commands as the engine carries them: past the front door, so that every field is within its limits, handles are
// decoded and ids are fixed. `admit` is that door.
namespace flowfabric {

struct Settings {
    BackendTag backend = BackendTag::memory;
    std::size_t max_payload_bytes = 1'048'576;
    bool emit_renewed_events = true;
    std::string instance_tag_key = "cairn.instance_id";
};

// The lease that a caller believes to hold. Without the triple the caller is an operator.
struct HeldLease {
    struct Triple {
        LeaseId lease_id;
        std::uint64_t lease_epoch = 0;
        AttemptId attempt_id;
        std::optional<std::uint32_t> attempt_index;
        bool operator==(const Triple&) const = default;
    };

    ExecutionId execution_id;
    std::optional<Triple> triple;
    bool partial_triple = false;
    bool suspended_handle = false;
    Source source = Source::lease_holder;
};

struct AdmittedCreate {
    ExecutionRow row;  // everything but times and vector, which wait for the store's clock
    Bytes input;
    std::optional<IdempotencyKey> idempotency;
    std::uint64_t dedup_window_ms = 0;
    std::optional<std::uint64_t> execution_deadline_ms;
};

struct AdmittedClaim {
    Claim claim;  // lanes and capabilities sorted, without repeats
    IdSource ids;
};

struct AdmittedRenew {
    HeldLease lease;
    std::uint64_t lease_ttl_ms = 0;
};

struct AdmittedComplete {
    HeldLease lease;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;
};

struct AdmittedFail {
    HeldLease lease;
    std::string reason;
    std::string category;
};

// What the scanners ask for; both are no-ops unless the row, once locked, is still due.
struct ExpireLease {
    ExecutionId execution_id;
};

struct PromoteDelayed {
    ExecutionId execution_id;
};

using Command = std::variant<AdmittedCreate, AdmittedClaim, AdmittedRenew, AdmittedComplete, AdmittedFail, ExpireLease,
                             PromoteDelayed>;

// A scanner's answer: whether the row was still due.
struct TimerFired {
    bool changed = false;
    bool operator==(const TimerFired&) const = default;
};

using Answer = std::variant<Created, Claimed, Renewed, Completed, Failed, TimerFired>;

Result<Command> admit(CreateExecution command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Claim command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Renew command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Complete command, const Settings& settings, const IdSource& ids);
Result<Command> admit(Fail command, const Settings& settings, const IdSource& ids);

// The execution that a command is about; a claim finds its own.
std::optional<ExecutionId> subject_of(const Command& command);
std::string_view operation_name(const Command& command);

}  // namespace flowfabric
