#include "cli/text/id_argument.hpp"

namespace flowfabric::cli {

Result<ExecutionId> execution_argument(const std::string& text) {
    auto id = ExecutionId::parse(text);
    if (!id && FlowId::parse(text)) {
        return invalid_input("execution_id", "that is a flow; try `ff flow show " + text + "`");
    }
    return id;
}

Result<FlowId> flow_argument(const std::string& text) {
    auto id = FlowId::parse(text);
    if (!id && ExecutionId::parse(text)) {
        return invalid_input("flow_id", "that is an execution; try `ff get '" + text + "'`");
    }
    return id;
}

}  // namespace flowfabric::cli
