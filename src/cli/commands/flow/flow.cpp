#include "cli/command_table.hpp"

namespace flowfabric::cli {

// Each is defined in the file of its command.
void add_flow_submit(CommandTable& table, CLI::App& flow);
void add_flow_show(CommandTable& table, CLI::App& flow);
void add_flow_list(CommandTable& table, CLI::App& flow);
void add_flow_cancel(CommandTable& table, CLI::App& flow);
void add_flow_tag(CommandTable& table, CLI::App& flow);
void add_flow_edges(CommandTable& table, CLI::App& flow);

void add_flow(CommandTable& table) {
    auto& flow = table.add_group("flow", "Submit, show and cancel flows: graphs of executions");
    add_flow_submit(table, flow);
    add_flow_show(table, flow);
    add_flow_list(table, flow);
    add_flow_cancel(table, flow);
    add_flow_tag(table, flow);
    add_flow_edges(table, flow);
}

}  // namespace flowfabric::cli
