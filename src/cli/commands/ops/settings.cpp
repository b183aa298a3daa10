#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

int print_settings(Engine& engine, bool as_json) {
    const auto settings = engine.list_settings();
    if (!settings) return fail_with(settings.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"settings", api::to_json(*settings)}});
        return 0;
    }
    Table table({"name", "value", "updated_at", "documentation"});
    for (const auto& setting : *settings) {
        table.add({setting.name, printable(setting.value),
                   setting.updated_at_ms ? iso_time(*setting.updated_at_ms) : "default", setting.documentation});
    }
    table.print();
    return 0;
}

int change_setting(Engine& engine, SetSetting command, bool as_json) {
    const auto changed = engine.set_setting(std::move(command));
    if (!changed) return fail_with(changed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*changed));
        return 0;
    }
    print_line(fmt::format("{}: {} -> {}", changed->name, printable(changed->previous), printable(changed->value)));
    return 0;
}

}  // namespace

int run_settings(const CommonOptions& common, const SettingsOptions& options) {
    const auto engine = options.name ? open_engine(common.store, Reconcilers::off) : open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    if (options.name) return change_setting(**engine, {.name = *options.name, .value = options.value}, common.json);
    return print_settings(**engine, common.json);
}

}  // namespace flowfabric::cli
