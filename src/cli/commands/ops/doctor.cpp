#include <algorithm>

#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

using Level = Finding::Level;

std::string_view name_of(Level level) {
    switch (level) {
        case Level::fine:
            return "ok";
        case Level::advice:
            return "advice";
        case Level::danger:
            break;
    }
    return "danger";
}

void print_findings(const std::vector<Finding>& findings) {
    Table table({"", "check", "detail", "remedy"});
    for (const auto& finding : findings) {
        const std::string level(finding.level == Level::danger ? "DANGER" : name_of(finding.level));
        table.add({level, printable(finding.check), printable(finding.detail), printable(finding.remedy)});
    }
    table.print();
}

boost::json::array json_of(const std::vector<Finding>& findings) {
    boost::json::array array;
    for (const auto& finding : findings) {
        array.push_back(boost::json::object{{"level", name_of(finding.level)},
                                            {"check", finding.check},
                                            {"detail", finding.detail},
                                            {"remedy", finding.remedy}});
    }
    return array;
}

}  // namespace

int run_doctor(const CommonOptions& common) {
    const auto store = store_url(common.store, DataDirectory::leave);
    if (!store) return fail_with(store.error(), common.json);
    const auto findings = examine(*store);
    if (!findings) return fail_with(findings.error(), common.json);

    if (common.json) {
        print_json(boost::json::object{
            {"version", FF_VERSION}, {"store", store_for_display(*store)}, {"findings", json_of(*findings)}});
    } else {
        print_line("ff " FF_VERSION " on " + store_for_display(*store) + "\n");
        print_findings(*findings);
    }
    return std::ranges::any_of(*findings, [](const Finding& f) { return f.level == Level::danger; }) ? 1 : 0;
}

}  // namespace flowfabric::cli
