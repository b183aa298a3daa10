#include "cli/text/criteria_options.hpp"

#include <chrono>

#include "cli/grammar.hpp"

namespace flowfabric::cli {
namespace {

std::int64_t time_ago(std::chrono::milliseconds length) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return (std::chrono::duration_cast<std::chrono::milliseconds>(now) - length).count();
}

}  // namespace

void add_criteria(CLI::App& command, ExecutionCriteria& criteria) {
    command.add_option("--lane", criteria.lane_id, "In this lane")->type_name("LANE");
    add_choice<PublicState>(command, "--state", "In this state; may be repeated",
                            [&criteria](PublicState state) { criteria.states.push_back(state); })
        ->type_name("STATE")
        ->trigger_on_parse();
    command.add_option("--kind", criteria.execution_kind, "Of this kind")->type_name("KIND");
    command.add_option("--namespace", criteria.namespace_name, "In this namespace")->type_name("NAMESPACE");
    const auto set_tag = [&criteria](const std::string& tag) {
        const auto equals = tag.find('=');
        if (equals == std::string::npos) throw CLI::ValidationError("--tag", "must be KEY=VALUE");
        criteria.tag_key = tag.substr(0, equals);
        criteria.tag_value = tag.substr(equals + 1);
    };
    command.add_option_function<std::string>("--tag", set_tag, "With this tag")->type_name("KEY=VALUE");
    const auto set_flow = [&criteria](const std::string& text) {
        const auto id = FlowId::parse(text);
        if (!id) throw CLI::ValidationError("--flow", text + " is not the id of a flow");
        criteria.flow_id = *id;
    };
    command.add_option_function<std::string>("--flow", set_flow, "Members of this flow")->type_name("ID");
    add_duration(command, "--newer-than", "Created within this time",
                 [&criteria](auto length) { criteria.created_after_ms = time_ago(length); });
    add_duration(command, "--older-than", "Created before this time",
                 [&criteria](auto length) { criteria.created_before_ms = time_ago(length); });
}

}  // namespace flowfabric::cli
