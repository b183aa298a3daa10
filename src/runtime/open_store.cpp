#include "runtime/open_store.hpp"

#include <algorithm>

#include "store/memory/backend.hpp"
#include "store/postgres/backend.hpp"
#include "store/sqlite/backend.hpp"

namespace flowfabric {
namespace {

// More than one @ before the query, or one behind the authority.
bool has_unencoded_password(std::string_view url) {
    const std::string_view rest = url.substr(url.find("://") + 3);
    const auto authority = std::ranges::count(rest.substr(0, rest.find_first_of("/?#")), '@');
    return authority > 1 || std::ranges::count(rest.substr(0, rest.find('?')), '@') > authority;
}

}  // namespace

bool is_postgres(std::string_view url) {
    return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

Result<std::shared_ptr<Backend>> open_store(std::string_view url) {
    constexpr std::string_view sqlite_scheme = "sqlite:";
    if (url == "memory:") return memory::make_backend();
    if (url.starts_with(sqlite_scheme)) {
        const std::string_view path = url.substr(sqlite_scheme.size());
        if (path.empty()) return invalid_input("store", "sqlite: needs a path, as in sqlite:flowfabric.db");
        // As a URL it names a host, where a path was meant.
        if (path.starts_with("//") && !path.starts_with("///")) {
            const std::string meant(path.substr(2));
            return invalid_input("store", std::string(url) + " has two slashes: write sqlite:/" + meant +
                                              " from the root, or sqlite:" + meant + " from here");
        }
        return sqlite::make_backend({.path = std::string(path)});
    }
    if (is_postgres(url)) {
        // Such a password ends up in the host or the name of the database, and with them in messages.
        if (has_unencoded_password(url)) {
            return invalid_input("store", "percent-encode the characters / ? # @ in the URL's user and password");
        }
        return postgres::make_backend({.url = std::string(url)});
    }
    return invalid_input("store", "expected sqlite:PATH, postgres://… or memory:");
}

}  // namespace flowfabric
