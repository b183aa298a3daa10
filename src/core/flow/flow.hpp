#pragma once

#include <optional>
#include <vector>

#include "core/base/id_source.hpp"
#include "core/command/decision.hpp"
#include "core/execution/held_lease.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow_fields.hpp"
#include "core/flow/flow_summary.hpp"

// What the decisions on flows share.
namespace flowfabric {

EngineError flow_not_found(const FlowKey& key);
EngineError flow_already_terminal(const FlowRow& row);
// Another flow has the id: one of another kind, or of another namespace.
EngineError flow_already_exists(const FlowKey& key, const FlowFields& stored);
bool same_flow(const FlowFields& stored, const FlowFields& wanted);
// The id that the caller gave, or that follows from its key, so that every engine comes to the same one, or a new one.
FlowId id_of_new_flow(const std::optional<FlowId>& given, const std::string& namespace_name,
                      const std::string& idempotency_key, const IdSource& ids);
// What a request for a flow that is there already comes to, as far as its digest tells: the same request, whose first
// answer it gets, another one, or nothing.
Result<bool> is_same_request(const FlowKey& key, const FlowFields& stored, const FlowFields& wanted);
EngineError execution_not_in_flow(const ExecutionId& id);

// The flow, as it is to be changed; or why it cannot be.
Result<FlowRow> find_flow(const FlowKey& key, const WorkingSet& set);
Result<FlowRow> find_open_flow(const FlowKey& key, const WorkingSet& set);
// One that is sealed takes changes from a live member's worker only.
std::optional<EngineError> refuse_sealed(const FlowRow& flow, const std::optional<HeldLease>& by, BatchRows& rows,
                                         DecisionContext& context);
Result<ExecutionEntry*> find_member(const ExecutionId& id, const FlowKey& flow, BatchRows& rows);
// Stores it as changed now.
void touch_flow(FlowRow flow, FlowFields fields, DecisionContext& context);

// Its edges keep it from being claimed.
bool is_held(const ExecutionRow& row);
std::string hold_detail(const EdgeGroupRow& group);

// Fresh counters under the same policy.
EdgeGroupRow next_generation(const EdgeGroupRow& group);

// A child whose edges hold it follows the state of its group.
void settle_child(const EdgeGroupRow& group, ExecutionEntry& child, DecisionContext& context);
// Evaluates the group anew after edges were added to it, or their number was fixed. If that fires a group whose
// siblings are to be cancelled, all its edges are at hand.
void reconsider(EdgeGroupRow& group, ExecutionEntry& child, DecisionContext& context);

// The graph is complete: every group has the edges that it has.
void fix_groups(const FlowKey& flow, BatchRows& rows, DecisionContext& context);

// The executions that a group which is decided now no longer needs.
std::vector<std::string> siblings_in(const RowTable<EdgeRow>& edges, const EdgeGroupRow& group);
// The group has left `pending`: the child goes on or is skipped, the siblings are noted to be cancelled.
void fire(EdgeGroupRow& group, ExecutionEntry* child, std::vector<std::string> siblings, DecisionContext& context);

// The list of members that are still to be cancelled goes with the last of them. False: some are left, or it is gone.
bool drop_if_empty(const FlowKey& flow, WorkingSet& set);

// The end of a sealed flow, once all its members are at theirs.
void end_if_done(FlowRow& flow, std::int64_t now_ms);
// A member has ended, and all edges from it are resolved.
void count_off(FlowRow& flow, bool failed, std::int64_t now_ms);

}  // namespace flowfabric
