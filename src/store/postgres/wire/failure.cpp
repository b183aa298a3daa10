#include "store/postgres/wire/failure.hpp"

namespace flowfabric::postgres {

StoreFault fault_of(std::string_view sqlstate) {
    const auto is = [&](std::string_view prefix) { return sqlstate.starts_with(prefix); };

    // Serialization failure, deadlock, lock and statement timeout; a unique key that another writer took first; a
    // partition that another engine is adding.
    if (is("40") || is("55P03") || is("57014") || is("23505") || is("42P07")) return StoreFault::contention;
    if (is("42P01") || is("42703") || is("42883") || is("3F") || is("28") || is("42501"))
        return StoreFault::unavailable;
    if (is("22") || is("23") || is("54")) return StoreFault::data;
    if (is("53")) return StoreFault::exhausted;
    // Everything else (a server that went away or became read-only, a session that lost its statements or whose plans
    // went stale) is over with a new connection or not at all.
    return StoreFault::connection;
}

}  // namespace flowfabric::postgres
