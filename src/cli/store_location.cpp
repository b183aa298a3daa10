#include "cli/store_location.hpp"

#include <filesystem>
#include <system_error>

#include "cli/master_key.hpp"
#include "cli/secret_variable.hpp"

namespace flowfabric::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> data_directory() {
    if (auto path = environment("FF_DATA_DIR"); !path.empty()) return fs::path(std::move(path));
    if (auto path = environment("XDG_DATA_HOME"); !path.empty()) return fs::path(std::move(path)) / "flowfabric";
    if (auto path = environment("HOME"); !path.empty()) return fs::path(std::move(path)) / ".local/share/flowfabric";
    return invalid_input("store", "give --store, FF_STORE, FF_DATA_DIR or HOME to say where the data lives");
}

bool lacks_file(std::string_view url) {
    constexpr std::string_view scheme = "sqlite:";
    std::error_code ignored;
    return url.starts_with(scheme) && !fs::exists(url.substr(scheme.size()), ignored);
}

}  // namespace

Result<std::string> store_url(const StoreOptions& options, DataDirectory missing) {
    if (!options.store.empty()) return options.store;
    auto named = secret_of_environment("FF_STORE");
    if (!named) return named.error();
    if (*named) return std::move((*named)->text);
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

// A password that is not encoded may hold any character: all before the last @ may belong to it.
std::string store_for_display(std::string_view url) {
    std::string shown(url);
    const auto scheme = shown.find("://");
    const auto colon = shown.find(':', scheme == std::string::npos ? 0 : scheme + 1);
    const auto at = shown.rfind('@');
    if (colon < at && at != std::string::npos) shown.replace(colon + 1, at - colon - 1, "***");
    constexpr std::string_view keyword = "password=";
    for (auto found = shown.find(keyword); found != std::string::npos; found = shown.find(keyword, found + 1)) {
        const auto value = found + keyword.size();
        shown.replace(value, std::min(shown.find('&', value), shown.size()) - value, "***");
    }
    return shown;
}

std::optional<std::string> store_flag_warning(std::string_view url) {
    if (store_kind(url) != "postgres" || store_for_display(url) == url) return std::nullopt;
    return "every user of this machine sees the password of --store in `ps`; give the URL in FF_STORE, or in the file "
           "that FF_STORE_FILE names";
}

Result<std::unique_ptr<Engine>> open_existing(const StoreOptions& options, Reconcilers reconcilers) {
    auto key = master_key_of_environment();
    if (!key) return key.error();
    auto store = store_url(options, DataDirectory::leave);
    if (!store) return store.error();
    EngineOptions engine;
    engine.master_key_hex = *std::move(key);
    // Without a migration the store itself says what is missing.
    engine.migrate = options.migrate && !lacks_file(*store);
    engine.store = *std::move(store);
    engine.run_reconcilers = reconcilers == Reconcilers::on;
    return Engine::open(std::move(engine));
}

Result<std::unique_ptr<Engine>> open_engine(const StoreOptions& options, Reconcilers reconcilers,
                                            EngineOptions engine) {
    auto key = master_key_of_environment();
    if (!key) return key.error();
    engine.master_key_hex = *std::move(key);
    auto store = store_url(options);
    if (!store) return store.error();
    engine.store = *std::move(store);
    engine.migrate = options.migrate;
    engine.run_reconcilers = reconcilers == Reconcilers::on;
    return Engine::open(std::move(engine));
}

}  // namespace flowfabric::cli
