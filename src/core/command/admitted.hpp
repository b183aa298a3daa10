#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/id_source.hpp"
#include "core/execution/idempotency_row.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_tables.hpp"
#include "core/signing/stored_secret.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/limits.hpp"

// What all admitted commands have in common (core/command/command.hpp), and the one that others contain.
namespace flowfabric {

// What one engine is told when it opens.
struct Settings {
    BackendTag backend = BackendTag::memory;
    std::size_t max_payload_bytes = default_max_payload_bytes;
    // Members that are cancelled in one transaction with their flow; the others are listed, and follow.
    std::uint32_t cancelled_with_flow = 1000;
    std::optional<MasterKey> master_key;  // seals the secrets of signing keys; absent: they are stored as they are
    SettingOverrides overrides;           // of the store's settings, which a batch carries
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

// Which batch a command gets into first.
enum class Urgency : std::uint8_t {
    urgent,  // somebody's work goes on or stops with it
    claim,
    bulk,
};

struct CommandTraits {
    std::string_view name;
    Urgency urgency = Urgency::urgent;
    bool by_timer = false;  // a scanner's: what is not there any more is no error
};

struct AdmittedCreate {
    static constexpr CommandTraits traits{.name = "create_execution", .urgency = Urgency::bulk};

    ExecutionRow row;  // everything but times and vector, which wait for the store's clock
    Bytes input;
    std::optional<IdempotencyKey> idempotency;
    std::uint64_t dedup_window_ms = 0;
    std::optional<std::uint64_t> execution_deadline_ms;
    bool minted = false;                        // its id is new, so no row can have it
    std::optional<std::int64_t> submission_id;  // it came through SQL: its id is out, so a refusal is an execution too
    std::optional<std::string> refusal;
};

}  // namespace flowfabric
