#include <sstream>

#include <fmt/format.h>

#include "cli/command_listing.hpp"
#include "cli/command_table.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

// Text as roff shows it: nothing in it is a request or an escape.
std::string roff(std::string_view text) {
    std::string safe;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) safe += "\\&";
        if (c == '\\') {
            safe += "\\e";
        } else if (c == '-') {
            safe += "\\-";
        } else {
            safe += c;
        }
        at_start = c == '\n';
    }
    return safe;
}

std::string synopsis_of(const ListedCommand& command) {
    std::string line = command.path;
    bool has_options = false;
    for (const auto& option : command.options) {
        if (option.positional) line += ' ' + option.value;
        has_options = has_options || !option.positional;
    }
    return line + (has_options ? " [options]" : "");
}

void add_section(const ListedCommand& command, std::string& page) {
    page += fmt::format(".SS \"ff {}\"\n{}.\n", roff(synopsis_of(command)), roff(command.help));
    for (const auto& option : command.options) {
        const auto value = option.value.empty() ? "" : ' ' + option.value;
        const auto name = option.positional ? option.value : option.name + value;
        page += fmt::format(".TP\n.B \"{}\"\n{}\n", roff(name), roff(option.help));
    }
    if (command.footer.empty()) return;
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
}

std::string manual_of(const CLI::App& app) {
    const auto commands = list_commands(app);
    std::string page = ".TH FF 1 \"\" \"FlowFabric " FF_VERSION "\" \"User Commands\"\n.SH NAME\n";
    page += fmt::format("ff \\- {}\n.SH SYNOPSIS\n.B ff\n.I COMMAND\n[options]\n.SH COMMANDS\n",
                        roff(app.get_description()));
    for (const auto& command : commands) {
        const bool is_group = !command.commands.empty() && command.options.size() <= 1;
        if (!is_group) add_section(command, page);
    }
    page +=
        ".SH ENVIRONMENT\n"
        ".TP\n.B FF_SERVER\nThe URL of a server to talk to.\n"
        ".TP\n.B FF_TOKEN, FF_TOKEN_FILE\nThe token for it, or the file that holds it.\n"
        ".TP\n.B FF_STORE, FF_STORE_FILE\n"
        "The URL of the store that commands without a server use, or the file that holds it.\n"
        ".TP\n.B FF_DATA_DIR\nWhere the embedded store is.\n"
        ".TP\n.B FF_MASTER_KEY, FF_MASTER_KEY_FILE\nThe key that encrypts signing secrets, or the file that holds it.\n"
        ".TP\n.B NO_COLOR\nSet: no colours, whatever the terminal can do.\n"
        ".SH EXIT STATUS\n0: done. 1: refused or failed, as standard error tells. 2: wrong usage.\n";
    return page;
}

}  // namespace

void add_man(CommandTable& table) {
    auto& command = table.add_plain(table.app(), "man", "Print the manual page", [&app = table.app()] {
        print_line(manual_of(app));
        return 0;
    });
    add_examples(command, {"ff man | man -l -", "ff man > /usr/local/share/man/man1/ff.1"});
}

}  // namespace flowfabric::cli
