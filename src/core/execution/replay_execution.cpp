#include <algorithm>

#include <boost/json.hpp>

#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/replaying.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/execution/transition.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_retention.hpp"
#include "flowfabric/execution.hpp"

// An ended execution starts again. A member of a flow takes its flow along; one that was skipped waits for its edges
// anew.
namespace flowfabric {
namespace {

constexpr std::uint32_t default_replay_cap = 10;

std::uint32_t replay_cap_of(const ExecutionRow& row) {
    const auto policy = stored_policy(row);
    return policy && *policy ? (*policy)->max_replay_count.value_or(default_replay_cap) : default_replay_cap;
}

std::optional<EngineError> refuse_replay(const ExecutionRow& row) {
    if (row.vector.lifecycle_phase != LifecyclePhase::terminal) {
        return refused_in_state(ErrorKind::execution_not_terminal, row);
    }
    const std::uint32_t cap = replay_cap_of(row);
    if (static_cast<std::uint32_t>(row.replay_count) < cap) return std::nullopt;
    return EngineError{.kind = ErrorKind::max_replays_exhausted,
                       .detail = row.id.to_string() + " was replayed " + std::to_string(cap) + " times"};
}

Answer start_again(ExecutionEntry& entry, const boost::json::object& told, DecisionContext& context) {
    Transition transition(entry, context.set);
    transition.replay();
    transition.tell_operators(OperatorEventType::replayed, {boost::json::serialize(told)});
    return Answer::of<Replayed>({entry.row.id, entry.row.vector.public_state});
}

// The edges of a skipped member, as they are now.
struct Reopened {
    EdgeGroupRow group;
    std::vector<EdgeRow> edges;
    std::optional<ExecutionId> lost;  // an upstream that has not succeeded
    std::optional<EdgeId> decided_by;
};

std::vector<EdgeRow> edges_of(const EdgeGroupRow& group, const WorkingSet& set) {
    return set.side.of<EdgeRow>().where([&](const EdgeRow& edge) {
        return edge.group() == group.key && edge.generation == group.generation && edge.dependency_state;
    });
}

std::vector<ExecutionId> impossible_upstream(const std::vector<EdgeRow>& edges) {
    std::vector<ExecutionId> ids;
    for (const EdgeRow& edge : edges) {
        if (edge.dependency_state != DependencyState::impossible) continue;
        ids.push_back({edge.key.flow.partition, edge.upstream});
    }
    return ids;
}

// Satisfied edges stay so; what was impossible follows its upstream's present state.
Reopened reopen(const EdgeGroupRow& stored, std::vector<EdgeRow> edges, BatchRows& rows) {
    Reopened reopened{.group = stored, .edges = std::move(edges), .lost = {}, .decided_by = {}};
    EdgeGroupRow& group = reopened.group;
    group.success_count = group.fail_count = group.skip_count = 0;
    group.running_count = static_cast<std::int32_t>(reopened.edges.size());
    for (EdgeRow& edge : reopened.edges) {
        if (edge.dependency_state == DependencyState::satisfied) count_resolution(group, TerminalOutcome::success);
        if (edge.dependency_state != DependencyState::impossible) continue;
        const ExecutionId id{edge.key.flow.partition, edge.upstream};
        const ExecutionEntry* upstream = rows.find(id);
        const auto outcome = upstream == nullptr ? TerminalOutcome::failed : upstream->row.vector.terminal_outcome;
        edge.dependency_state = DependencyState::unsatisfied;
        if (outcome == TerminalOutcome::none) continue;
        edge.dependency_state = resolution_of(outcome);
        count_resolution(group, outcome);
        if (outcome == TerminalOutcome::success) {
            reopened.decided_by = edge.key.edge_id;
        } else {
            reopened.lost = id;
        }
    }
    group.group_state = GroupState::pending;
    return reopened;
}

// What upstream executions brought while the member was skipped has not reached it.
void pass_data(const Reopened& reopened, const ExecutionId& child, WorkingSet& set) {
    const bool all = group_policy(reopened.group.policy).kind == GroupKind::all_of;
    const bool decided = reopened.group.group_state == GroupState::satisfied;
    for (const EdgeRow& edge : reopened.edges) {
        const bool passes = all || (decided && edge.key.edge_id == reopened.decided_by);
        std::string ref = fields_of(edge).data_passing_ref;
        if (!passes || edge.dependency_state != DependencyState::satisfied || ref.empty()) continue;
        set.input_copies.push_back(
            {ExecutionId{edge.key.flow.partition, edge.upstream}, child, std::move(ref), edge.key.edge_id});
    }
}

// A finished flow is open again until this member has ended once more.
void count_on(FlowRow flow, bool failed, DecisionContext& context) {
    ++flow.open_members;
    if (failed) --flow.failed_members;
    flow.public_flow_state = FlowState::open;
    flow.terminal_at_ms.reset();
    note_flow(flow.key, context);
    const FlowFields fields = fields_of(flow);
    touch_flow(std::move(flow), fields, context);
}

class ReplayExecutionBody final : public CommandBody {
  public:
    explicit ReplayExecutionBody(const ExecutionId& id) : executions_{id} {}

