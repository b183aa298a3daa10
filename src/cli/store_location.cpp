#include "cli/store_location.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace flowfabric::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

Result<fs::path> data_directory() {
    if (auto path = environment("FF_DATA_DIR"); !path.empty()) return fs::path(std::move(path));
    if (auto path = environment("XDG_DATA_HOME"); !path.empty()) return fs::path(std::move(path)) / "flowfabric";
    if (auto path = environment("HOME"); !path.empty()) return fs::path(std::move(path)) / ".local/share/flowfabric";
    return invalid_input("store", "give --store, FF_STORE, FF_DATA_DIR or HOME to say where the data lives");
}

}  // namespace

Result<std::string> store_url(const StoreOptions& options, DataDirectory missing) {
    if (!options.store.empty()) return options.store;
    auto directory = data_directory();
    if (!directory) return directory.error();
    std::error_code error;
    if (missing == DataDirectory::create) fs::create_directories(*directory, error);
    if (error) return invalid_input(directory->string(), error.message());
    return "sqlite:" + (*directory / "flowfabric.db").string();
}

std::string store_kind(std::string_view url) {
    const auto scheme = url.substr(0, url.find(':'));
    return scheme == "postgresql" ? "postgres" : std::string(scheme);
}

std::string store_for_display(std::string_view url) {
    std::string shown(url);
    if (const auto scheme = shown.find("://"); scheme != std::string::npos) {
        const auto authority = scheme + 3;
        const auto at = shown.rfind('@', shown.find_first_of("/?", authority));
        const auto colon = shown.find(':', authority);
        if (at != std::string::npos && at > authority && colon < at) shown.replace(colon + 1, at - colon - 1, "***");
    }
    if (const auto password = shown.find("password="); password != std::string::npos) {
        const auto value = password + std::string_view("password=").size();
        shown.replace(value, std::min(shown.find('&', value), shown.size()) - value, "***");
    }
    return shown;
}

Result<std::unique_ptr<Engine>> open_engine(const StoreOptions& options, Reconcilers reconcilers,
                                            EngineOptions engine) {
    auto store = store_url(options);
    if (!store) return store.error();
    engine.store = *std::move(store);
    engine.migrate = options.migrate;
    engine.run_reconcilers = reconcilers == Reconcilers::on;
    return Engine::open(std::move(engine));
}

}  // namespace flowfabric::cli
