#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct SettingsOptions {
    std::optional<std::string> name;  // absent: list them
    std::string value;
};

int print_settings(Client& client, bool as_json) {
    const auto settings = client.list_settings();
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

int change_setting(Client& client, SetSetting command, bool as_json) {
    const auto changed = client.set_setting(std::move(command));
    if (!changed) return fail_with(changed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*changed));
        return 0;
    }
    print_line(fmt::format("{}: {} -> {}", changed->name, printable(changed->previous), printable(changed->value)));
    return 0;
}

int run_settings(const CommonOptions& common, const SettingsOptions& options) {
    const auto client = options.name ? open_client(common, Missing::create) : open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.name) return change_setting(**client, {.name = *options.name, .value = options.value}, common.json);
    return print_settings(**client, common.json);
}

}  // namespace

void add_settings(CommandTable& table) {
    auto [settings, list] =
        table.add("settings", "List the store's settings, which hold for every process", run_settings);
    settings.require_subcommand(0, 1);
    settings.footer(
        "A change holds at once, in every process that uses the store. A duration is 500ms, 30s, 5m, 1h, 7d, or 0;\n"
        "default_retry_policy is JSON as the retry_policy of an execution policy.");
    add_examples(settings, {"ff settings", "ff settings set execution_retention 30d"});
    auto [set, change] = table.add_to(settings, "set", "Change a setting", run_settings);
    set.add_option("name", change.name, "The setting's name")->required()->type_name("NAME");
    set.add_option("value", change.value, "Its new value")->required()->type_name("VALUE");
    add_examples(set, {"ff settings set execution_retention 30d"});
}

}  // namespace flowfabric::cli
