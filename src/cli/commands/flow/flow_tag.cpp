#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct FlowTagOptions {
    std::string id;
    std::string key;
    std::optional<std::string> value;  // absent: print it
};

Result<std::string> read_tag(Client& client, const FlowId& id, const std::string& key) {
    auto value = client.get_flow_tag(id, key);
    if (!value) return value.error();
    if (*value) return **std::move(value);
    const auto flow = client.describe_flow(id);
    if (!flow) return flow.error();
    return *flow ? invalid_input(key, "the flow has no such tag") : flow_not_found(id.to_string());
}

// The tag with its value, as it is now.
Result<SetFlowTag> set_or_read(const CommonOptions& common, const FlowTagOptions& options) {
    const auto id = flow_argument(options.id);
    if (!id) return id.error();
    const auto client = open_client(common);
    if (!client) return client.error();
    SetFlowTag tag{.flow_id = *id, .key = options.key, .value = options.value.value_or("")};
    if (options.value) {
        const auto set = (*client)->set_flow_tag(tag);
        if (!set) return set.error();
    } else {
        auto value = read_tag(**client, *id, options.key);
        if (!value) return value.error();
        tag.value = *std::move(value);
    }
    return tag;
}

int run_flow_tag(const CommonOptions& common, const FlowTagOptions& options) {
    const auto tag = set_or_read(common, options);
    if (!tag) return fail_with(tag.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*tag));
    } else {
        print_line(printable(tag->value));
    }
    return 0;
}

}  // namespace

void add_flow_tag(CommandTable& table, CLI::App& flow) {
    auto [command, options] = table.add_to(flow, "tag", "Print a tag of a flow, or set it", run_flow_tag);
    add_id(command, options.id, "The flow's id");
    command.add_option("key", options.key, "The tag's key, in the form owner.name")->required()->type_name("KEY");
    command.add_option("value", options.value, "What to set it to")->type_name("VALUE");
    add_examples(command, {"ff flow tag 01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69 team.name",
                           "ff flow tag 01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69 team.name blue"});
}

}  // namespace flowfabric::cli
