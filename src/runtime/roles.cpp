#include "flowfabric/roles.hpp"

#include "runtime/open_store.hpp"
#include "store/fault.hpp"
#include "store/postgres/backend.hpp"

namespace flowfabric {

Result<std::vector<std::string>> create_roles(const std::string& store) {
    if (!is_postgres(store)) return invalid_input("store", "only PostgreSQL has roles");
    auto created = postgres::create_roles(store);
    if (!created) return to_engine_error(created.error());
    return std::move(*created);
}

}  // namespace flowfabric
