#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/common_options.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {

// What `--store`, FF_STORE or the file that FF_STORE_FILE names says, or the embedded file in the data directory, which
// may be missing: $FF_DATA_DIR, else $XDG_DATA_HOME/flowfabric, else ~/.local/share/flowfabric.
enum class DataDirectory : bool { leave, create };
Result<std::string> store_url(const StoreOptions& options, DataDirectory missing = DataDirectory::create);

// "sqlite", "postgres" or "memory".
std::string store_kind(std::string_view url);

// The URL without its password.
std::string store_for_display(std::string_view url);

// What is said about a `--store` with a password, which every user of the machine sees in `ps`; nothing about another.
std::optional<std::string> store_flag_warning(std::string_view url);

// Opens an engine with the master key of the environment.
enum class Reconcilers : bool { off, on };
Result<std::unique_ptr<Engine>> open_engine(const StoreOptions& options, Reconcilers reconcilers,
                                            EngineOptions engine = {});

// The same on a store that exists: it never makes a database.
Result<std::unique_ptr<Engine>> open_existing(const StoreOptions& options, Reconcilers reconcilers);

}  // namespace flowfabric::cli
