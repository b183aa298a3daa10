#pragma once

#include <string>
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

// "0001_initial", as the file is called.
std::string label_of(const Migration& migration);

}  // namespace flowfabric
