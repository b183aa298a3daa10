#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/grammar.hpp"

// The commands of `ff`. Each stands in a file of its own: what it takes, how it is called, what it does.
namespace flowfabric::cli {

class CommandTable {
  public:
    // `program` is what the program was called as.
    CommandTable(CLI::App& app, std::string program) : app_(app), program_(std::move(program)) {}

    CLI::App& app() { return app_; }
    const std::string& program() const { return program_; }
    CommonOptions& common() { return common_; }
    Run& chosen() { return chosen_; }

    template <class Options>
    struct Added {
        CLI::App& command;
        Options& options;  // live as long as the table
    };

    // A command that takes --json and says what it talks to: a store or a server.
    template <class Options>
    Added<Options> add(const std::string& name, const std::string& help,
                       int (*run)(const CommonOptions&, const Options&)) {
        return add_to(app_, name, help, run);
    }
    // The same below a group.
    template <class Options>
    Added<Options> add_to(CLI::App& group, const std::string& name, const std::string& help,
                          int (*run)(const CommonOptions&, const Options&)) {
        const auto added = add_bare(group, name, help, run);
        add_place(added.command, common_);
        return added;
    }
    // A command that takes --json and talks to nothing.
    template <class Options>
    Added<Options> add_local(CLI::App& group, const std::string& name, const std::string& help,
                             int (*run)(const CommonOptions&, const Options&)) {
        const auto added = add_bare(group, name, help, run);
        add_json(added.command, common_.json);
        return added;
    }
    // A command that takes nothing which its file does not add.
    CLI::App& add_plain(CLI::App& group, const std::string& name, const std::string& help, Run run) {
        return add_command(group, name, help, chosen_, std::move(run));
    }
    // What stands in front of several commands, as `flow` does.
    CLI::App& add_group(const std::string& name, const std::string& help) {
        auto& group = *app_.add_subcommand(name, help);
        group.require_subcommand(1);
        return group;
    }

  private:
    template <class Options>
    Added<Options> add_bare(CLI::App& group, const std::string& name, const std::string& help,
                            int (*run)(const CommonOptions&, const Options&)) {
        const auto options = std::make_shared<Options>();
        auto& command = add_plain(group, name, help, [this, options, run] { return run(common_, *options); });
        return {command, *options};
    }

    CLI::App& app_;
    const std::string program_;
    CommonOptions common_;
    Run chosen_;
};

// Shows how a command is called, at the end of its help.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

// All commands. A new one is one line in commands.cpp.
void add_commands(CommandTable& table);

}  // namespace flowfabric::cli
