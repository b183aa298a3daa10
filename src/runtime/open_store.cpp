#include "runtime/open_store.hpp"

#include "store/memory/backend.hpp"
#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"

namespace flowfabric {

Result<std::shared_ptr<Backend>> open_store(std::string_view url) {
    constexpr std::string_view sqlite_scheme = "sqlite:";
    if (url == "memory:") return memory::make_backend();
    if (url.starts_with(sqlite_scheme)) {
        const std::string_view path = url.substr(sqlite_scheme.size());
        if (path.empty()) return invalid_input("store", "sqlite: needs a path, as in sqlite:flowfabric.db");
        return sqlite::make_backend({.path = std::string(path)});
    }
    if (url.starts_with("postgres://") || url.starts_with("postgresql://")) {
        return postgres::make_backend({.url = std::string(url)});
    }
    return invalid_input("store", "expected sqlite:PATH, postgres://… or memory:");
}

}  // namespace flowfabric
