#pragma once

#include <string>
#include <string_view>

namespace flowfabric {

// One numbered step of a schema, compiled in: the first is all of store/*/schema/, those that follow it are
// store/*/migrations/NNNN_name.sql.
struct Migration {
    int version;
    std::string_view name;
    std::string_view sql;
    // An engine without this step may go on using the database (its first line says `-- compatible`).
    bool backward_compatible;
};

// "0001_schema", as its file would be called.
std::string label_of(const Migration& migration);

}  // namespace flowfabric
