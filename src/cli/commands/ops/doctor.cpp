#include <algorithm>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

using Level = Finding::Level;

void print_findings(const std::vector<Finding>& findings) {
    Table table({"level", "check", "detail", "remedy"});
    for (const auto& finding : findings) {
        const std::string level(finding.level == Level::danger ? "DANGER" : to_string(finding.level));
        table.add({level, printable(finding.check), printable(finding.detail), printable(finding.remedy)});
    }
    table.print();
}

int run_doctor(const CommonOptions& common) {
    const auto store = store_url(common.store, DataDirectory::leave);
    if (!store) return fail_with(store.error(), common.json);
    const auto findings = examine(*store);
    if (!findings) return fail_with(findings.error(), common.json);

    if (common.json) {
        print_json(boost::json::object{
            {"version", FF_VERSION}, {"store", store_for_display(*store)}, {"findings", api::to_json(*findings)}});
    } else {
        print_line("ff " FF_VERSION " on " + store_for_display(*store) + "\n");
        print_findings(*findings);
    }
    return std::ranges::any_of(*findings, [](const Finding& f) { return f.level == Level::danger; }) ? 1 : 0;
}

}  // namespace

void add_doctor(CommandTable& table) {
    auto& command = table.add_plain(table.app(), "doctor", "Look at the store's health without changing anything",
                                    [&common = table.common()] { return run_doctor(common); });
    add_store(command, table.common());
    add_examples(command, {"ff doctor --store sqlite:flowfabric.db"});
}

}  // namespace flowfabric::cli
