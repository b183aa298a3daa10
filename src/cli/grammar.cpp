#include "cli/grammar.hpp"

#include <exception>
#include <iostream>
#include <utility>

#include "cli/text/duration.hpp"

namespace flowfabric::cli {
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
}

CLI::Option* add_store(CLI::App& app, CommonOptions& common) {
    add_json(app, common.json);
    // The environment gives every command's option its value, also of those that were not called.
    const auto set_store = [&app, &common](const std::string& url) {
        if (app.parsed()) common.store.store = url;
    };
    return app
        .add_option_function<std::string>("--store", set_store,
                                          "sqlite:PATH or postgres://…; by default flowfabric.db in the data directory")
        ->envname("FF_STORE")
        ->type_name("URL");
}

CLI::Option* add_common(CLI::App& app, CommonOptions& common) {
    app.add_flag_callback(
        "--no-migrate", [&common] { common.store.migrate = false; },
        "Refuse an older schema instead of bringing it up to date");
    return add_store(app, common);
}

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help, Run& chosen, Run run) {
    auto& app = *parent.add_subcommand(name, help);
    app.callback([&chosen, run = std::move(run)] { chosen = run; });
    return app;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const Run& chosen) {
    constexpr int usage_error = 2;
    try {
        app.parse(argc, argv);
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
