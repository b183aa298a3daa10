#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_listing.hpp"
#include "cli/command_table.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

// A word in single quotes, as every shell takes it.
std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::vector<std::string> words_after(const ListedCommand& command) {
    std::vector<std::string> words = command.commands;
    for (const auto& option : command.options) {
        if (option.positional) {
            words.insert(words.end(), option.choices.begin(), option.choices.end());
        } else {
            words.push_back(option.name);
        }
    }
    return words;
}

std::string paths_of(const std::vector<ListedCommand>& commands, const char* separator) {
    std::string paths;
    for (const auto& command : commands) {
        if (!command.path.empty()) paths += (paths.empty() ? "" : separator) + quoted(command.path);
    }
    return paths;
}

// What bash and zsh have in common; what a value may be that has no choices, `files` completes.
// `at` becomes the command so far, then the words that may follow are looked up.
std::string cases_of(const std::vector<ListedCommand>& commands, const std::string& give, const std::string& files) {
    std::string text = "    case \"$at:$prev\" in\n";
    for (const auto& command : commands) {
        for (const auto& option : command.options) {
            if (option.positional || option.value.empty()) continue;
            const auto words =
                option.choices.empty() ? files : give + fmt::format(" {}", fmt::join(option.choices, " "));
            text += fmt::format("        {}) {}; return ;;\n", quoted(command.path + ':' + option.name), words);
        }
    }
    text += "    esac\n    case \"$at\" in\n";
    for (const auto& command : commands) {
        text += fmt::format("        {}) {} {} ;;\n", quoted(command.path), give, fmt::join(words_after(command), " "));
    }
    return text + "    esac\n";
}

std::string bash_completion(const std::vector<ListedCommand>& commands) {
    return "_ff_words() { COMPREPLY=($(compgen -W \"$*\" -- \"$cur\")); }\n"
           "_ff() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at= word\n"
           "    COMPREPLY=()\n"
           "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "        case \"${at:+$at }$word\" in\n"
           "            " +
           paths_of(commands, "|") +
           ") at=\"${at:+$at }$word\" ;;\n"
           "        esac\n"
           "    done\n" +
           cases_of(commands, "_ff_words", ":") +
           "}\n"
           "complete -o default -F _ff ff\n";
}

std::string zsh_completion(const std::vector<ListedCommand>& commands) {
    return "#compdef ff\n"
           "_ff() {\n"
           "    local prev=${words[CURRENT-1]} at= word\n"
           "    for word in ${words[2,CURRENT-1]}; do\n"
           "        case \"${at:+$at }$word\" in\n"
           "            (" +
           paths_of(commands, "|") +
           ") at=\"${at:+$at }$word\" ;;\n"
           "        esac\n"
           "    done\n" +
           cases_of(commands, "compadd --", "_files") +
           "    _files\n"
           "}\n"
           "compdef _ff ff\n";
}

std::string fish_completion(const std::vector<ListedCommand>& commands) {
    std::string text =
        "function __ff_at\n"
        "    set -l at\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        set -l next (string trim \"$at $word\")\n"
        "        contains -- $next " +
        paths_of(commands, " ") +
        "; and set at $next\n"
        "    end\n"
        "    test \"$at\" = \"$argv[1]\"\n"
        "end\n";
    for (const auto& command : commands) {
        const auto line = fmt::format("complete -c ff -n '__ff_at \"{}\"'", command.path);
        for (const auto& next : command.commands) text += fmt::format("{} -f -a {}\n", line, next);
        for (const auto& option : command.options) {
            const auto choices = fmt::format("{}", fmt::join(option.choices, " "));
            if (option.positional) {
                if (!choices.empty()) text += fmt::format("{} -f -a {}\n", line, quoted(choices));
                continue;
            }
            text += fmt::format("{} -l {}", line, option.name.substr(2));
            if (!option.value.empty()) text += " -r";
            if (!choices.empty()) text += fmt::format(" -f -a {}", quoted(choices));
            text += fmt::format(" -d {}\n", quoted(option.help));
        }
    }
    return text;
}

int run_completion(const CLI::App& app, const std::string& shell) {
    const auto commands = list_commands(app);
    print_line(shell == "bash"  ? bash_completion(commands)
               : shell == "zsh" ? zsh_completion(commands)
                                : fish_completion(commands));
    return 0;
}

}  // namespace

void add_completion(CommandTable& table) {
    const auto shell = std::make_shared<std::string>();
    auto& command = table.add_plain(table.app(), "completion", "Print what makes a shell complete these commands",
                                    [&app = table.app(), shell] { return run_completion(app, *shell); });
    add_choice_of(command, "shell", "Which shell", {"bash", "zsh", "fish"}, [shell](const std::string& name) {
        *shell = name;
    })->required();
    add_examples(command, {"source <(ff completion bash)", "ff completion zsh > ~/.zfunc/_ff",
                           "ff completion fish > ~/.config/fish/completions/ff.fish"});
}

}  // namespace flowfabric::cli
