#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

int list(Engine& engine, bool as_json) {
    const auto keys = engine.list_signing_keys();
    if (!keys) return fail_with(keys.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"keys", api::to_json(*keys)}});
        return 0;
    }
    if (keys->empty()) {
        print_line("No signing keys.");
        return 0;
    }
    Table table({"kid", "state", "sealed", "rotated_at", "expires_at"});
    for (const auto& key : *keys) {
        table.add({printable(key.kid), std::string(to_string(key.state)), key.sealed ? "true" : "false",
                   iso_time(key.rotated_at_ms), iso_time(key.expires_at_ms)});
    }
    table.print();
    return 0;
}

int reseal_all(Engine& engine, bool as_json) {
    const auto resealed = engine.reseal_signing_keys();
    if (!resealed) return fail_with(resealed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*resealed));
    } else {
        print_line(fmt::format("sealed {} of {} secrets; the others were", resealed->resealed, resealed->keys));
    }
    return 0;
}

}  // namespace

int run_keys(const CommonOptions& common, bool reseal) {
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    return reseal ? reseal_all(**engine, common.json) : list(**engine, common.json);
}

}  // namespace flowfabric::cli
