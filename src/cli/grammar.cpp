#include "cli/grammar.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/store_location.hpp"
#include "cli/text/duration.hpp"
#include "cli/text/nearest.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

void add_no_migrate(CLI::App& app, CommonOptions& common) {
    app.add_flag_callback(
        "--no-migrate", [&common] { common.store.migrate = false; },
        "Refuse an older schema instead of bringing it up to date");
}

// Parsed behind --json, with which standard error holds nothing but an error.
CLI::Option* add_store_url(CLI::App& app, CommonOptions& common) {
    const auto set_store = [&common](const std::string& url) {
        common.store.store = url;
        const auto warning = common.json ? std::nullopt : store_flag_warning(url);
        if (warning) std::cerr << "ff: warning: " << *warning << '\n';
    };
    return app
        .add_option_function<std::string>(
            "--store", set_store,
            "sqlite:PATH or postgres://…; by default what FF_STORE or the file that FF_STORE_FILE names holds, else\n"
            "flowfabric.db in the data directory")
        ->type_name("URL");
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, const std::string& help,
                          std::function<void(std::chrono::milliseconds)> store) {
    const auto parse = [name, store = std::move(store)](const std::string& text) {
        const auto duration = parse_duration(text);
        if (!duration) throw CLI::ValidationError(name, text + " is not a duration such as 500ms, 30s, 5m, 1h or 7d");
        store(*duration);
    };
    return app.add_option_function<std::string>(name, parse, help)->type_name("DURATION");
}

void add_json(CLI::App& app, bool& json) {
    app.add_flag("--json", json, "Print JSON for programs instead of tables");
    const auto choose = [](const std::string& name) {
        set_color(name == "always" ? Color::always : name == "never" ? Color::never : Color::automatic);
    };
    add_choice_of(app, "--color", "Colours: by default on a terminal, unless NO_COLOR is set",
                  {"auto", "always", "never"}, choose);
}

CLI::Option* add_store(CLI::App& app, CommonOptions& common) {
    add_json(app, common.json);
    return add_store_url(app, common);
}

CLI::Option* add_common(CLI::App& app, CommonOptions& common) {
    add_no_migrate(app, common);
    return add_store(app, common);
}

void add_place(CLI::App& app, CommonOptions& common) {
    add_no_migrate(app, common);
    add_json(app, common.json);
    auto* store = add_store_url(app, common);
    app.add_option("--server", common.server,
                   "http://HOST:PORT or https://HOST:PORT of a server to talk to instead; by default FF_SERVER.\n"
                   "FF_TOKEN, or the file that FF_TOKEN_FILE names, holds the token for it")
        ->type_name("URL")
        ->excludes(store);
}

CLI::Option* add_id(CLI::App& app, std::string& id, const std::string& help) {
    return app.add_option("id", id, help)->required()->type_name("ID");
}

CLI::Option* add_choice_of(CLI::App& app, const std::string& name, const std::string& help,
                           const std::vector<std::string>& names,
                           const std::function<void(const std::string&)>& store) {
    return app.add_option_function<std::string>(name, store, help)
        ->check(CLI::IsMember(names).description(""))
        ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

void add_channel(CLI::App& app, Channel& channel) {
    add_choice<Channel>(app, "--channel", "Which events", [&channel](Channel chosen) {
        channel = chosen;
    })->default_str("completion");
}

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help, Run& chosen, Run run) {
    auto& app = *parent.add_subcommand(name, help);
    // What is below it has been called instead, and comes first.
    app.callback([&app, &chosen, run = std::move(run)] {
        if (app.get_subcommands().empty()) chosen = run;
    });
    return app;
}

namespace {

constexpr int usage_error = 2;

std::vector<std::string> names_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* next : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(next->get_name());
    }
    return names;
}

// What is wrong with the words that name the command; empty: nothing.
std::string wrong_command(const CLI::App& app, int argc, char** argv) {
    const CLI::App* at = &app;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto names = names_below(*at);
        if (names.empty() || word.starts_with('-')) return {};
        if (std::ranges::find(names, word) == names.end()) {
            return "there is no command " + word + did_you_mean(word, names);
        }
        at = at->get_subcommand(word);
    }
    return {};
}

const CLI::App& called(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    return *at;
}

// What could have been meant by an argument that nothing takes; empty: who knows.
std::string hint_for(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : called(app).get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    for (const std::string& extra : app.remaining(true)) {
        const std::string word = extra.substr(0, extra.find('='));
        const auto meant = word.starts_with('-') ? nearest(word, names) : std::nullopt;
        if (meant) return "Did you mean " + *meant + "?\n";
    }
    return {};
}

}  // namespace

int parse_and_run(CLI::App& app, int argc, char** argv, const Run& chosen) {
    if (const auto wrong = wrong_command(app, argc, argv); !wrong.empty()) {
        std::cerr << app.get_name() << ": " << wrong << "\nRun with --help for more information.\n";
        return usage_error;
    }
    set_color(Color::automatic);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError& error) {
        app.exit(error);
        std::cerr << hint_for(app);
        return usage_error;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : usage_error;
    }
    return chosen();
}

int guarded_main(const char* program, int (*body)(int argc, char** argv), int argc, char** argv) {
    try {
        return body(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << program << ": internal: " << error.what() << '\n';
        return 1;
    }
}

}  // namespace flowfabric::cli
