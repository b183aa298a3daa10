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
    std::optional<LeaseView> current_lease;
    std::optional<AttemptView> current_attempt;
};

struct ExecutionListQuery {
    std::optional<PublicState> state;
    std::optional<ExecutionId> after;
    std::uint32_t limit = 50;  // 0 gives an empty page, more than 1000 is 1000
};

// Ordered by id; `next` is set exactly when more follow.
struct ExecutionPage {
    std::vector<ExecutionView> executions;
    std::optional<ExecutionId> next;
};

}  // namespace flowfabric
