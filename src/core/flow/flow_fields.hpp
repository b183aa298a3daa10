#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/flow/flow_rows.hpp"

// What the rows of flows and edges keep as JSON.
namespace flowfabric {

struct FlowFields {
    std::string flow_kind;
    std::string namespace_name = "default";
    std::int64_t node_count = 0;
    std::int64_t edge_count = 0;
    std::optional<std::int64_t> last_mutation_at_ms;
    std::optional<CancellationPolicy> cancellation_policy;
    std::optional<std::string> cancel_reason;
    std::vector<std::string> cancelled_members;  // that were to be
    bool removing = false;                       // piece by piece; nothing may join it any more
    std::optional<std::string> request_digest;   // of the request that made it

    bool operator==(const FlowFields&) const = default;
};

Json json_of(const FlowFields& fields);
FlowFields fields_of(const FlowRow& row);

struct EdgeFields {
    std::string dependency_kind = "success_only";
    std::string data_passing_ref;  // empty: none
    EdgeState edge_state = EdgeState::pending;
    std::int64_t created_at_ms = 0;
    std::string created_by = "engine";
    std::int64_t staged_at_ms = 0;
    std::optional<std::int64_t> applied_at_ms;

    bool operator==(const EdgeFields&) const = default;
};

Json json_of(const EdgeFields& fields);
EdgeFields fields_of(const EdgeRow& row);

EdgeSnapshot snapshot_of(const EdgeRow& row);
GroupSnapshot snapshot_of(const EdgeGroupRow& row);

}  // namespace flowfabric
