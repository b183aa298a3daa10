#include "cli/text/id_argument.hpp"

#include "cli/text/output.hpp"

namespace flowfabric::cli {

namespace {

// A UUID alone says nothing of the partition.
Result<ExecutionId> found_by(Client& client, const Uuid& uuid) {
    const auto found = client.read(FindExecutions{uuid});
    if (!found) return found.error();
    const auto& executions = found->executions;
    if (executions.size() == 1) return executions.front();
    const std::string text = uuid.to_string();
    if (!executions.empty()) {
        return invalid_input("execution_id",
                             "several executions have that UUID; one is " + executions.front().to_string());
    }
    const auto flow = client.describe_flow(FlowId{uuid});
    if (!flow) return flow.error();
    if (*flow) return invalid_input("execution_id", "that is a flow; try `ff flow show " + text + "`");
    return execution_not_found(text);
}

}  // namespace

Result<ExecutionId> execution_argument(Client& client, const std::string& text) {
    if (const auto uuid = Uuid::parse(text)) return found_by(client, *uuid);
    return ExecutionId::parse(text);
}

Result<FlowId> flow_argument(const std::string& text) {
    auto id = FlowId::parse(text);
    if (!id && ExecutionId::parse(text)) {
        return invalid_input("flow_id", "that is an execution; try `ff get '" + text + "'`");
    }
    return id;
}

}  // namespace flowfabric::cli
