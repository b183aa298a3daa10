#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/command_table.hpp"
#include "cli/process/spawn.hpp"

namespace flowfabric::cli {
namespace {

// The benchmarks are a program of their own, which a server does without.
int run_bench(std::vector<std::string> arguments) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string program = self.parent_path() / "ff-bench";
    arguments.insert(arguments.begin(), program);
    execv(program.c_str(), c_strings(arguments).data());
    const int error = errno;
    if (error == ENOENT) {
        std::cerr << "ff bench: no ff-bench beside " << self.string() << "; script/bench builds it\n";
    } else {
        std::cerr << "ff bench: " << program << ": " << std::generic_category().message(error) << '\n';
    }
    return 1;
}

}  // namespace

void add_bench(CommandTable& table) {
    auto& command = table.add_plain(table.app(), "bench", "Measure a store with ff-bench",
                                    [&common = table.common()] { return run_bench(common.taken_as_they_are); });
    add_examples(command, {"ff bench drain --store sqlite:bench.db --tasks 20000"});
}

}  // namespace flowfabric::cli
