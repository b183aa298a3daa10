#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rows/columns.hpp"
#include "core/rows/side_tables.hpp"

// What stores know of the rows of side tables: descriptions, made once from what each row type says of itself. Code
// that walks them is compiled once, however many tables there are.
namespace flowfabric {

// A row or a key that belongs to a batch, to be written column by column.
struct RowRef {
    const void* fields = nullptr;
    void (*visit)(const void* fields, ColumnWriter& writer) = nullptr;

    void write(ColumnWriter& writer) const { visit(fields, writer); }
};

struct RowChanges {
    std::vector<RowRef> inserts;  // fail where a row is there already
    std::vector<RowRef> upserts;
    std::vector<RowRef> erased;  // keys
    std::vector<RowRef> cuts;    // of numbered rows: series, with the number up to which they go
};

struct RowType {
    std::string_view table;
    std::vector<ColumnDescription> columns;  // the key's first
    std::size_t key_size = 0;
    RowLock lock = RowLock::itself;
    bool owned = false;                  // by an execution, whose key its columns contain
    std::string_view loaded_where = {};  // SQL, from a column's name on: which rows an execution is loaded with
    std::string_view queue_column = {};  // of QueuedRows
    bool of_flow = false;
    bool of_group = false;
    bool of_source = false;
    bool in_series = false;               // its key's last column tells the place
    std::size_t series_size = 0;          // of NumberedRows: the columns of the key that name the series
    std::string_view number_column = {};  // likewise

    bool (*has_some)(const ExecutionRow& owner) = nullptr;  // of owned rows
    const RelatedRows& (*wanted)(const SideRowsWanted& all) = nullptr;
    std::vector<RowRef> (*wanted_keys)(const SideRowsWanted& all) = nullptr;
    bool (*wants_keys)(const SideRowsWanted& all) = nullptr;
    std::vector<RowRef> (*wanted_behind)(const SideRowsWanted& all) = nullptr;
    RowChanges (*changes)(const SideTables& all) = nullptr;
    bool (*changed)(const SideTables& all) = nullptr;

    void (*read)(ColumnReader& reader, void* row) = nullptr;  // into one of this type; refuses what is damaged
    void (*load)(ColumnReader& reader, SideTables& into) = nullptr;
    void (*check)(ColumnReader& reader) = nullptr;            // reads a row and drops it
    std::string (*read_key)(ColumnReader& reader) = nullptr;  // for people

    std::span<const ColumnDescription> key() const { return std::span(columns).first(key_size); }
};

// In the order in which tables are locked.
std::span<const RowType> side_row_types();

template <class Row>
const RowType& row_type() {
    return side_row_types()[side_table_position<Row>];
}

template <class Row>
Row read_row(ColumnReader& reader) {
    Row row;
    row_type<Row>().read(reader, &row);
    return row;
}

}  // namespace flowfabric
