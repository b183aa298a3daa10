#include <algorithm>
#include <future>
#include <thread>

#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/base/tags.hpp"
#include "core/command/admission.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_summary.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {
namespace {

// Between two looks at what another engine does, each twice as long as the one before.
constexpr std::chrono::milliseconds first_pause{2};
constexpr std::chrono::milliseconds longest_pause{250};

FlowKey key_of(const FlowId& id) {
    return {flow_partition(id), id};
}

StoreResult<std::optional<FlowRow>> read_flow(StoreReader& reader, const FlowKey& key) {
    SideRowsWanted wanted;
    wanted.of<FlowRow>().keys = {key};
    auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    const FlowRow* row = found->of<FlowRow>().find(key);
    return row == nullptr ? std::nullopt : std::optional(*row);
}

StoreResult<std::optional<FlowTally>> read_tally(StoreReader& reader, const FlowKey& key) {
    auto found = reader.tallies({key});
    if (!found) return found.error();
    return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

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

}  // namespace

Result<Answer> Engine::Impl::run(Command command) {
    std::promise<Result<Answer>> promise;
    auto answer = promise.get_future();
    hub_.submit(
        std::move(command), options_.command_deadline.count(),
        [&promise](Result<Answer> result) { promise.set_value(std::move(result)); }, GiveOn::any_thread);
    return answer.get();
}

Result<std::optional<FlowSnapshot>> Engine::describe_flow(const FlowId& id) {
    const FlowKey key = key_of(id);
    auto tally = impl_->readers().run([&](StoreReader& reader) { return read_tally(reader, key); });
    if (!tally) return tally.error();
    if (!*tally) return std::optional<FlowSnapshot>{};
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().flows = {key};
    auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!found) return found.error();
    const FlowRow* row = &(*tally)->row;
    FlowFields fields = fields_of(*row);
    FlowSnapshot snapshot{.flow_id = id,
                          .flow_kind = std::move(fields.flow_kind),
                          .namespace_name = std::move(fields.namespace_name),
                          .state = phase_of(**tally),
                          .sealed = row->sealed,
                          .graph_revision = row->graph_revision,
                          .node_count = static_cast<std::uint32_t>(fields.node_count),
                          .edge_count = static_cast<std::uint32_t>(fields.edge_count),
                          .created_at_ms = row->created_at_ms,
                          .last_mutation_at_ms = fields.last_mutation_at_ms.value_or(row->created_at_ms),
                          .cancelled_at_ms = std::nullopt,
                          .cancel_reason = std::move(fields.cancel_reason),
                          .cancellation_policy = fields.cancellation_policy,
                          .tags = tags_of(row->tags),
                          .edge_groups = {}};
    if (row->public_flow_state == FlowState::cancelled) snapshot.cancelled_at_ms = row->terminal_at_ms;
    for (const EdgeGroupRow& group : found->of<EdgeGroupRow>().rows()) {
        snapshot.edge_groups.push_back(snapshot_of(group));
    }
    return std::optional(std::move(snapshot));
}

Result<std::optional<std::string>> Engine::get_flow_tag(const FlowId& id, const std::string& key) {
    if (auto checked = check_tag_key(key); !checked) return checked.error();
    auto row = impl_->readers().run([&](StoreReader& reader) { return read_flow(reader, key_of(id)); });
    if (!row) return row.error();
    if (!*row) return std::optional<std::string>{};
    const Tags tags = tags_of((*row)->tags);
    const auto tag = tags.find(key);
    return tag == tags.end() ? std::nullopt : std::optional(tag->second);
}

Result<FlowPage> Engine::list_flows(const FlowListQuery& query) {
    if (auto checked = check_partition("partition", query.partition); !checked) return checked.error();
    FlowPage page;
    if (query.limit == 0) return page;
    const std::uint32_t limit = std::min(query.limit, max_page);
    auto rows = impl_->readers().run(
        [&](StoreReader& reader) { return reader.flows(query.partition, query.after, limit + 1); });
    if (!rows) return rows.error();
    const bool more = rows->size() > limit;
    if (more) rows->pop_back();
    for (const FlowRow& row : *rows) {
        page.flows.push_back({row.key.flow_id, row.created_at_ms, status_of(row)});
    }
    if (more) page.next_cursor = rows->back().key.flow_id;
    return page;
}

