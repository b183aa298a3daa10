#include <algorithm>

#include "core/base/tags.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_summary.hpp"
#include "engine/queries/find_execution.hpp"
#include "engine/queries/queries.hpp"
#include "engine/queries/search.hpp"

namespace flowfabric {
namespace {

// What the group will be once the ends of its upstream executions have all reached it.
StoreResult<GroupState> present_group(StoreReader& reader, const GroupKey& key) {
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().keys = {key};
    wanted.of<EdgeRow>().groups = {key};
    auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    const EdgeGroupRow* stored = found->of<EdgeGroupRow>().find(key);
    if (stored == nullptr || stored->group_state != GroupState::pending) {
        return stored == nullptr ? GroupState::pending : stored->group_state;
    }
    EdgeGroupRow group = *stored;
    std::vector<ExecutionId> upstream;  // of open edges
    for (const EdgeRow& edge : found->of<EdgeRow>().rows()) {
        const bool open = edge.generation == group.generation && edge.dependency_state == DependencyState::unsatisfied;
        if (open) upstream.push_back({key.flow.partition, edge.upstream});
    }
    const auto outcomes = reader.outcomes(upstream);
    if (!outcomes) return outcomes.error();
    for (const ExecutionId& id : upstream) {
        const auto outcome = outcomes->find(id);
        const bool ended = outcome != outcomes->end() && outcome->second != TerminalOutcome::none;
        if (ended) count_resolution(group, outcome->second);
    }
    return evaluate(group_policy(group.policy), counts_of(group));
}

FlowSnapshot snapshot_of(const FlowTally& tally) {
    const FlowRow& row = tally.row;
    FlowFields fields = fields_of(row);
    FlowSnapshot snapshot{.flow_id = row.key.flow_id,
                          .flow_kind = std::move(fields.flow_kind),
                          .namespace_name = std::move(fields.namespace_name),
                          .state = phase_of(tally),
                          .sealed = row.sealed,
                          .graph_revision = row.graph_revision,
                          .node_count = static_cast<std::uint32_t>(fields.node_count),
                          .edge_count = static_cast<std::uint32_t>(fields.edge_count),
                          .created_at_ms = row.created_at_ms,
                          .last_mutation_at_ms = fields.last_mutation_at_ms.value_or(row.created_at_ms),
                          .cancelled_at_ms = std::nullopt,
                          .cancel_reason = std::move(fields.cancel_reason),
                          .cancellation_policy = fields.cancellation_policy,
                          .tags = tags_of(row.tags),
                          .edge_groups = {}};
    if (row.public_flow_state == FlowState::cancelled) snapshot.cancelled_at_ms = row.terminal_at_ms;
    return snapshot;
}

}  // namespace

AnswerTo<DescribeFlow> answer(const DescribeFlow& query, StoreReader& reader, const QueryContext&) {
    const FlowKey key = key_of(query.flow_id);
    const auto tallies = reader.tallies({key});
    if (!tallies) return tallies.error();
    if (tallies->empty()) return std::optional<FlowSnapshot>{};
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().flows = {key};
    const auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    FlowSnapshot snapshot = snapshot_of(tallies->front());
    for (const EdgeGroupRow& group : found->of<EdgeGroupRow>().rows()) {
        snapshot.edge_groups.push_back(snapshot_of(group));
    }
    return std::optional(std::move(snapshot));
}

AnswerTo<GetFlowTag> answer(const GetFlowTag& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<FlowRow>(key_of(query.flow_id));
    if (!row) return row.error();
    if (!*row) return std::optional<std::string>{};
    const Tags tags = tags_of((*row)->tags);
    const auto tag = tags.find(query.key);
    return tag == tags.end() ? std::nullopt : std::optional(tag->second);
}

AnswerTo<GetFlowSummary> answer(const GetFlowSummary& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<FlowSummaryRow>(key_of(query.flow_id));
    if (!row) return row.error();
    return *row ? std::optional(projection_of(**row)) : std::nullopt;
}

AnswerTo<ListFlows> answer(const ListFlows& query, StoreReader& reader, const QueryContext&) {
    FlowPage page;
    const std::uint32_t limit = std::min(query.limit, max_page);
    if (limit == 0) return page;
    std::optional<FlowKey> after;
    if (query.after) after = query.partition ? FlowKey{*query.partition, *query.after} : key_of(*query.after);
    // No index has the namespace, which stands among what changes with every member.
    const std::uint32_t chunk = query.namespace_name ? max_page : limit + 1;
    for (std::uint32_t examined = 0; examined < max_examined; examined += chunk) {
        const auto rows = reader.flows(query.partition, after, chunk);
        if (!rows) return rows.error();
        for (const FlowRow& row : *rows) {
            if (page.flows.size() == limit) {
                page.next = after->flow_id;
                return page;
            }
            after = row.key;
            const bool wanted = !query.namespace_name || fields_of(row).namespace_name == *query.namespace_name;
            if (wanted) page.flows.push_back({row.key.flow_id, row.created_at_ms, status_of(row)});
        }
        if (rows->size() < chunk) return page;
    }
    page.next = after->flow_id;
    return page;
}

AnswerTo<DescribeEdge> answer(const DescribeEdge& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<EdgeRow>({key_of(query.flow_id), query.edge_id});
    if (!row) return row.error();
    return *row ? std::optional(snapshot_of(**row)) : std::nullopt;
}

AnswerTo<EvaluateFlowEligibility> answer(const EvaluateFlowEligibility& query, StoreReader& reader,
                                         const QueryContext& context) {
    const auto found = find_execution(reader, context, query.execution_id);
    if (!found) return found.error();
    if (!*found) return FlowEligibility::not_found;
    const ExecutionRow& row = (*found)->row;
    if (row.vector.lifecycle_phase == LifecyclePhase::terminal) return FlowEligibility::terminal;
    if (row.vector.lifecycle_phase != LifecyclePhase::runnable) return FlowEligibility::not_runnable;
    if (row.vector.ownership_state != OwnershipState::unowned) return FlowEligibility::owned;
    if (!row.flow_id || !row.deps_blocked) return FlowEligibility::eligible;
    const auto group = present_group(reader, {{row.id.partition, *row.flow_id}, row.id.uuid});
    if (!group) return group.error();
    return *group == GroupState::impossible ? FlowEligibility::impossible : FlowEligibility::blocked_by_dependencies;
}

}  // namespace flowfabric
