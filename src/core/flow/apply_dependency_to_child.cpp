#include "core/command/admission.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

// Until its first claim, and that of a replay, an execution can still be told to wait.
bool has_started(const ExecutionRow& row) {
    const AttemptState attempt = row.vector.attempt_state;
    const bool fresh =
        attempt == AttemptState::pending_first_attempt || attempt == AttemptState::pending_replay_attempt;
    return row.vector.lifecycle_phase != LifecyclePhase::runnable || !fresh;
}

// True for an edge whose upstream has succeeded and that brings no input: its child may be anywhere in its work, or
// behind it. A group whose edges a worker gathers or waits for, or that cannot be met, takes none from elsewhere.
bool asks_nothing(const EdgeRow& edge, TerminalOutcome ended, const EdgeGroupRow& group) {
    const bool is_settled = group.group_state == GroupState::satisfied ||
                            (group.group_state == GroupState::pending && applied_edges(group) == 0);
    return ended == TerminalOutcome::success && fields_of(edge).data_passing_ref.empty() && is_settled;
}

class ApplyDependencyToChildBody final : public OnFlow {
  public:
    ApplyDependencyToChildBody(const EdgeKey& edge, const ExecutionId& upstream, const ExecutionId& downstream,
                               const std::optional<HeldLease>& by)
        : OnFlow(edge.flow, with_holder({upstream, downstream}, by)),
          edge_(edge),
          upstream_(upstream),
          downstream_(downstream),
          by_(by) {}

    CommandTraits traits() const override { return {.name = "apply_dependency_to_child", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes(); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<EdgeRow>().keys.push_back(edge_);
        rows.side.of<EdgeGroupRow>().keys.push_back(group_key());
        if (with_siblings_) rows.side.of<EdgeRow>().groups.push_back(group_key());
    }
    void widen(const MoreRows&) override { with_siblings_ = true; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_open_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        auto& edges = context.set.side.of<EdgeRow>();
        const EdgeRow* staged = edges.find(edge_);
        if (staged == nullptr) {
            return EngineError{.kind = ErrorKind::edge_not_found, .detail = edge_.edge_id.to_string()};
        }
        const bool matches = staged->upstream == upstream_.uuid && staged->downstream == downstream_.uuid;
        if (!matches) return invalid_input("edge_id", "the edge is staged between other executions");

        auto& groups = context.set.side.of<EdgeGroupRow>();
        const EdgeGroupRow* existing = groups.find(group_key());
        EdgeGroupRow group = existing != nullptr ? *existing : EdgeGroupRow{.key = group_key()};
        if (existing == nullptr) group.policy = policy_json({});
        if (staged->dependency_state) {
            return Answer::of<DependencyApplied>({static_cast<std::uint32_t>(group.running_count), true});
        }
        if (auto refusal = refuse_sealed(*flow, by_, rows, context)) return *refusal;
        auto child = find_member(downstream_, this->flow(), rows);
        if (!child) return child.error();
        auto upstream = find_member(upstream_, this->flow(), rows);
        if (!upstream) return upstream.error();
        ExecutionEntry& entry = **child;
        const TerminalOutcome ended = (*upstream)->row.vector.terminal_outcome;
        const bool own = by_ && by_->execution_id == downstream_;
        const bool started = has_started(entry.row);
        if (started && !asks_nothing(*staged, ended, group)) {
            const bool over = entry.row.vector.lifecycle_phase == LifecyclePhase::terminal;
            if (over) return refused_in_state(ErrorKind::execution_terminal, entry.row);
            if (!own) return refused_in_state(ErrorKind::active_attempt_exists, entry.row);
        }
        if (started && own) {
            Transition transition(entry, context.set);
            if (auto refusal = refuse_by_fence(transition, *by_, OverrideRule::never)) return *refusal;
        }
        if (started) {
            // Edges of their own, which nothing waits for yet.
            if (group.group_state != GroupState::pending || group.n_fixed) group = next_generation(group);
        } else if (group.n_fixed && applied_edges(group) >= group.n) {
            return invalid_input("edge_id", "the group has all of its " + std::to_string(group.n) + " edges");
        }

        EdgeRow edge = *staged;
        EdgeFields fields = fields_of(edge);
        fields.edge_state = EdgeState::applied;
        fields.applied_at_ms = context.set.now_ms;
        edge.policy = json_of(fields);
        edge.generation = group.generation;
        edge.dependency_state = DependencyState::unsatisfied;
        count_applied(group);
        if (ended != TerminalOutcome::none) {
            edge.dependency_state = resolution_of(ended);
            count_resolution(group, ended);
        }
        const GroupPolicy policy = group_policy(group.policy);
        const bool decides = group.group_state == GroupState::pending;
        const bool fires = decides && evaluate(policy, counts_of(group)) != GroupState::pending;
        if (fires && cancels_siblings(policy) && !with_siblings_) return Answer::of<MoreRows>({});
        edges.put(std::move(edge));
        if (!started) Transition(entry, context.set).hold_for_dependencies(hold_detail(group));
        reconsider(group, entry, context);
        const bool passes = policy.kind == GroupKind::all_of || (decides && group.group_state == GroupState::satisfied);
        if (passes && ended == TerminalOutcome::success && !fields.data_passing_ref.empty()) {
            context.set.input_copies.push_back({upstream_, downstream_, fields.data_passing_ref, edge_.edge_id});
        }
        const auto open = static_cast<std::uint32_t>(group.running_count);
        groups.put(std::move(group));
        return Answer::of<DependencyApplied>({open});
    }

  private:
    GroupKey group_key() const { return {edge_.flow, downstream_.uuid}; }

    EdgeKey edge_;
    ExecutionId upstream_;
    ExecutionId downstream_;
    std::optional<HeldLease> by_;  // a member's worker
    bool with_siblings_ = false;   // all edges of the group are at hand, since it is decided now
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(ApplyDependencyToChild command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    Checks check;
    check(check_member_partition("upstream_execution_id", flow, command.upstream));
    check(check_member_partition("downstream_execution_id", flow, command.downstream));
    if (check.fault()) return *check.fault();
    auto by = member_lease(command.lease, settings);
    if (!by) return by.error();
    return Command::make<ApplyDependencyToChildBody>(EdgeKey{flow, command.edge_id}, command.upstream,
                                                     command.downstream, *by);
}

}  // namespace flowfabric
