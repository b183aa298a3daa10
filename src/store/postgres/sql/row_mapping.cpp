#include "store/postgres/sql/row_mapping.hpp"

namespace flowfabric::postgres {

void load_rows(const RowType& type, const Rows& rows, SideTables& into, DamageLog& damage) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
        try {
            CellsReader reader(rows, row);
            type.load(reader, into);
        } catch (const Failure& failure) {
            const std::string table(type.table);
            const std::string key = key_of(type, rows, row);
            damage.report({table, key, failure.what()});
            throw_unreadable(table + " " + key + ": " + failure.what());
        }
    }
}

}  // namespace flowfabric::postgres
