#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_graph.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

bool closes_circle(const EdgeRow& added, const RowTable<EdgeRow>& edges) {
    std::vector<std::pair<Uuid, Uuid>> graph;
    for (const EdgeRow& edge : edges.where([&](const EdgeRow& edge) { return edge.flow() == added.flow(); })) {
        graph.emplace_back(edge.upstream, edge.downstream);
    }
    return reachable(graph, added.downstream, added.upstream);
}

std::string between(const EdgeRow& edge) {
    const std::uint16_t partition = edge.key.flow.partition;
    return edge.key.edge_id.to_string() + " leads from " + ExecutionId{partition, edge.upstream}.to_string() + " to " +
           ExecutionId{partition, edge.downstream}.to_string();
}

class StageDependencyEdgeBody final : public OnFlow {
  public:
    StageDependencyEdgeBody(EdgeRow row, std::int64_t expected_graph_revision, const std::optional<HeldLease>& by)
        : OnFlow(row.key.flow, with_holder({upstream_of(row), downstream_of(row)}, by)),
          row_(std::move(row)),
          expected_graph_revision_(expected_graph_revision),
          by_(by) {}

    CommandTraits traits() const override { return {.name = "stage_dependency_edge", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes() + contents_of(row_); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<EdgeRow>().keys.push_back(row_.key);
        rows.side.of<EdgeRow>().sources.push_back(behind());
        if (with_graph_) rows.side.of<EdgeRow>().flows.push_back(flow());
    }
    void widen(const MoreRows&) override { with_graph_ = true; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_open_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        auto& edges = context.set.side.of<EdgeRow>();
        if (const EdgeRow* existing = edges.find(row_.key)) {
            if (is_same(*existing)) return Answer::of<EdgeStaged>({row_.key.edge_id, flow->graph_revision, true});
            return EngineError{.kind = ErrorKind::dependency_already_exists, .detail = between(*existing)};
        }
        if (auto refusal = refuse_sealed(*flow, by_, rows, context)) return *refusal;
        if (flow->graph_revision != expected_graph_revision_) {
            return EngineError{.kind = ErrorKind::stale_graph_revision,
                               .detail = "the graph's revision is " + std::to_string(flow->graph_revision)};
        }
        for (const ExecutionId& id : {upstream_of(row_), downstream_of(row_)}) {
            const bool member = rows.find(id) != nullptr && rows.find(id)->row.flow_id == flow->key.flow_id;
            if (!member) return execution_not_in_flow(id);
        }
        const bool leads_on = edges.any([&](const EdgeRow& edge) { return edge.source() == behind(); });
        if (leads_on && !with_graph_) return Answer::of<MoreRows>({});
        if (leads_on && closes_circle(row_, edges)) {
            return EngineError{.kind = ErrorKind::cycle_detected, .detail = row_.key.edge_id.to_string()};
        }
        EdgeRow row = row_;
        EdgeFields fields = fields_of(row);
        fields.created_at_ms = fields.staged_at_ms = context.set.now_ms;
        row.policy = json_of(fields);
        edges.put(std::move(row));
        FlowFields flow_fields = fields_of(*flow);
        ++flow_fields.edge_count;
        const std::int64_t revision = ++flow->graph_revision;
        touch_flow(std::move(*flow), flow_fields, context);
        return Answer::of<EdgeStaged>({row_.key.edge_id, revision});
    }

  private:
    static ExecutionId upstream_of(const EdgeRow& row) { return {row.key.flow.partition, row.upstream}; }
    static ExecutionId downstream_of(const EdgeRow& row) { return {row.key.flow.partition, row.downstream}; }
    SourceKey behind() const { return {row_.key.flow.partition, row_.downstream}; }
    bool is_same(const EdgeRow& existing) const {
        const EdgeFields stored = fields_of(existing);
        const EdgeFields wanted = fields_of(row_);
        return existing.upstream == row_.upstream && existing.downstream == row_.downstream &&
               stored.dependency_kind == wanted.dependency_kind && stored.data_passing_ref == wanted.data_passing_ref;
    }

    EdgeRow row_;  // all but its times
    std::int64_t expected_graph_revision_;
    std::optional<HeldLease> by_;  // a member's worker
    bool with_graph_ = false;      // all edges of the flow are at hand, since this one may close a circle
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(StageDependencyEdge command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    if (command.upstream == command.downstream) {
        return EngineError{.kind = ErrorKind::self_referencing_edge, .detail = command.edge_id.to_string()};
    }
    Checks check;
    check(check_member_partition("upstream_execution_id", flow, command.upstream));
    check(check_member_partition("downstream_execution_id", flow, command.downstream));
    check(check_data_passing_ref("data_passing_ref", command.data_passing_ref));
    if (check.fault()) return *check.fault();
    auto by = member_lease(command.lease, settings);
    if (!by) return by.error();
    EdgeRow row;
    row.key = {flow, command.edge_id};
    row.upstream = command.upstream.uuid;
    row.downstream = command.downstream.uuid;
    row.policy = json_of(EdgeFields{.dependency_kind = std::string(to_string(command.dependency_kind)),
                                    .data_passing_ref = command.data_passing_ref.value_or("")});
    return Command::make<StageDependencyEdgeBody>(std::move(row), command.expected_graph_revision, *by);
}

}  // namespace flowfabric
