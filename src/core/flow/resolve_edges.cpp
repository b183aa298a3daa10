#include "core/command/contents.hpp"
#include "core/flow/dispatch.hpp"
#include "core/flow/flow.hpp"

namespace flowfabric {
namespace {

// An edge that the command resolves.
struct Resolution {
    EdgeRow edge;
    TerminalOutcome outcome = TerminalOutcome::none;
    ExecutionId upstream;
};

// Counts the edges one after the other: which of them decides the group, if one does.
const Resolution* count_edges(const std::vector<Resolution>& resolutions, const GroupPolicy& policy,
                              EdgeGroupRow& group) {
    const Resolution* deciding = nullptr;
    for (const Resolution& resolution : resolutions) {
        if (resolution.edge.generation != group.generation) continue;
        count_resolution(group, resolution.outcome);
        if (group.group_state != GroupState::pending) continue;
        group.group_state = evaluate(policy, counts_of(group));
        if (group.group_state != GroupState::pending) deciding = &resolution;
    }
    return deciding;
}

void pass_data(const Resolution& resolution, const ExecutionId& child, WorkingSet& set) {
    if (resolution.outcome != TerminalOutcome::success) return;
    std::string ref = fields_of(resolution.edge).data_passing_ref;
    if (ref.empty()) return;
    set.input_copies.push_back({resolution.upstream, child, std::move(ref), resolution.edge.key.edge_id});
}

// The edges are resolved even if the child is gone.
class ResolveEdgesBody final : public CommandBody {
  public:
    explicit ResolveEdgesBody(ResolveEdges command) : command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "resolve_dependency", .by_timer = true, .releases_work = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.ended); }
    std::span<const ExecutionId> executions() const override { return {&command_.execution_id, 1}; }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<EdgeGroupRow>().keys.push_back(group_key());
        for (const ResolveEdges::Ended& ended : command_.ended) {
            rows.side.of<EdgeRow>().keys.push_back({group_key().flow, ended.edge_id});
        }
        if (with_siblings_) rows.side.of<EdgeRow>().groups.push_back(group_key());
    }
    std::size_t rows() const override { return 2 + command_.ended.size(); }
    void widen(const MoreRows&) override { with_siblings_ = true; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto& edges = context.set.side.of<EdgeRow>();
        auto& groups = context.set.side.of<EdgeGroupRow>();
        const EdgeGroupRow* stored = groups.find(group_key());
        const auto resolutions = resolutions_in(edges);
        if (stored == nullptr || resolutions.empty()) return Answer::of<EdgesResolved>({});

        EdgeGroupRow group = *stored;
        const GroupPolicy policy = group_policy(group.policy);
        const Resolution* deciding = count_edges(resolutions, policy, group);
        if (!counts_of(group).consistent()) {
            return EngineError{.kind = ErrorKind::internal,
                               .detail = "invariant_violation: more edges resolved than the group of " +
                                         command_.execution_id.to_string() + " has"};
        }
        if (deciding != nullptr && cancels_siblings(policy) && !with_siblings_) return Answer::of<MoreRows>({});

        for (const Resolution& resolution : resolutions) edges.put(resolution.edge);
        ExecutionEntry* child = rows.find(command_.execution_id);
        const bool child_lives = child != nullptr && child->row.vector.lifecycle_phase != LifecyclePhase::terminal;
        for (const Resolution& resolution : resolutions) {
            const bool passes = policy.kind == GroupKind::all_of || &resolution == deciding;
            if (child_lives && passes) pass_data(resolution, command_.execution_id, context.set);
        }
        if (deciding != nullptr) {
            auto siblings = cancels_siblings(policy) ? siblings_in(edges, group) : std::vector<std::string>{};
            fire(group, child, std::move(siblings), context);
        }
        groups.put(std::move(group));
        return Answer::of<EdgesResolved>({.changed = true});
    }

  private:
    GroupKey group_key() const {
        return {{command_.execution_id.partition, command_.flow_id}, command_.execution_id.uuid};
    }

    std::vector<Resolution> resolutions_in(const RowTable<EdgeRow>& edges) const {
        std::vector<Resolution> resolutions;
        for (const ResolveEdges::Ended& ended : command_.ended) {
            const EdgeRow* edge = edges.find({group_key().flow, ended.edge_id});
            if (edge == nullptr || edge->dependency_state != DependencyState::unsatisfied) continue;
            Resolution resolution{*edge, ended.outcome, ended.upstream};
            resolution.edge.dependency_state = resolution_of(ended.outcome);
            resolutions.push_back(std::move(resolution));
        }
        return resolutions;
    }

    ResolveEdges command_;
    bool with_siblings_ = false;  // all edges of the group are at hand, since it is decided now
};

}  // namespace

Command resolve_edges(ResolveEdges resolution) {
    return Command::make<ResolveEdgesBody>(std::move(resolution));
}

}  // namespace flowfabric
