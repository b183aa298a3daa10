#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flowfabric/commands.hpp"
#include "flowfabric/events.hpp"

namespace flowfabric {

// An execution that a user's own transaction asked for through SQL, until an engine creates it.
struct Submission {
    std::int64_t submission_id = 0;
    ExecutionId execution_id;
    std::int64_t submitted_at_ms = 0;
    std::string namespace_name;
    std::string lane_id;
    std::string execution_kind;
    Bytes payload;
    std::optional<std::string> payload_encoding;
    std::int32_t priority = 0;
    std::string creator_identity;
    std::optional<std::string> idempotency_key;
    Json tags{"{}"};
    std::optional<Json> policy;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> execution_deadline_at_ms;

    bool operator==(const Submission&) const = default;
};

template <class Row, class Visitor>
void visit_submission_columns(Row& row, Visitor&& visit) {
    visit("submission_id", row.submission_id);
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("submitted_at_ms", row.submitted_at_ms);
    visit("namespace", row.namespace_name);
    visit("lane_id", row.lane_id);
    visit("execution_kind", row.execution_kind);
    visit("payload_encoding", row.payload_encoding);
    visit("priority", row.priority);
    visit("creator_identity", row.creator_identity);
    visit("idempotency_key", row.idempotency_key);
    visit("tags", row.tags);
    visit("policy", row.policy);
    visit("delay_until_ms", row.delay_until_ms);
    visit("execution_deadline_at_ms", row.execution_deadline_at_ms);
}

}  // namespace flowfabric