Result<bool> Engine::project_flow_summary(const FlowId& id) {
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    auto tally = impl_->readers().run([&](StoreReader& reader) { return read_tally(reader, key_of(id)); });
    if (!tally) return tally.error();
    if (!*tally || (*tally)->members.counts.total() == 0) return false;
    auto projected = impl_->run(ProjectFlowSummary{std::move(**tally), *now});
    if (!projected) return projected.error();
    return true;
}

Result<std::optional<FlowProjection>> Engine::get_flow_summary(const FlowId& id) {
    const FlowKey key = key_of(id);
    SideRowsWanted wanted;
    wanted.of<FlowSummaryRow>().keys = {key};
    auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!found) return found.error();
    const FlowSummaryRow* row = found->of<FlowSummaryRow>().find(key);
    return row == nullptr ? std::nullopt : std::optional(projection_of(*row));
}

Result<std::vector<EdgeSnapshot>> Engine::list_edges(const EdgesOf& query) {
    const FlowKey key = key_of(query.flow_id);
    SideRowsWanted wanted;
    if (query.direction == EdgesOf::Direction::incoming) {
        wanted.of<EdgeRow>().groups = {{key, query.execution_id.uuid}};
    } else {
        wanted.of<EdgeRow>().sources = {{key.partition, query.execution_id.uuid}};
    }
    auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!found) return found.error();
    std::vector<EdgeSnapshot> edges;
    for (const EdgeRow& row : found->of<EdgeRow>().rows()) {
        if (row.flow() == key) edges.push_back(snapshot_of(row));
    }
    return edges;
}

Result<std::optional<EdgeSnapshot>> Engine::describe_edge(const FlowId& flow_id, const EdgeId& edge_id) {
    const EdgeKey key{key_of(flow_id), edge_id};
    SideRowsWanted wanted;
    wanted.of<EdgeRow>().keys = {key};
    auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!found) return found.error();
    const EdgeRow* row = found->of<EdgeRow>().find(key);
    return row == nullptr ? std::nullopt : std::optional(snapshot_of(*row));
}

Result<FlowEligibility> Engine::evaluate_flow_eligibility(const ExecutionId& id) {
    auto found = impl_->find(id);
    if (!found) return found.error();
    if (!*found) return FlowEligibility::not_found;
    const ExecutionRow& row = (*found)->row;
    if (row.vector.lifecycle_phase == LifecyclePhase::terminal) return FlowEligibility::terminal;
    if (row.vector.lifecycle_phase != LifecyclePhase::runnable) return FlowEligibility::not_runnable;
    if (row.vector.ownership_state != OwnershipState::unowned) return FlowEligibility::owned;
    if (!row.flow_id || !row.deps_blocked) return FlowEligibility::eligible;
    const GroupKey key{{id.partition, *row.flow_id}, id.uuid};
    auto group = impl_->readers().run([&](StoreReader& reader) { return present_group(reader, key); });
    if (!group) return group.error();
    return *group == GroupState::impossible ? FlowEligibility::impossible : FlowEligibility::blocked_by_dependencies;
}

Result<FlowCancelled> Engine::cancel_flow(CancelFlow command, std::chrono::milliseconds wait) {
    const FlowKey key = key_of(command.flow_id);
    const auto deadline = std::chrono::steady_clock::now() + wait;
    auto cancelled = impl_->call(std::move(command));
    if (!cancelled || !cancelled->members_pending || wait.count() == 0) return cancelled;
    SideRowsWanted wanted;
    wanted.of<CancelBacklogRow>().keys = {key};
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
        impl_->dispatch().wait_while_cancelling(key, deadline);
        auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
        if (!found) return found.error();
        cancelled->members_pending = found->of<CancelBacklogRow>().find(key) != nullptr;
        if (!cancelled->members_pending) return cancelled;
        const auto now = std::chrono::steady_clock::now();
        if (now >= deadline) {
            return EngineError{.kind = ErrorKind::timeout,
                               .detail = "cancel_flow: members are still being cancelled after " +
                                         std::to_string(wait.count()) + " ms"};
        }
        std::this_thread::sleep_until(std::min(now + pause, deadline));
    }
}

}  // namespace flowfabric
