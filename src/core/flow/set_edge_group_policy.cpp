#include "core/command/admission.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class SetEdgeGroupPolicyBody final : public OnFlow {
  public:
    SetEdgeGroupPolicyBody(const GroupKey& group, const GroupPolicy& policy,
                           std::optional<std::uint32_t> expected_edges)
        : OnFlow(group.flow, {group.execution()}), group_(group), policy_(policy), expected_edges_(expected_edges) {}

    CommandTraits traits() const override { return {.name = "set_edge_group_policy", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes(); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<EdgeGroupRow>().keys.push_back(group_);
        rows.side.of<EdgeRow>().groups.push_back(group_);
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_open_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        if (auto refusal = refuse_sealed(*flow, std::nullopt, rows, context)) return *refusal;
        if (auto member = find_member(group_.execution(), this->flow(), rows); !member) return member.error();
        auto& groups = context.set.side.of<EdgeGroupRow>();
        const EdgeGroupRow* existing = groups.find(group_);
        const auto edges = static_cast<std::int32_t>(expected_edges_.value_or(0));
        if (existing != nullptr && group_policy(existing->policy) == policy_ && existing->n == edges &&
            existing->n_fixed == expected_edges_.has_value()) {
            return Answer::of<GroupPolicySet>({true});
        }
        const bool staged =
            context.set.side.of<EdgeRow>().any([&](const EdgeRow& edge) { return edge.group() == group_; });
        if (staged) return invalid_input("policy", "edge_group_policy_already_fixed: an edge is staged");
        EdgeGroupRow group;
        group.key = group_;
        group.policy = policy_json(policy_);
        group.k_target = k_target_of(policy_);
        group.n = edges;
        group.n_fixed = expected_edges_.has_value();
        groups.put(std::move(group));
        return Answer::of<GroupPolicySet>({});
    }

  private:
    GroupKey group_;
    GroupPolicy policy_;
    std::optional<std::uint32_t> expected_edges_;
};

}  // namespace

template <>
Result<Command> admit(SetEdgeGroupPolicy command, const Settings&, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    const std::uint32_t needed = command.policy.kind == GroupKind::quorum ? command.policy.k : 1;
    Checks check;
    check(check_member_partition("downstream_execution_id", flow, command.downstream));
    check(check_policy("policy", command.policy));
    check.require(!command.expected_edges || *command.expected_edges >= 1, "expected_edges", "must be at least 1");
    check.require(!command.expected_edges || *command.expected_edges <= max_group_edges, "expected_edges",
                  "is too large");
    check.require(!command.expected_edges || needed <= *command.expected_edges, "policy.k",
                  "is larger than expected_edges");
    if (check.fault()) return *check.fault();
    return Command::make<SetEdgeGroupPolicyBody>(GroupKey{flow, command.downstream.uuid}, command.policy,
                                                 command.expected_edges);
}

}  // namespace flowfabric
