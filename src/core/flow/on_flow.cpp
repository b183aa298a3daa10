#include "core/flow/on_flow.hpp"

#include "core/base/names.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {

void OnFlow::name_rows(NamedRows& rows) const {
    rows.side.of<FlowRow>().keys.push_back(flow_);
}

std::string OnFlow::subject() const {
    return executions_.empty() ? "flow " + flow_.flow_id.to_string() : executions_.front().to_string();
}

Result<void> check_member_partition(std::string_view field, const FlowKey& flow, const ExecutionId& id) {
    if (id.partition == flow.partition) return {};
    return invalid_input(field, "partition_mismatch: " + id.to_string() + " is not on the flow's partition " +
                                    std::to_string(flow.partition));
}

Result<void> check_data_passing_ref(std::string_view field, const std::optional<std::string>& ref) {
    return ref ? check_text(field, *ref, max_label_bytes) : Result<void>{};
}

Result<std::optional<HeldLease>> member_lease(const std::optional<LeaseRef>& ref, const Settings& settings) {
    if (!ref) return std::optional<HeldLease>{};
    auto lease = held_lease(*ref, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return std::optional(*lease);
}

std::vector<ExecutionId> with_holder(std::vector<ExecutionId> executions, const std::optional<HeldLease>& by) {
    if (by) executions.push_back(by->execution_id);
    return executions;
}

FlowRow new_flow_row(const FlowKey& key, const FlowFields& fields) {
    FlowRow row;
    row.key = key;
    row.raw_fields = json_of(fields);
    return row;
}

}  // namespace flowfabric
