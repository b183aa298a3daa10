#pragma once

#include <string_view>

namespace flowfabric {

// One numbered schema step, compiled in from store/*/migrations/NNNN_name.sql.
struct Migration {
    int version;
    std::string_view name;
    std::string_view sql;
    // An engine without this step may go on using the database (its first line says `-- compatible`).
    bool backward_compatible;
};

}  // namespace flowfabric
