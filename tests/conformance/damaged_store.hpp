#pragma once

#include <sqlite3.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/live_store.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {

// A column of a table that engines keep rows in; of no primary key.
struct StoredColumn {
    std::string table;
    std::string name;
    std::string type;
};

// A store whose rows are changed behind the engine's back, as an operator with all rights could, without constraints.
class DamagedStore {
  public:
    explicit DamagedStore(const LiveStore& store, StoreKind kind) : kind_(kind) {
        if (kind == StoreKind::postgres) {
            session_ = std::make_unique<SqlSession>(store.url());
            session_->run(
                "DO $$ DECLARE c record; BEGIN FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint "
                "WHERE contype = 'c' AND conparentid = 0 AND conrelid::regclass::text LIKE 'ff\\_%' AND coninhcount = "
                "0 LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname); END LOOP; END $$");
        } else {
            sqlite3* raw = nullptr;
            sqlite3_open(store.url().substr(store.url().find(':') + 1).c_str(), &raw);
            file_.reset(raw);
            sqlite3_busy_timeout(raw, 10'000);
            execute("PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
        }
    }

    bool is_postgres() const { return kind_ == StoreKind::postgres; }

    void execute(const std::string& sql) {
        if (session_) {
            session_->run(sql);
            return;
        }
        char* message = nullptr;
        if (sqlite3_exec(file_.get(), sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
        const std::string failure = message == nullptr ? "" : message;
        sqlite3_free(message);
        if (sqlite3_get_autocommit(file_.get()) == 0) sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        throw std::runtime_error(sql + ": " + failure);
    }
    // Sets a column of these rows; tells how many of them are another than before, none where the schema refuses it.
    std::int64_t change(const StoredColumn& column, const std::string& value, const std::string& rows) {
        const std::string differs = is_postgres() ? " IS DISTINCT FROM (" : " IS NOT (";
        const std::string update = "UPDATE " + column.table + " SET " + column.name + " = " + value + " WHERE " + rows +
                                   " AND " + column.name + differs + value + ")";
        try {
            if (session_) {
                return std::stoll(
                    one_text("WITH changed AS (" + update + " RETURNING 1) SELECT count(*) FROM changed"));
            }
            execute(update);
            return sqlite3_changes(file_.get());
        } catch (const std::runtime_error&) {
            return 0;
        }
    }

    std::string literal(const Uuid& uuid) const {
        const std::string text = uuid.to_string();
        if (is_postgres()) return "'" + text + "'::uuid";
        std::string digits = text;
        std::erase(digits, '-');
        return "x'" + digits + "'";
    }

    std::vector<StoredColumn> columns() {
        std::istringstream lines(one_text(is_postgres() ? postgres_columns : sqlite_columns));
        std::vector<StoredColumn> found;
        for (StoredColumn column; lines >> column.table >> column.name >> column.type;) found.push_back(column);
        return found;
    }

    std::string one_text(const std::string& sql) {
        if (session_) return session_->run(sql);
        std::string text;
        const auto take = [](void* into, int, char** values, char**) {
            *static_cast<std::string*>(into) = values[0] == nullptr ? "" : values[0];
            return 0;
        };
        if (sqlite3_exec(file_.get(), sql.c_str(), take, &text, nullptr) != SQLITE_OK) {
            throw std::runtime_error(sql + ": " + sqlite3_errmsg(file_.get()));
        }
        return text;
    }

  private:
    // What all rows depend on, or no row at all, is left out.
    static constexpr const char* postgres_columns =
        "SELECT string_agg(c.relname || ' ' || a.attname || ' ' || t.typname, E'\\n' ORDER BY c.relname, a.attnum) "
        "FROM "
        "pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN "
        "pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary WHERE "
        "c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname LIKE 'ff\\_%' AND c.relkind IN "
        "('r', 'p') AND "
        "NOT c.relispartition AND c.relname NOT IN ('ff_partition_config', 'ff_migration_annotation', 'ff_outbox', "
        "'ff_writer', 'ff_lane_count') AND (i.indkey IS NULL OR NOT a.attnum = ANY (i.indkey::int2[]))";
    static constexpr const char* sqlite_columns =
        "SELECT group_concat(m.name || ' ' || p.name || ' ' || p.type, char(10)) FROM sqlite_schema AS m, "
        "pragma_table_info(m.name) AS p WHERE m.type = 'table' AND m.name LIKE 'ff\\_%' ESCAPE '\\' AND p.pk = 0 AND "
        "m.name NOT IN ('ff_partition_config', 'ff_migration_annotation', 'ff_outbox', 'ff_writer', 'ff_clock', "
        "'ff_lane_count')";

    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    };

    StoreKind kind_;
    std::unique_ptr<SqlSession> session_;
    std::unique_ptr<sqlite3, Close> file_;
};

}  // namespace flowfabric::test
