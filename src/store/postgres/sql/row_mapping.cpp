#include "store/postgres/sql/row_mapping.hpp"

namespace flowfabric::postgres {

void load_rows(const RowType& type, const Rows& rows, SideTables& into, DamageLog& damage) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
        try {
            CellsReader reader(rows, row);
            type.load(reader, into);
        } catch (const Failure& failure) {
            throw_unreadable(report_asked(damage, {std::string(type.table), key_of(type, rows, row), failure.what()}));
        }
    }
}

}  // namespace flowfabric::postgres
