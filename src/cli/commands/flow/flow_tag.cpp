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

// The tag's value, as it is now.
Result<std::string> set_or_read(const StoreOptions& store, const FlowTagOptions& options) {
    const auto id = flow_argument(options.id);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    if (!options.value) return read_tag(**engine, *id, options.key);
    const auto set = (*engine)->set_flow_tag({.flow_id = *id, .key = options.key, .value = *options.value});
    if (!set) return set.error();
    return *options.value;
}

}  // namespace

int run_flow_tag(const CommonOptions& common, const FlowTagOptions& options) {
    const auto value = set_or_read(common.store, options);
    if (!value) return fail_with(value.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"id", options.id}, {"key", options.key}, {"value", *value}});
    } else {
        print_line(printable(*value));
    }
    return 0;
}

}  // namespace flowfabric::cli
