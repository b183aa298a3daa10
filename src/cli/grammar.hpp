#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/common_options.hpp"
#include "flowfabric/events.hpp"

// What the command lines of our programs share.
namespace flowfabric::cli {

using Run = std::function<int()>;

CLI::Option* add_choice_of(CLI::App& app, const std::string& name, const std::string& help,
                           const std::vector<std::string>& names, const std::function<void(const std::string&)>& store);
CLI::Option* add_duration(CLI::App& app, const std::string& name, const std::string& help,
                          std::function<void(std::chrono::milliseconds)> store);
void add_json(CLI::App& app, bool& json);
CLI::Option* add_store(CLI::App& app, CommonOptions& common);
// The store, and whether it may be migrated.
CLI::Option* add_common(CLI::App& app, CommonOptions& common);
// What the command talks to.
void add_place(CLI::App& app, CommonOptions& common);
// The one execution, or flow, that the command is about.
CLI::Option* add_id(CLI::App& app, std::string& id, const std::string& help);
void add_channel(CLI::App& app, Channel& channel);
// What a long option may be set to, one of the names of E.
template <class E>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& help, std::function<void(E)> store) {
    const std::vector<std::string> names(enum_names<E>.begin(), enum_names<E>.end());
    return add_choice_of(app, name, help, names,
                         [store = std::move(store)](const std::string& chosen) { store(*parse_enum<E>(chosen)); });
}
// `chosen` becomes `run` when this command is called.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help, Run& chosen, Run run);

// The exit code of what was chosen, or 2 for wrong usage.
int parse_and_run(CLI::App& app, int argc, char** argv, const Run& chosen);

// Runs a program: an unexpected exception is reported, with exit code 1.
int guarded_main(const char* program, int (*body)(int argc, char** argv), int argc, char** argv);

}  // namespace flowfabric::cli
