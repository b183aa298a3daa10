#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<std::string> read_tag(Engine& engine, const FlowId& id, const std::string& key) {
    auto value = engine.get_flow_tag(id, key);
    if (!value) return value.error();
    if (*value) return **std::move(value);
    const auto flow = engine.describe_flow(id);
    if (!flow) return flow.error();
    return *flow ? invalid_input(key, "the flow has no such tag") : flow_not_found(id.to_string());
}

// The tag with its value, as it is now.
Result<SetFlowTag> set_or_read(const StoreOptions& store, const FlowTagOptions& options) {
    const auto id = flow_argument(options.id);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    SetFlowTag tag{.flow_id = *id, .key = options.key, .value = options.value.value_or("")};
    if (options.value) {
        const auto set = (*engine)->set_flow_tag(tag);
        if (!set) return set.error();
    } else {
        auto value = read_tag(**engine, *id, options.key);
        if (!value) return value.error();
        tag.value = *std::move(value);
    }
    return tag;
}

}  // namespace

int run_flow_tag(const CommonOptions& common, const FlowTagOptions& options) {
    const auto tag = set_or_read(common.store, options);
    if (!tag) return fail_with(tag.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*tag));
    } else {
        print_line(printable(tag->value));
    }
    return 0;
}

}  // namespace flowfabric::cli
