#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/common_options.hpp"

// What the command lines of our programs share. Only their main.cpp include it, for CLI11 is slow to compile.
namespace flowfabric::cli {

using Run = std::function<int()>;

CLI::Option* add_duration(CLI::App& app, const std::string& name, const std::string& help,
                          std::function<void(std::chrono::milliseconds)> store);
void add_json(CLI::App& app, bool& json);
CLI::Option* add_store(CLI::App& app, CommonOptions& common);
// The store, and whether it may be migrated.
CLI::Option* add_common(CLI::App& app, CommonOptions& common);
// `chosen` becomes `run` when this command is called.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help, Run& chosen, Run run);

// The exit code of what was chosen, or 2 for wrong usage.
int parse_and_run(CLI::App& app, int argc, char** argv, const Run& chosen);

// Runs a program: an unexpected exception is reported, with exit code 1.
int guarded_main(const char* program, int (*body)(int argc, char** argv), int argc, char** argv);

}  // namespace flowfabric::cli
