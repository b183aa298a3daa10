#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rows/row_type.hpp"
#include "store/sqlite/query.hpp"

namespace flowfabric::sqlite {

// What the statements of one side table say; empty where its rows have no such look-up.
struct SideTexts {
    std::string find, list, put, erase;
    std::string find_owned, read_owned, erase_owned;
    std::string find_in_flow, find_in_group, find_from, first, behind;
    std::string cut;

    static SideTexts of(const RowType& type);
};

// The rows of a query that can be read; the others are reported.
template <class Row>
Sight<Row> read_sound_rows(Query& query, DamageLog& damage) {
    const RowType& type = row_type<Row>();
    return read_sound<Row>(
        query, damage, type.table, [&](Query& row) { return type.read_key(row.row()); },
        [](Query& row) { return read_row<Row>(row.row()); });
}

// The statements of one side table, made from what its row type says.
class SideTable {
  public:
    SideTable(const Database& database, const RowType& type) : SideTable(database, type, SideTexts::of(type)) {}

    // What a batch asks for, and what the executions that it has loaded own. A damaged row fails whatever asks for it.
    void load(const SideRowsWanted& wanted, std::span<const ExecutionRow> executions, SideTables& into,
              DamageLog& damage);
    // For readers: what lists rows leaves damaged ones out.
    void look(const SideRowsWanted& wanted, SideTables& into, DamageLog& damage);

    void save(const SideTables& changes);
    // Of rows that an execution owns.
    void erase_owned(const ExecutionId& owner);

  private:
    struct Seen {
        std::size_t sound = 0;
        std::size_t all = 0;
    };

    SideTable(const Database& database, const RowType& type, const SideTexts& texts);

    void load_named(const SideRowsWanted& wanted, SideTables& into, DamageLog& damage);
    template <class Key>
    void load_of(std::optional<Statement>& statement, const std::vector<Key>& keys, SideTables& into,
                 DamageLog& damage);
    void load_rows(Query& query, SideTables& into, DamageLog& damage);
    void load_sound_piece(std::optional<Statement>& statement, const RowRef* behind, std::uint32_t count,
                          SideTables& into, DamageLog& damage);
    Seen load_sound_rows(Query& query, std::size_t most, SideTables& into, DamageLog& damage);
    std::string key_in(Query& query) const;
    static void run_for(Statement& statement, const std::vector<RowRef>& rows);

    const RowType& type_;
    Statement find_, list_, put_, erase_;
    std::optional<Statement> find_owned_, read_owned_, erase_owned_;
    std::optional<Statement> find_in_flow_, find_in_group_, find_from_, first_, behind_, cut_;
};

// One for each side table, in the order of side_row_types().
std::vector<SideTable> prepare_side_tables(const Database& database);

// One that cannot be read counts as not set.
StoreSettings read_settings(std::vector<SideTable>& tables, DamageLog& damage);
// Settings that are read behind their revision are no older than it.
Routes read_routes(Statement& list_routes, std::vector<SideTable>& tables, DamageLog& damage);

}  // namespace flowfabric::sqlite
