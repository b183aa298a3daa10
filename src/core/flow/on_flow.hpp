#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/command/command.hpp"
#include "core/execution/held_lease.hpp"
#include "core/flow/flow_fields.hpp"

// Commands that are about one flow.
namespace flowfabric {

class OnFlow : public CommandBody {
  public:
    explicit OnFlow(const FlowKey& flow, std::vector<ExecutionId> executions = {})
        : flow_(flow), executions_(std::move(executions)) {}

    std::span<const ExecutionId> executions() const final { return executions_; }
    // The flow's own row.
    void name_rows(NamedRows& rows) const override;
    std::string subject() const final;

  protected:
    const FlowKey& flow() const { return flow_; }

  private:
    FlowKey flow_;
    std::vector<ExecutionId> executions_;
};

// What the doors of these commands check alike.
Result<void> check_member_partition(std::string_view field, const FlowKey& flow, const ExecutionId& id);
Result<void> check_data_passing_ref(std::string_view field, const std::optional<std::string>& ref);
// The lease of a member whose worker changes the graph.
Result<std::optional<HeldLease>> member_lease(const std::optional<LeaseRef>& ref, const Settings& settings);

// The executions, and the one under the lease.
std::vector<ExecutionId> with_holder(std::vector<ExecutionId> executions, const std::optional<HeldLease>& by);

FlowRow new_flow_row(const FlowKey& key, const FlowFields& fields);

}  // namespace flowfabric
