#pragma once

#include <cstdint>
#include <optional>

#include "core/flow/flow_rows.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"

// When the group of all edges into one execution is decided, and how. Pure: counters in, state out.
namespace flowfabric {

Json policy_json(const GroupPolicy& policy);
std::optional<std::int32_t> k_target_of(const GroupPolicy& policy);
// What is stored may be older than we are: an unknown kind counts as all_of, a missing `k` as 1.
GroupPolicy group_policy(const Json& stored);

struct GroupCounts {
    std::int32_t n = 0;  // edges
    std::int32_t succeeded = 0;
    std::int32_t failed = 0;
    std::int32_t skipped = 0;
    bool n_fixed = false;  // no edge will be added

    bool consistent() const {
        return succeeded >= 0 && failed >= 0 && skipped >= 0 && std::int64_t{succeeded} + failed + skipped <= n;
    }
};

GroupState evaluate(const GroupPolicy& policy, const GroupCounts& counts);

// Whether the upstream executions that a decided group no longer needs are cancelled.
bool cancels_siblings(const GroupPolicy& policy);

GroupCounts counts_of(const EdgeGroupRow& group);

// What an upstream's end makes of the edge.
DependencyState resolution_of(TerminalOutcome outcome);
// Counts one more edge off, which was unsatisfied before.
void count_resolution(EdgeGroupRow& group, TerminalOutcome outcome);
// One more edge to wait for.
void count_applied(EdgeGroupRow& group);
std::int32_t applied_edges(const EdgeGroupRow& group);
// No edge will follow those that are applied, whatever was expected.
void fix_edges(EdgeGroupRow& group);

Result<void> check_policy(const std::string& field, const GroupPolicy& policy);

}  // namespace flowfabric
