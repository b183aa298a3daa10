#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/command/settings.hpp"
#include "core/execution/idempotency_row.hpp"
#include "core/rows/working_set.hpp"

// What a decision works on.
namespace flowfabric {

struct DecisionContext {
    WorkingSet& set;  // carries the batch's time, takes the rows and events
    const Settings& settings;
};

// The rows of a batch. References hold until the next insert.
class BatchRows {
  public:
    virtual ~BatchRows() = default;

    // Null: it is not there, or no longer.
    virtual ExecutionEntry* find(const ExecutionId& id) = 0;
    // Whether the id is taken, even by one that goes with this batch.
    virtual bool is_taken(const ExecutionId& id) const = 0;
    virtual void insert(ExecutionEntry entry) = 0;
    virtual LaneState lane_state(const std::string& lane_id) const = 0;
    virtual const IdempotencyRow* key_owner(const IdempotencyKey& key) = 0;
    // Whether the submission is still in the inbox, and held by this batch.
    virtual bool has_submission(std::int64_t submission_id) const = 0;
    // For a claim: the next execution to try, in claim order. Null: there are no more.
    virtual ExecutionEntry* next_candidate() = 0;

    // Members that the batch holds, and those that were only looked up.
    virtual std::vector<ExecutionEntry*> held_members(const FlowKey& flow) = 0;
    virtual const std::vector<FlowMember>& members(const FlowKey& flow) const = 0;
    virtual bool is_undispatched(std::int64_t event_id) const = 0;
};

}  // namespace flowfabric
