#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/commands.hpp"

// What reads return. Reads see committed state, take no lock and never wait behind writes.
namespace flowfabric {

struct LeaseView {
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::uint32_t attempt_index = 0;
    std::string worker_id;
    std::string worker_instance_id;
    std::int64_t acquired_at_ms = 0;
    std::int64_t expires_at_ms = 0;
    std::int64_t last_renewed_at_ms = 0;
};

struct AttemptView {
    std::uint32_t attempt_index = 0;
    AttemptId attempt_id;
    AttemptType attempt_type = AttemptType::initial;
    AttemptOutcome outcome = AttemptOutcome::started;
    std::string worker_id;
    std::string worker_instance_id;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::int64_t started_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::uint32_t> previous_attempt_index;
};

struct ExecutionView {
    ExecutionId execution_id;
    std::optional<FlowId> flow_id;
    std::string namespace_name;
    std::string lane_id;
    std::string execution_kind;
    std::int32_t priority = 0;
    StateVector vector;
    std::string blocking_detail;
    std::vector<std::string> required_capabilities;
    Tags tags;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> terminal_at_ms;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> deadline_at_ms;
    std::int64_t last_mutation_at_ms = 0;
    std::uint32_t total_attempt_count = 0;
    std::uint32_t retry_count = 0;
    std::uint32_t lease_reclaim_count = 0;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::string> cancellation_reason;
    std::optional<std::string> cancelled_by;
    std::optional<CancellationCause> cancellation_cause;
    std::optional<std::uint32_t> progress_pct;
    std::optional<std::string> progress_message;
    std::optional<std::int64_t> progress_updated_at_ms;
    std::optional<LeaseView> current_lease;
    std::optional<AttemptView> current_attempt;
};

struct ExecutionInfo {
    ExecutionId execution_id;
    std::string namespace_name;
    std::string lane_id;
    std::int32_t priority = 0;
    std::string execution_kind;
    StateVector vector;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> completed_at_ms;
    std::uint32_t current_attempt_index = 0;
    std::optional<FlowId> flow_id;
    std::string blocking_detail;
};

// What a worker needs to run an execution.
struct ExecutionContext {
    Bytes input_payload;
    std::string execution_kind;
    Tags tags;
};

// ---- why is it not running? -------------------------------------------------------------------------------------

// One predicate that keeps an execution from running (or, for the last of its life, that describes where it stands).
struct Obstacle {
    std::string predicate;  // such as lane_paused, retry_backoff, lease_held
    std::string detail;
    std::int64_t since_ms = 0;
    std::optional<std::int64_t> until_ms;  // when it ends by itself
    std::string remedy;                    // what would change it
};

struct Explanation {
    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;
    std::vector<Obstacle> obstacles;  // all that hold now, the one to deal with first in front; never empty
};

// ---- lists ------------------------------------------------------------------------------------------------------

inline constexpr std::uint32_t max_page = 1000;

struct ExecutionListQuery {
    std::optional<std::uint16_t> partition;  // absent: all of them
    std::optional<PublicState> state;
    std::optional<ExecutionId> after;
    std::uint32_t limit = 50;  // 0 gives an empty page, more than max_page is max_page
};

// Ordered by id; `next` is set exactly when more follow.
struct ExecutionPage {
    std::vector<ExecutionView> executions;
    std::optional<ExecutionId> next;
};

struct LaneView {
    std::string lane_id;
    LaneState state = LaneState::active;
    std::int64_t state_changed_at_ms = 0;
    std::int64_t registered_at_ms = 0;
    std::string registered_by;

    bool operator==(const LaneView&) const = default;
};

struct LaneListQuery {
    std::optional<std::string> after;
    std::uint32_t limit = max_page;
};

struct LanePage {
    std::vector<LaneView> lanes;
    std::optional<std::string> next;
};

struct SettingView {
    std::string name;
    std::string type;
    std::string value;  // what holds
    std::string default_value;
    bool is_set = false;  // otherwise the default holds
    std::optional<std::int64_t> updated_at_ms;
    std::string documentation;

    bool operator==(const SettingView&) const = default;
};

struct WorkerView {
    std::string namespace_name;
    std::string worker_instance_id;
    std::string worker_id;
    std::vector<std::string> lanes;
    std::vector<std::string> capabilities;
    std::int64_t last_heartbeat_ms = 0;
    std::int64_t liveness_ttl_ms = 0;
    std::int64_t registered_at_ms = 0;

    bool operator==(const WorkerView&) const = default;
};

struct WorkerPlace {
    std::string namespace_name;
    std::string worker_instance_id;

    auto operator<=>(const WorkerPlace&) const = default;
};

struct WorkerListQuery {
    std::optional<std::string> namespace_name;  // absent: all of them
    std::optional<WorkerPlace> after;
    std::uint32_t limit = 50;
};

// Those that are alive, by namespace and instance.
struct WorkerPage {
    std::vector<WorkerView> workers;
    std::optional<WorkerPlace> next;
};

// The keys that sign and verify now; secrets are never shown.
struct SigningKids {
    struct Verifying {
        std::string kid;
        std::int64_t expires_at_ms = 0;

        bool operator==(const Verifying&) const = default;
    };

    std::optional<std::string> current_kid;
    std::vector<Verifying> verifying;  // retired, by kid

    bool operator==(const SigningKids&) const = default;
};

// A key without its secret.
struct SigningKeyView {
    enum class State : std::uint8_t { active, verifying, lapsed };

    std::string kid;
    State state = State::active;
    bool sealed = false;  // otherwise its secret is stored in plain
    std::int64_t rotated_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;  // of one that does not sign any more

    bool operator==(const SigningKeyView&) const = default;
};

struct ExpiredLease {
    ExecutionId execution_id;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::uint32_t attempt_index = 0;
    std::string worker_id;
    std::string worker_instance_id;
    std::int64_t expires_at_ms = 0;

    bool operator==(const ExpiredLease&) const = default;
};

struct ExpiredLeasePlace {
    std::int64_t expires_at_ms = 0;
    ExecutionId execution_id;

    auto operator<=>(const ExpiredLeasePlace&) const = default;
};

struct ExpiredLeaseQuery {
    std::optional<std::int64_t> as_of_ms;  // absent: now
    std::optional<std::string> namespace_name;
    std::optional<ExpiredLeasePlace> after;
    std::uint32_t limit = 50;
};

// Leases past their end that nobody has taken over, noticed or not, by expiry and id.
struct ExpiredLeasePage {
    std::vector<ExpiredLease> leases;
    std::optional<ExpiredLeasePlace> next;
};

// ---- health -----------------------------------------------------------------------------------------------------

// What a look at the database's health found.
struct Finding {
    enum class Level : std::uint8_t { fine, advice, danger };

    Level level = Level::fine;
    std::string check;
    std::string detail;
    std::string remedy;  // empty when all is well
};

// What a reconciler of this engine has done since it was opened.
struct ReconcilerView {
    std::string name;
    std::uint64_t runs = 0;
    std::uint64_t processed = 0;
    std::uint64_t errors = 0;
    std::optional<std::int64_t> last_run_at_ms;  // on the store's clock
    std::string last_error;
    std::int64_t lag_ms = 0;  // how long the oldest due row had been due at the last run
};

}  // namespace flowfabric
