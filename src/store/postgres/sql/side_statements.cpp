#include "store/postgres/sql/side_statements.hpp"

#include <vector>

namespace flowfabric::postgres {
namespace {

// By the keys of the rows themselves, or of what they belong to. A batch adds `further` to what readers ask.
SideLookup lookup(const RowType& type, const std::string& name, const sql::Columns& key, const std::string& further) {
    const std::string table(type.table);
    const std::string selected = sql::names(sql::columns_of(type.columns), "e.");
    const auto select = [&](const std::string& end) {
        return [&, end](Shape shape) { return sql::select_by_key(selected, table, key, shape, end); };
    };
    return {.find = lookup_statement("find_" + name + table, select(further)),
            .read = lookup_statement("read_" + name + table, select(""))};
}

// The series that the key is in, behind it.
std::string behind_in_series(const sql::Columns& key) {
    const auto parameter = [&](std::size_t i) { return " $" + std::to_string(i + 1) + "::" + key[i].type; };
    std::string condition = " WHERE ";
    const std::size_t last = key.size() - 1;
    for (std::size_t i = 0; i < last; ++i) condition += "e." + key[i].name + " =" + parameter(i) + " AND ";
    const std::string place = "e." + key[last].name;
    return condition + place + " >" + parameter(last) + " ORDER BY " + place + " LIMIT $" +
           std::to_string(key.size() + 1) + "::bigint";
}

// A series' rows up to a number. The rows, or what they belong to, are locked.
std::string delete_up_to(const RowType& type) {
    const std::string table(type.table);
    const auto series = sql::columns_of(type.key().first(type.series_size));
    sql::Columns cut = series;
    cut.push_back({"through", "bigint"});
    return "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT f.ctid FROM " + sql::rows(cut) +
           " CROSS JOIN LATERAL (SELECT e.ctid FROM " + table + " AS e WHERE " + sql::matching(series) + " AND e." +
           std::string(type.number_column) + " <= u.through OFFSET 0) AS f))";
}

SideStatements make_side_statements(const RowType& type) {
    const std::string table(type.table);
    const auto columns = sql::columns_of(type.columns);
    const auto key = sql::columns_of(type.key());
    const std::string selected = sql::names(columns, "e.");
    const std::string lock = type.lock == RowLock::covered_by_parent ? "" : " FOR UPDATE OF e";
    const auto insert = [=](const ColumnSet& shared) { return sql::insert(table, columns, shared); };
    const auto upsert = [=](const ColumnSet& shared) { return sql::upsert(table, columns, key, shared); };
    SideStatements statements{
        .by_key = lookup(type, "", key, lock),
        .by_owner = {},
        .by_flow = {},
        .by_group = {},
        .by_source = {},
        .read_all = {"read_all_" + table,
                     "SELECT " + selected + " FROM " + table + " AS e ORDER BY " + sql::names(key)},
        .read_first = {},
        .read_behind = {},
        .lock_all = {"lock_" + table, "LOCK TABLE " + table + " IN EXCLUSIVE MODE"},
        .insert = {"insert_" + table, columns.size(), insert},
        .upsert = {"upsert_" + table, columns.size(), upsert},
        .erase = {"erase_" + table, sql::delete_by_key(table, key)},
        .erase_owned = {},
        .cut = {},
    };
    if (type.owned) {
        const std::string loaded = type.loaded_where.empty() ? "" : " AND e." + std::string(type.loaded_where);
        statements.by_owner = lookup(type, "owned_", sql::execution_key, loaded);
        statements.erase_owned = {"erase_owned_" + table, sql::delete_by_key(table, sql::execution_key)};
    }
    if (!type.number_column.empty()) statements.cut = {"cut_" + table, delete_up_to(type)};
    if (!type.queue_column.empty()) {
        statements.read_first = {"read_first_" + table, "SELECT " + selected + " FROM " + table + " AS e ORDER BY e." +
                                                            std::string(type.queue_column) + ", " +
                                                            sql::names(key, "e.") + " LIMIT $1::bigint"};
    }
    if (type.in_series) {
        statements.read_behind = {"read_behind_" + table,
                                  "SELECT " + selected + " FROM " + table + " AS e" + behind_in_series(key)};
    }
    // In the order of their own keys, in which every transaction locks them.
    const std::string in_turn = sql::in_order_of(key) + lock;
    if (type.of_flow) statements.by_flow = lookup(type, "in_flow_", sql::columns_of<FlowKey>(), in_turn);
    if (type.of_group) statements.by_group = lookup(type, "in_group_", sql::columns_of<GroupKey>(), in_turn);
    if (type.of_source) statements.by_source = lookup(type, "from_", sql::columns_of<SourceKey>(), in_turn);
    return statements;
}

std::vector<SideStatements> make_all() {
    std::vector<SideStatements> all;
    for (const RowType& type : side_row_types()) all.push_back(make_side_statements(type));
    return all;
}

}  // namespace

const SideStatements& side_statements(const RowType& type) {
    static const std::vector<SideStatements> all = make_all();
    return all[static_cast<std::size_t>(&type - side_row_types().data())];
}

}  // namespace flowfabric::postgres
