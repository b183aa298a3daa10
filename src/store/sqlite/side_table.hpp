#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/rows/row_check.hpp"
#include "core/rows/side_tables.hpp"
#include "store/sqlite/query.hpp"

namespace flowfabric::sqlite {

// What the statements of one side table say; empty where its rows have no such look-up.
struct SideTexts {
    std::string find, list, put, erase;
    std::string find_owned, read_owned, erase_owned;
    std::string find_in_flow, find_in_group, find_from, first;
};

// The statements of one side table, made from what its row type says.
template <class Row>
class SideTable {
  public:
    explicit SideTable(const Database& database) : SideTable(database, texts()) {}

    static SideTexts texts() {
        SideTexts texts{.find = select() + " WHERE " + matches<typename Row::Key>(),
                        .list = select() + " ORDER BY " + names<typename Row::Key>(),
                        .put = upsert(),
                        .erase = "DELETE FROM " + table() + " WHERE " + matches<typename Row::Key>()};
        if constexpr (OwnedRow<Row>) {
            texts.find_owned = select() + " WHERE " + matches<ExecutionKey>() + loaded();
            texts.read_owned = select() + " WHERE " + matches<ExecutionKey>();
            texts.erase_owned = "DELETE FROM " + table() + " WHERE " + matches<ExecutionKey>();
        }
        if constexpr (FlowRows<Row>) texts.find_in_flow = select() + " WHERE " + matches<FlowKey>();
        if constexpr (GroupRows<Row>) texts.find_in_group = select() + " WHERE " + matches<GroupKey>();
        if constexpr (SourceRows<Row>) texts.find_from = select() + " WHERE " + matches<SourceKey>();
        if constexpr (QueuedRow<Row>) {
            texts.first = select() + " ORDER BY " + std::string(Row::queue_column) + ", " + names<typename Row::Key>() +
                          " LIMIT ?";
        }
        return texts;
    }

    // A damaged row fails whatever asks for it.
    void load(const RowsWanted<Row>& wanted, RowTable<Row>& into, DamageLog& damage) {
        if (wanted.all) {
            for (Query query(list_); query.next();) into.load(read_named(query, damage));
            return;
        }
        for (const auto& key : wanted.keys) load_matching(find_, key, into, damage);
        for (const auto& flow : wanted.flows) load_matching(*find_in_flow_, flow, into, damage);
        for (const auto& group : wanted.groups) load_matching(*find_in_group_, group, into, damage);
        for (const auto& source : wanted.sources) load_matching(*find_from_, source, into, damage);
    }

    // For readers: what lists rows leaves damaged ones out.
    void look(const RowsWanted<Row>& wanted, RowTable<Row>& into, DamageLog& damage) {
        const auto take = [&](std::vector<Row> rows) {
            for (Row& row : rows) into.load(std::move(row));
        };
        if (wanted.all) {
            Query query(list_);
            return take(read_sound_rows(query, damage).rows);
        }
        if (wanted.first > 0) {
            take(whole_page(wanted.first, [&](std::int64_t limit) {
                Query query(*first_, limit);
                return read_sound_rows(query, damage);
            }));
        }
        load(wanted, into, damage);
        for (const ExecutionId& owner : wanted.owners) load_matching(*read_owned_, ExecutionKey{owner}, into, damage);
    }

    static Sight<Row> read_sound_rows(Query& query, DamageLog& damage) {
        return read_sound<Row>(query, damage, Row::table, key_of, read);
    }

    void load_owned(const ExecutionId& owner, RowTable<Row>& into, DamageLog& damage) {
        load_matching(*find_owned_, ExecutionKey{owner}, into, damage);
    }

    void save(const RowTable<Row>& table) {
        for (const Row& row : table.puts()) {
            Query query(put_);
            bind(query, row);
            query.run();
        }
        for (const auto& key : table.erased()) {
            Query query(erase_);
            bind(query, key);
            query.run();
        }
    }

    void erase_owned(const ExecutionId& owner) { Query(*erase_owned_, owner.partition, owner.uuid).run(); }

