#include "store/postgres/health/examine.hpp"
#include "store/free_space.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>

#include "core/execution/stored_policy.hpp"
#include "core/rows/event_rows.hpp"
#include "store/postgres/health/health.hpp"
#include "store/postgres/migrations.hpp"
#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "store/postgres/sql/statements.hpp"
#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {
namespace {

using Level = Finding::Level;

struct Setting {
    std::string_view name;
    std::string_view wanted;
    Level otherwise;
    std::string_view danger;
    std::string_view remedy = {};  // empty: set it
};

// Each session sets synchronous_commit itself; these are the server's alone.
constexpr auto expected_settings = std::to_array<Setting>({
    {"fsync", "on", Level::danger, "a crash of the machine can corrupt the database"},
    {"full_page_writes", "on", Level::danger, "a crash of the machine can leave torn pages"},
    {"zero_damaged_pages", "off", Level::danger, "damaged pages are emptied without a word"},
    {"autovacuum", "on", Level::danger, "dead rows pile up until claims crawl"},
    {"data_checksums", "on", Level::advice, "silent corruption of the disk stays silent",
     "run pg_checksums --enable with the server stopped"},
});

std::string text_of(Connection& connection, const Statement& statement, const Params& params = {}) {
    const Rows rows = connection.run(statement, params);
    return rows.empty() ? std::string() : rows.get<std::optional<std::string>>(0, 0).value_or("");
}

void examine_settings(Connection& connection, std::vector<Finding>& findings) {
    static const Statement read{"examine_setting", "SELECT current_setting($1::text, true)"};
    findings.push_back({Level::fine, "server",
                        "PostgreSQL " + text_of(connection, read, Params::of(std::string_view("server_version"))), ""});
    for (const Setting& setting : expected_settings) {
        const std::string value = text_of(connection, read, Params::of(setting.name));
        Finding finding{Level::fine, std::string(setting.name), value, ""};
        if (value != setting.wanted) {
            finding.level = setting.otherwise;
            finding.detail += ": " + std::string(setting.danger);
            finding.remedy = setting.remedy.empty()
                                 ? "set " + std::string(setting.name) + " = " + std::string(setting.wanted)
                                 : std::string(setting.remedy);
        }
        findings.push_back(std::move(finding));
    }
}

// Whatever our migrations make, by name, with schema names left out; the slices of outboxes come and go.
const Statement& schema_objects() {
    static const Statement statement{
        "schema_objects",
        "WITH ours AS (SELECT c.oid, c.relname, c.relkind FROM pg_class AS c WHERE c.relnamespace = "
        "quote_ident($1::text)::regnamespace"
        " AND c.relname LIKE 'ff\\_%' AND c.relname !~ '_(p[0-9]+|default)(_|$)' AND c.relname NOT LIKE "
        "'ff\\_migration%')"
        " SELECT 'column ' || o.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN"
        " a.attnotnull THEN ' not null' ELSE '' END FROM ours AS o JOIN pg_attribute AS a ON a.attrelid = o.oid WHERE"
        " o.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped"
        " UNION ALL SELECT 'index ' || o.relname, replace(pg_get_indexdef(o.oid), quote_ident($1::text) || '.', '') "
        "FROM"
        " ours AS o WHERE o.relkind IN ('i', 'I')"
        " UNION ALL SELECT 'constraint ' || k.conname, replace(pg_get_constraintdef(k.oid), quote_ident($1::text) || "
        "'.',"
        " '') FROM pg_constraint AS k JOIN ours AS o ON o.oid = k.conrelid"
        " UNION ALL SELECT 'trigger ' || t.tgname, replace(pg_get_triggerdef(t.oid), quote_ident($1::text) || '.', '') "
        "|| ' ' || t.tgenabled::text"
        " FROM pg_trigger AS t JOIN ours AS o ON o.oid = t.tgrelid WHERE NOT t.tgisinternal"
        " UNION ALL SELECT 'sequence ' || o.relname, 'cache ' || s.seqcache FROM ours AS o JOIN pg_sequence AS s ON"
        " s.seqrelid = o.oid"
        " UNION ALL SELECT 'function ' || p.proname, md5(p.prosrc) || CASE WHEN p.prosecdef THEN ' definer' ELSE '' END"
        " FROM pg_proc AS p WHERE p.pronamespace = quote_ident($1::text)::regnamespace AND p.proname LIKE 'ff\\_%'"};
    return statement;
}

using Objects = std::set<std::pair<std::string, std::string>>;

Objects objects_of(Connection& connection, const std::string& schema) {
    const auto objects =
        read_all(connection.run(schema_objects(), Params::of(schema)), [](const Rows& rows, std::size_t row) {
            return std::pair(rows.get<std::string>(row, 0), rows.get<std::string>(row, 1));
        });
    return {objects.begin(), objects.end()};
}

// The schema as our migrations would make it today, in a schema of its own that is rolled back.
Objects expected_objects(const std::string& url) {
    Connection connection(url, session_statements().migrator);
    connection.run(load_statements().begin);
    connection.run_script("CREATE SCHEMA ff_examined; SET LOCAL search_path TO ff_examined, pg_temp");
    for (const auto& migration : migrations()) connection.run_script(migration.sql);
    auto objects = objects_of(connection, "ff_examined");
    connection.run(save_statements().rollback);
    return objects;
}

std::string names_of(const Objects& objects) {
    constexpr std::size_t most = 8;
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, definition] : objects) {
        if (count++ == most) return names + " and more";
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

Finding examine_drift(const std::string& url, Connection& connection) {
    static const Statement schema{"examine_schema", "SELECT current_schema()::text"};
    const Objects actual = objects_of(connection, text_of(connection, schema));
    Objects expected;
    try {
        expected = expected_objects(url);
    } catch (const Failure& failure) {
        return {Level::advice, "schema drift", std::string("not checked: ") + failure.what(),
                "run as a user who may create a schema"};
    }
    Objects missing;
    Objects extra;
    std::ranges::set_difference(expected, actual, std::inserter(missing, missing.end()));
    std::ranges::set_difference(actual, expected, std::inserter(extra, extra.end()));
    if (missing.empty() && extra.empty()) {
        return {Level::fine, "schema drift", std::to_string(actual.size()) + " objects are as migrated", ""};
    }
    std::string detail;
    if (!missing.empty()) detail = "missing or changed: " + names_of(missing);
    if (!extra.empty()) detail += (detail.empty() ? "" : "; ") + ("not ours or changed: " + names_of(extra));
    return {missing.empty() ? Level::advice : Level::danger, "schema drift", std::move(detail),
            "undo the changes that were made by hand"};
}

std::vector<TableFigures> tables_of(Connection& connection) {
    static const Statement statement{
        "examine_tables",
        "SELECT relname::text, n_live_tup, n_dead_tup, pg_relation_size(relid), pg_indexes_size(relid) FROM "
        "pg_stat_user_tables WHERE schemaname = current_schema() AND relname LIKE 'ff\\_%'"};
    return read_all(connection.run(statement), [](const Rows& rows, std::size_t row) {
        return TableFigures{.name = rows.get<std::string>(row, 0),
                            .live_rows = rows.get<std::int64_t>(row, 1),
                            .dead_rows = rows.get<std::int64_t>(row, 2),
                            .table_bytes = rows.get<std::int64_t>(row, 3),
                            .index_bytes = rows.get<std::int64_t>(row, 4)};
    });
}

// Of this database, whose rows it keeps; vacuum's own transactions keep none.
std::optional<OpenTransaction> oldest_transaction(Connection& connection) {
    static const Statement statement{
        "examine_transactions",
        "SELECT floor(extract(epoch FROM clock_timestamp() - began))::bigint, holder, remedy FROM ("
        "SELECT xact_start AS began, format('pid %s, %s, of %s (%s), %s', pid, coalesce(nullif(application_name, ''), "
        "'unnamed'), usename, backend_type, state) AS holder, format('SELECT pg_terminate_backend(%s)', pid) AS remedy "
        "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type <> "
        "'autovacuum worker' AND xact_start IS NOT NULL"
        " UNION ALL SELECT prepared, format('prepared transaction %s of %s', quote_literal(gid), owner), format("
        "'COMMIT PREPARED or ROLLBACK PREPARED %s', quote_literal(gid)) FROM pg_prepared_xacts WHERE database = "
        "current_database()) AS open ORDER BY began LIMIT 1"};
    const Rows rows = connection.run(statement);
    if (rows.empty()) return std::nullopt;
    return OpenTransaction{.age_s = rows.get<std::int64_t>(0, 0),
                           .holder = rows.get<std::string>(0, 1),
                           .remedy = rows.get<std::string>(0, 2)};
}

double notification_queue_usage(Connection& connection) {
    static const Statement statement{"examine_queue", "SELECT round(pg_notification_queue_usage() * 1e6)::bigint"};
    return static_cast<double>(connection.run(statement).get<std::int64_t>(0, 0)) / 1e6;
}

// SQL tells where the data is, to a role that may know, and not how much room is left.
Finding examine_space(Connection& connection) {
    static const Statement statement{
        "examine_space",
        "SELECT (SELECT setting FROM pg_settings WHERE name = 'data_directory'), coalesce(inet_server_addr() <<= "
        "'127.0.0.0/8' OR inet_server_addr() = '::1', true)"};
    const Rows rows = connection.run(statement);
    const auto directory = rows.get<std::optional<std::string>>(0, 0);
    const bool here = rows.get<bool>(0, 1);
    if (here && directory && !directory->empty()) return examine_free_space(*directory);
    return {Level::fine, "free space",
            here ? "not visible to this role; grant it pg_read_all_settings, or watch it on the server"
                 : "not visible from here; watch it on the server",
            ""};
}

void examine_health(Connection& connection, std::vector<Finding>& findings) {
    const auto tables = tables_of(connection);
    findings.push_back(judge_dead_rows(tables));
    findings.push_back(judge_index_sizes(tables));
    findings.push_back(judge_oldest_transaction(oldest_transaction(connection)));
    findings.push_back(judge_notification_queue(notification_queue_usage(connection)));
    findings.push_back(examine_space(connection));
}

// Reads every row of every table, a page at a time, within one transaction.
class RowWalk {
  public:
    explicit RowWalk(Connection& connection) : connection_(connection) {
        damage_.listen([this](const Damage& damage) { damaged_.push_back(damage); });
        connection_.run(load_statements().begin);
    }

    Finding run() {
        const auto name = [](const Rows& rows, std::size_t row) { return name_of_execution(rows, row); };
        walk("ff_exec_core", sql::names(sql::execution_columns(), "e."), name, [](const Rows& rows, std::size_t row) {
            const ExecutionRow execution = read_execution(rows, row);
            if (auto damage = damage_in_policy(execution)) throw_unreadable(std::move(*damage));
            return true;
        });
        walk("ff_attempt", sql::names(sql::attempt_columns(), "e."), name, [](const Rows& rows, std::size_t row) {
            AttemptRow attempt;
            visit_attempt_columns(attempt, RowReader(rows, row));
            return true;
        });
        EventLists{}.each([&]<class E>(const EventList<E>&) { walk_events<E>(); });
        std::string out_of_reach;
        for (const RowType& type : side_row_types()) {
            if (!may_read(type.table)) {
                out_of_reach.append("; not this role's to read: ").append(type.table);
                continue;
            }
            walk(
                std::string(type.table), sql::names(sql::columns_of(type.columns), "e."),
                [&](const Rows& rows, std::size_t row) { return key_of(type, rows, row); },
                [&](const Rows& rows, std::size_t row) {
                    CellsReader reader(rows, row);
                    type.check(reader);
                    return true;
                });
        }
        walk("ff_submission", sql::names(sql::submission_columns(), "e."), name_of_event,
             [](const Rows& rows, std::size_t row) {
                 Submission submission;
                 visit_submission_columns(submission, RowReader(rows, row));
                 return true;
             });
        const Rows routes = connection_.run(read_statements().routes);
        read_routes(routes, damage_);
        rows_ += routes.size();
        connection_.run(save_statements().rollback);
        Finding finding = judge_rows(rows_, damaged_);
        finding.detail += out_of_reach;
        return finding;
    }

  private:
    // Readers have no right to the signing keys.
    bool may_read(std::string_view table) {
        static const Statement statement{"examine_right", "SELECT has_table_privilege($1::text, 'SELECT')"};
        return connection_.run(statement, Params::of(table)).get<bool>(0, 0);
    }

    // A statement of its own for each table: its columns are fixed when it is prepared.
    template <class Name, class Read>
    void walk(const std::string& table, const std::string& columns, const Name& name, const Read& read) {
        const std::string cursor = "walk_" + table;
        connection_.run_script("DECLARE " + cursor + " NO SCROLL CURSOR FOR SELECT " + columns + " FROM " + table +
                               " AS e");
        const Statement& fetch = pages_.emplace_back(Statement{"fetch_" + table, "FETCH 1000 FROM " + cursor});
        for (std::size_t seen = 1; seen > 0;) {
            seen = read_sound(connection_.run(fetch), damage_, table, name, read).seen;
            rows_ += seen;
        }
        connection_.run_script("CLOSE " + cursor);
    }

    template <class E>
    void walk_events() {
        walk(std::string(outbox_of<E>.table), "e.event_id, " + sql::names(sql::event_columns<E>(), "e."), name_of_event,
             [](const Rows& rows, std::size_t row) {
                 E event;
                 visit_event_columns(event, RowReader(rows, row, 1));
                 return true;
             });
    }

    Connection& connection_;
    DamageLog damage_;
    std::vector<Damage> damaged_;
    std::deque<Statement> pages_;
    std::size_t rows_ = 0;
};

}  // namespace

std::vector<Finding> examine(const std::string& url) {
    std::vector<Finding> findings;
    // A pooler in transaction mode is refused by the connection itself.
    Connection connection(url, session_statements().reader);
    examine_settings(connection, findings);
    findings.push_back({Level::fine, "connection", "no pooler in transaction mode", ""});

    const bool migrated = connection.run(schema_statements().has_annotations).get<bool>(0, 0);
    const std::size_t applied = migrated ? connection.run(schema_statements().annotations).size() : 0;
    const std::size_t ours = migrations().size();
    if (applied < ours) {
        findings.push_back({Level::danger, "schema",
                            std::to_string(applied) + " of " + std::to_string(ours) + " migrations are applied",
                            "run `ff migrate`"});
        return findings;
    }
    findings.push_back({Level::fine, "schema", "up to " + label_of(migrations().back()), ""});
    findings.push_back(examine_drift(url, connection));
    examine_health(connection, findings);
    findings.push_back(RowWalk(connection).run());
    return findings;
}

}  // namespace flowfabric::postgres
