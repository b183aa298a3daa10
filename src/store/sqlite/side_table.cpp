#include "store/sqlite/side_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/settings/store_settings.hpp"
#include "store/sqlite/statements.hpp"

namespace flowfabric::sqlite {
namespace {

using Columns = std::span<const ColumnDescription>;

template <class Render>
std::string each_column(Columns columns, std::string_view separator, Render&& render) {
    std::string text;
    for (const ColumnDescription& column : columns) {
        if (!text.empty()) text += separator;
        text += render(column.name);
    }
    return text;
}

std::string names_of(Columns columns) {
    return each_column(columns, ", ", [](const std::string& name) { return name; });
}

std::string matches(Columns columns) {
    return each_column(columns, " AND ", [](const std::string& name) { return name + " = ?"; });
}

// The series that the key is in, behind it.
std::string behind_in_series(Columns key) {
    const std::string& place = key.back().name;
    return " WHERE " + matches(key.first(key.size() - 1)) + " AND " + place + " > ? ORDER BY " + place + " LIMIT ?";
}

template <class Key>
std::string matches() {
    return matches(describe_columns<Key>());
}

std::string upsert(const RowType& type) {
    return "INSERT INTO " + std::string(type.table) + " (" + names_of(type.columns) + ") VALUES (" +
           each_column(type.columns, ", ", [](const std::string&) { return "?"; }) + ") ON CONFLICT (" +
           names_of(type.key()) + ") DO UPDATE SET " +
           each_column(type.columns, ", ", [](const std::string& name) { return name + " = excluded." + name; });
}

std::optional<Statement> prepare_if_any(const Database& database, const std::string& text) {
    if (text.empty()) return std::nullopt;
    return database.prepare(text);
}

}  // namespace

SideTexts SideTexts::of(const RowType& type) {
    const std::string select = statements::select_rows(type);
    const std::string remove = "DELETE FROM " + std::string(type.table) + " WHERE ";
    const std::string in_order = " ORDER BY ";
    SideTexts texts{.find = select + " WHERE " + matches(type.key()),
                    .list = select + in_order + names_of(type.key()),
                    .put = upsert(type),
                    .erase = remove + matches(type.key())};
    if (type.owned) {
        texts.read_owned = select + " WHERE " + matches<ExecutionKey>();
        texts.find_owned = texts.read_owned;
        if (!type.loaded_where.empty()) texts.find_owned += " AND " + std::string(type.loaded_where);
        texts.erase_owned = remove + matches<ExecutionKey>();
    }
    if (type.of_flow) texts.find_in_flow = select + " WHERE " + matches<FlowKey>();
    if (type.of_group) texts.find_in_group = select + " WHERE " + matches<GroupKey>();
    if (type.of_source) texts.find_from = select + " WHERE " + matches<SourceKey>();
    if (!type.queue_column.empty()) {
        texts.first = select + in_order + std::string(type.queue_column) + ", " + names_of(type.key()) + " LIMIT ?";
    }
    if (!type.number_column.empty()) {
        texts.cut =
            remove + matches(type.key().first(type.series_size)) + " AND " + std::string(type.number_column) + " <= ?";
    }
    if (type.in_series) texts.behind = select + behind_in_series(type.key());
    return texts;
}

SideTable::SideTable(const Database& database, const RowType& type, const SideTexts& texts)
    : type_(type),
      find_(database.prepare(texts.find)),
      list_(database.prepare(texts.list)),
      put_(database.prepare(texts.put)),
      erase_(database.prepare(texts.erase)),
      find_owned_(prepare_if_any(database, texts.find_owned)),
      read_owned_(prepare_if_any(database, texts.read_owned)),
      erase_owned_(prepare_if_any(database, texts.erase_owned)),
      find_in_flow_(prepare_if_any(database, texts.find_in_flow)),
      find_in_group_(prepare_if_any(database, texts.find_in_group)),
      find_from_(prepare_if_any(database, texts.find_from)),
      first_(prepare_if_any(database, texts.first)),
      behind_(prepare_if_any(database, texts.behind)),
      cut_(prepare_if_any(database, texts.cut)) {}

void SideTable::load(const SideRowsWanted& wanted, std::span<const ExecutionRow> executions, SideTables& into,
                     DamageLog& damage) {
    load_named(wanted, into, damage);
    for (const RowRef& key : type_.wanted_behind(wanted)) {
        Query query(*behind_);
        key.write(query.parameters());
        query.bind(std::int64_t{type_.wanted(wanted).piece});
        load_rows(query, into, damage);
    }
    if (!type_.owned) return;
    const auto& assumed = type_.wanted(wanted).owners;
    std::vector<ExecutionKey> owners;
    for (const ExecutionRow& row : executions) {
        if (type_.has_some(row) || std::ranges::binary_search(assumed, row.id)) owners.push_back({row.id});
    }
    load_of(find_owned_, owners, into, damage);
}

void SideTable::look(const SideRowsWanted& wanted, SideTables& into, DamageLog& damage) {
    const RelatedRows& related = type_.wanted(wanted);
    if (related.all) {
        Query query(list_);
        load_sound_rows(query, std::numeric_limits<std::size_t>::max(), into, damage);
        return;
    }
    load_sound_piece(first_, nullptr, related.first, into, damage);
    for (const RowRef& key : type_.wanted_behind(wanted)) load_sound_piece(behind_, &key, related.piece, into, damage);
    load_named(wanted, into, damage);
    std::vector<ExecutionKey> owners;
    owners.reserve(related.owners.size());
    for (const ExecutionId& owner : related.owners) owners.push_back({owner});
    load_of(read_owned_, owners, into, damage);
}

void SideTable::load_named(const SideRowsWanted& wanted, SideTables& into, DamageLog& damage) {
    const RelatedRows& related = type_.wanted(wanted);
    if (related.all) {
        Query query(list_);
        return load_rows(query, into, damage);
    }
    for (const RowRef& key : type_.wanted_keys(wanted)) {
        Query query(find_);
        key.write(query.parameters());
        load_rows(query, into, damage);
    }
    load_of(find_in_flow_, related.flows, into, damage);
    load_of(find_in_group_, related.groups, into, damage);
    load_of(find_from_, related.sources, into, damage);
}

// More are asked for until enough of them can be read.
void SideTable::load_sound_piece(std::optional<Statement>& statement, const RowRef* behind, std::uint32_t count,
                                 SideTables& into, DamageLog& damage) {
    for (std::int64_t asked = count; asked > 0; asked *= 2) {
        Query query(*statement);
        if (behind != nullptr) behind->write(query.parameters());
        query.bind(asked);
        const auto [sound, seen] = load_sound_rows(query, count, into, damage);
        if (sound == count || std::cmp_less(seen, asked)) return;
    }
}

template <class Key>
void SideTable::load_of(std::optional<Statement>& statement, const std::vector<Key>& keys, SideTables& into,
                        DamageLog& damage) {
    for (const Key& key : keys) {
        Query query(*statement);
        visit_columns(key, query.parameters());
        load_rows(query, into, damage);
    }
}

void SideTable::load_rows(Query& query, SideTables& into, DamageLog& damage) {
    while (query.next()) {
        try {
            type_.load(query.row(), into);
        } catch (const Fault& fault) {
            throw_unreadable(report_asked(damage, {std::string(type_.table), key_in(query), fault.what()}));
        }
    }
}

SideTable::Seen SideTable::load_sound_rows(Query& query, std::size_t most, SideTables& into, DamageLog& damage) {
    Seen rows;
    for (; rows.sound < most && query.next(); ++rows.all) {
        const bool sound = read_or_report<Fault>(
            damage, type_.table, [&] { return key_in(query); }, [&] { type_.load(query.row(), into); });
        if (sound) ++rows.sound;
    }
    return rows;
}

// Although the row may be damaged.
std::string SideTable::key_in(Query& query) const {
    return name_of_row(query, [&](Query& row) { return type_.read_key(row.row()); });
}

void SideTable::save(const SideTables& changes) {
    if (!type_.changed(changes)) return;
    const RowChanges rows = type_.changes(changes);
    run_for(put_, rows.inserts);
    run_for(put_, rows.upserts);
    run_for(erase_, rows.erased);
    if (cut_) run_for(*cut_, rows.cuts);
}

void SideTable::run_for(Statement& statement, const std::vector<RowRef>& rows) {
    for (const RowRef& row : rows) {
        Query query(statement);
        row.write(query.parameters());
        query.run();
    }
}

void SideTable::erase_owned(const ExecutionId& owner) {
    if (erase_owned_) Query(*erase_owned_, owner.partition, owner.uuid).run();
}

std::vector<SideTable> prepare_side_tables(const Database& database) {
    std::vector<SideTable> tables;
    tables.reserve(side_row_types().size());
    for (const RowType& type : side_row_types()) tables.emplace_back(database, type);
    return tables;
}

StoreSettings read_settings(std::vector<SideTable>& tables, DamageLog& damage) {
    SideRowsWanted wanted;
    wanted.of<SettingRow>().all = true;
    SideTables rows;
    tables[side_table_position<SettingRow>].look(wanted, rows, damage);
    return settings_of(rows.of<SettingRow>().rows());
}

Routes read_routes(Statement& list_routes, std::vector<SideTable>& tables, DamageLog& damage) {
    Routes routes = read_routes(list_routes, damage);
    routes.settings = read_settings(tables, damage);
    return routes;
}

}  // namespace flowfabric::sqlite
