#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// The grammar of a program as data, for what is made of it: completion, the manual, suggestions.
namespace flowfabric::cli {

struct ListedOption {
    std::string name;                  // --NAME; of a positional without dashes
    std::string help;                  // on one line
    std::string value;                 // what it takes; empty: it is a flag
    std::vector<std::string> choices;  // the only values that it takes; none: any
    bool positional = false;
};

struct ListedCommand {
    std::string path;  // "flow show"; empty: the program itself
    std::string help;
    std::string footer;
    std::vector<std::string> commands;  // what may follow
    std::vector<ListedOption> options;
};

// The program and all of its commands, each behind the one that it belongs to.
std::vector<ListedCommand> list_commands(const CLI::App& app);

}  // namespace flowfabric::cli
