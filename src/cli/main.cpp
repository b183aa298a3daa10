#include <algorithm>
#include <string_view>

#include "cli/command_table.hpp"

namespace flowfabric::cli {
namespace {

// What stands behind `worker … --` and `bench` is taken as it is: an argument in brackets would be parsed as a list.
int split_off_program(int argc, char** argv, std::vector<std::string>& program) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    char** end = argv + argc;
    if (command == "worker") {
        char** separator = std::find(argv, end, std::string_view("--"));
        if (separator != end) program.assign(separator + 1, end);
        end = separator;
    } else if (command == "bench") {
        program.assign(argv + 2, end);
        end = argv + 2;
    }
    return static_cast<int>(end - argv);
}

int main_with(int argc, char** argv) {
    CLI::App app("FlowFabric: durable executions on SQLite or PostgreSQL", "ff");
    app.require_subcommand(1);
    app.set_version_flag("--version", "ff " FF_VERSION);
    CommandTable table(app, argc > 0 ? argv[0] : "ff");
    add_commands(table);
    const int parsed = split_off_program(argc, argv, table.common().taken_as_they_are);
    return parse_and_run(app, parsed, argv, table.chosen());
}

}  // namespace
}  // namespace flowfabric::cli

int main(int argc, char** argv) {
    return flowfabric::cli::guarded_main("ff", flowfabric::cli::main_with, argc, argv);
}
