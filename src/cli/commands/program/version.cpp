#include "cli/command_table.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

int run_version(bool json) {
    if (json) {
        print_json(boost::json::object{{"version", FF_VERSION}});
    } else {
        print_line("ff " FF_VERSION);
    }
    return 0;
}

}  // namespace

void add_version(CommandTable& table) {
    auto& command = table.add_plain(table.app(), "version", "Print the version",
                                    [&common = table.common()] { return run_version(common.json); });
    add_json(command, table.common().json);
    add_examples(command, {"ff version"});
}

}  // namespace flowfabric::cli
