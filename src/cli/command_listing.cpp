#include "cli/command_listing.hpp"

#include <algorithm>
#include <sstream>

namespace flowfabric::cli {
namespace {

std::string on_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// Choices are written pause|resume; TEXT|@FILE|- names kinds of values instead.
std::vector<std::string> choices_in(const std::string& type_name) {
    if (type_name.find('|') == std::string::npos) return {};
    std::vector<std::string> choices;
    std::istringstream words(type_name);
    for (std::string word; std::getline(words, word, '|');) {
        const bool is_word = std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
        if (is_word) choices.push_back(word);
    }
    return choices;
}

ListedOption listed(const CLI::Option& option) {
    ListedOption entry;
    entry.positional = option.get_positional();
    entry.name = entry.positional ? option.get_name(true) : "--" + option.get_lnames().front();
    entry.help = on_one_line(option.get_description());
    if (option.get_items_expected_max() > 0) entry.value = option.get_type_name();
    entry.choices = choices_in(entry.value);
    return entry;
}

void add_commands_of(const CLI::App& app, const std::string& path, std::vector<ListedCommand>& all) {
    ListedCommand command{path, app.get_description(), app.get_footer(), {}, {}};
    const auto below = app.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* next : below) command.commands.push_back(next->get_name());
    for (const CLI::Option* option : app.get_options()) {
        const bool named = option->get_positional() || !option->get_lnames().empty();
        if (named) command.options.push_back(listed(*option));
    }
    all.push_back(std::move(command));
    for (const CLI::App* next : below) {
        add_commands_of(*next, path.empty() ? next->get_name() : path + ' ' + next->get_name(), all);
    }
}

}  // namespace

std::vector<ListedCommand> list_commands(const CLI::App& app) {
    std::vector<ListedCommand> all;
    add_commands_of(app, "", all);
    return all;
}

}  // namespace flowfabric::cli