    CommandTraits traits() const override { return {.name = "replay_execution"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(executions_); }
    std::span<const ExecutionId> executions() const override { return executions_; }
    void name_rows(NamedRows& rows) const override {
        if (!flow_id_) return;
        rows.side.of<FlowRow>().keys.push_back(group_key().flow);
        rows.side.of<EdgeGroupRow>().keys.push_back(group_key());
        rows.side.of<EdgeRow>().groups.push_back(group_key());
    }
    void widen(const MoreRows& more) override {
        flow_id_ = more.flow_id;
        executions_.resize(1);
        executions_.insert(executions_.end(), more.executions.begin(), more.executions.end());
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        ExecutionEntry* entry = rows.find(execution_id());
        if (entry == nullptr) return execution_not_found(execution_id());
        if (auto refusal = refuse_replay(entry->row)) return *refusal;
        const auto& flow_id = entry->row.flow_id;
        if (!flow_id) return start_again(*entry, {{"branch", "normal"}}, context);
        if (flow_id_ != flow_id) return Answer::of<MoreRows>({.flow_id = flow_id});
        return replay_member(*entry, rows, context);
    }

  private:
    const ExecutionId& execution_id() const { return executions_.front(); }
    // Only for a member, once its flow is known.
    GroupKey group_key() const { return {{execution_id().partition, *flow_id_}, execution_id().uuid}; }

    Result<Answer> replay_member(ExecutionEntry& entry, BatchRows& rows, DecisionContext& context) const {
        const ExecutionRow& row = entry.row;
        auto flow = find_flow(group_key().flow, context.set);
        if (!flow) return flow.error();
        if (flow->public_flow_state == FlowState::cancelled) return flow_already_terminal(*flow);
        if (fields_of(*flow).removing) {
            return EngineError{.kind = ErrorKind::replay_not_allowed,
                               .detail = row.id.to_string() + ": its flow is removed"};
        }
        const bool failed = fails_flow(row.vector.terminal_outcome, row.cancellation_cause);
        const EdgeGroupRow* group = context.set.side.of<EdgeGroupRow>().find(group_key());
        const bool skipped = row.vector.terminal_outcome == TerminalOutcome::skipped && group != nullptr;
        auto answer = skipped ? wait_again(*group, entry, rows, context)
                              : Result<Answer>(start_again(entry, {{"branch", "normal"}}, context));
        const bool replayed = answer && answer->get_if<Replayed>() != nullptr;
        if (replayed) count_on(std::move(*flow), failed, context);
        return answer;
    }

    Result<Answer> wait_again(const EdgeGroupRow& stored, ExecutionEntry& entry, BatchRows& rows,
                              DecisionContext& context) const {
        auto edges = edges_of(stored, context.set);
        auto upstream = impossible_upstream(edges);
        const bool at_hand = std::ranges::all_of(
            upstream, [&](const ExecutionId& id) { return std::ranges::find(executions_, id) != executions_.end(); });
        if (!at_hand) return Answer::of<MoreRows>({.flow_id = flow_id_, .executions = std::move(upstream)});

        Reopened reopened = reopen(stored, std::move(edges), rows);
        if (evaluate(group_policy(stored.policy), counts_of(reopened.group)) == GroupState::impossible) {
            const std::string cause = reopened.lost ? reopened.lost->to_string() + " has not succeeded: replay it first"
                                                    : "its edges cannot be met";
            return EngineError{.kind = ErrorKind::replay_not_allowed,
                               .detail = entry.row.id.to_string() + ": " + cause};
        }
        start_again(entry, {{"branch", "skipped_flow_member"}, {"groups_reset", 1}}, context);
        Transition(entry, context.set).hold_for_dependencies(hold_detail(reopened.group));
        for (const EdgeRow& edge : reopened.edges) context.set.side.of<EdgeRow>().put(edge);
        reconsider(reopened.group, entry, context);
        pass_data(reopened, entry.row.id, context.set);
        context.set.side.of<EdgeGroupRow>().put(std::move(reopened.group));
        return Answer::of<Replayed>({entry.row.id, entry.row.vector.public_state});
    }

    std::vector<ExecutionId> executions_;  // the execution, then those that it waits for
    std::optional<FlowId> flow_id_;        // of which it is a member
};

}  // namespace

Command replay_execution(const ExecutionId& id) {
    return Command::make<ReplayExecutionBody>(id);
}

template <>
Result<Command> admit(ReplayExecution command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    return replay_execution(command.execution_id);
}

}  // namespace flowfabric