    static std::string select() { return "SELECT " + names<Row>() + " FROM " + table(); }

    static Row read(Query& query) {
        Row row;
        visit_columns(row, [&](const char*, auto& field) { query.read(field); });
        if constexpr (requires { damage_in(row); }) {
            if (auto damage = damage_in(row)) throw_unreadable(std::move(*damage));
        }
        return row;
    }

    static std::string key_of(Query& query) {
        typename Row::Key key;
        visit_columns(key, [&](const char*, auto& field) { query.read(field); });
        return key_text(key);
    }

  private:
    SideTable(const Database& database, const SideTexts& texts)
        : find_(database.prepare(texts.find)),
          list_(database.prepare(texts.list)),
          put_(database.prepare(texts.put)),
          erase_(database.prepare(texts.erase)),
          find_owned_(prepare_if_any(database, texts.find_owned)),
          read_owned_(prepare_if_any(database, texts.read_owned)),
          erase_owned_(prepare_if_any(database, texts.erase_owned)),
          find_in_flow_(prepare_if_any(database, texts.find_in_flow)),
          find_in_group_(prepare_if_any(database, texts.find_in_group)),
          find_from_(prepare_if_any(database, texts.find_from)),
          first_(prepare_if_any(database, texts.first)) {}

    static std::optional<Statement> prepare_if_any(const Database& database, const std::string& text) {
        if (text.empty()) return std::nullopt;
        return database.prepare(text);
    }

    static std::string loaded() {
        if constexpr (requires { Row::loaded_where; }) {
            return " AND " + std::string(Row::loaded_where);
        } else {
            return "";
        }
    }

    static std::string table() { return std::string(Row::table); }

    template <class Part, class Render>
    static std::string each_column(std::string_view separator, Render&& render) {
        std::string text;
        const Part part{};
        visit_columns(part, [&](const std::string& name, const auto&) {
            if (!text.empty()) text += separator;
            text += render(name);
        });
        return text;
    }

    template <class Part>
    static std::string names() {
        return each_column<Part>(", ", [](const std::string& name) { return name; });
    }

    template <class Part>
    static std::string matches() {
        return each_column<Part>(" AND ", [](const std::string& name) { return name + " = ?"; });
    }

    static std::string upsert() {
        return "INSERT INTO " + table() + " (" + names<Row>() + ") VALUES (" +
               each_column<Row>(", ", [](const std::string&) { return "?"; }) + ") ON CONFLICT (" +
               names<typename Row::Key>() + ") DO UPDATE SET " +
               each_column<Row>(", ", [](const std::string& name) { return name + " = excluded." + name; });
    }

    template <class Part>
    static void load_matching(Statement& statement, const Part& part, RowTable<Row>& into, DamageLog& damage) {
        Query query(statement);
        bind(query, part);
        while (query.next()) into.load(read_named(query, damage));
    }

    static Row read_named(Query& query, DamageLog& damage) {
        try {
            return read(query);
        } catch (const Fault& fault) {
            const std::string key = name_of_row(query, key_of);
            damage.report({table(), key, fault.what()});
            throw_unreadable(table() + " " + key + ": " + fault.what());
        }
    }

    template <class Part>
    static void bind(Query& query, const Part& part) {
        visit_columns(part, [&](const char*, const auto& field) { query.bind(field); });
    }

    Statement find_, list_, put_, erase_;
    std::optional<Statement> find_owned_, read_owned_, erase_owned_;
    std::optional<Statement> find_in_flow_, find_in_group_, find_from_, first_;
};

// One that cannot be read counts as not set.
inline StoreSettings read_settings(SideTable<SettingRow>& settings, DamageLog& damage) {
    RowTable<SettingRow> rows;
    settings.look({.all = true}, rows, damage);
    return settings_of(rows.rows());
}

// Settings that are read behind their revision are no older than it.
inline Routes read_routes(Statement& list_routes, SideTable<SettingRow>& settings, DamageLog& damage) {
    Routes routes = read_routes(list_routes, damage);
    routes.settings = read_settings(settings, damage);
    return routes;
}

}  // namespace flowfabric::sqlite
