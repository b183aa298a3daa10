#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/execution/stored_policy.hpp"
#include "store/free_space.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/side_table.hpp"
#include "store/sqlite/statements.hpp"

namespace flowfabric::sqlite {
namespace {

using Level = Finding::Level;
using Objects = std::map<std::string, std::string>;

Objects objects_of(const Database& database) {
    Objects objects;
    auto statement = database.prepare(
        "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name LIKE 'ff\\_%' ESCAPE '\\'");
    for (Query query(statement); query.next();) {
        auto name = query.take_text();
        objects.emplace(std::move(name), query.take_text());
    }
    return objects;
}

// What our migrations would make today.
Objects expected_objects() {
    const Database database(":memory:", OpenMode::create);
    for (const auto& migration : migrations()) database.execute(std::string(migration.sql));
    return objects_of(database);
}

Finding examine_drift(const Database& database) {
    const Objects expected = expected_objects();
    const Objects actual = objects_of(database);
    std::string names;
    const auto name = [&](const std::string& object) { names += (names.empty() ? "" : ", ") + object; };
    for (const auto& [object, sql] : expected) {
        const auto found = actual.find(object);
        if (found == actual.end() || found->second != sql) name(object);
    }
    if (!names.empty()) {
        return {Level::danger, "schema drift", "missing or changed: " + names,
                "undo the changes that were made by hand"};
    }
    for (const auto& [object, sql] : actual) {
        if (!expected.contains(object)) name(object);
    }
    if (!names.empty())
        return {Level::advice, "schema drift", "not ours: " + names, "remove what does not belong here"};
    return {Level::fine, "schema drift", std::to_string(actual.size()) + " objects are as migrated", ""};
}

std::string text_of(const Database& database, std::string_view sql) {
    auto statement = database.prepare(sql);
    Query query(statement);
    return query.next() ? query.take_text() : std::string();
}

// Where the limits come from is in docs/operations.md.
constexpr std::int64_t much_free_space = std::int64_t{64} << 20;
constexpr std::uintmax_t large_wal = std::uintmax_t{256} << 20;

std::int64_t number_of(const Database& database, std::string_view sql) {
    return std::stoll(text_of(database, sql));
}

template <class Bytes>
std::string mebibytes(Bytes bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

Finding examine_free_pages(const Database& database, const std::string& path) {
    const std::int64_t page_size = number_of(database, "PRAGMA page_size");
    const std::int64_t bytes = number_of(database, "PRAGMA page_count") * page_size;
    const std::int64_t free = number_of(database, "PRAGMA freelist_count") * page_size;
    Finding finding{Level::fine, "free pages", mebibytes(free) + " of the file's " + mebibytes(bytes), ""};
    if (free >= much_free_space && free >= bytes / 2) {
        finding.level = Level::advice;
        finding.remedy = "when nothing uses it: sqlite3 " + path + " VACUUM";
    }
    return finding;
}

Finding examine_wal(const std::string& path) {
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(path + "-wal", missing);
    Finding finding{Level::fine, "wal", mebibytes(missing ? 0 : size), ""};
    if (!missing && size >= large_wal) {
        finding.level = Level::advice;
        finding.detail += ": a reader that does not end keeps it from starting over, or no engine runs";
        finding.remedy = "end what has been reading the longest, and let an engine run";
    }
    return finding;
}

// Reads every row of every table, one at a time.
class RowWalk {
  public:
    explicit RowWalk(const Database& database) : database_(database) {
        damage_.listen([this](const Damage& damage) { damaged_.push_back(damage); });
    }

    Finding run() {
        walk("ff_exec_core", statements::all_executions(), name_of_execution, [](Query& query) {
            ExecutionRow row;
            read_row(query, row);
            if (auto damage = damage_in_policy(row)) throw_unreadable(std::move(*damage));
        });
        walk("ff_attempt", statements::all_attempts(), name_of_execution, [](Query& query) {
            AttemptRow row;
            read_row(query, row);
        });
        EventLists{}.each([&]<class E>(const EventList<E>&) { walk_events<E>(); });
        for (const RowType& type : side_row_types()) {
            walk(
                type.table, statements::select_rows(type), [&](Query& query) { return type.read_key(query.row()); },
                [&](Query& query) { type.check(query.row()); });
        }
        auto routes = database_.prepare(statements::list_routes());
        rows_ += read_routes(routes, damage_).classes.size();
        return judge_rows(rows_, damaged_);
    }

  private:
    template <class Name, class Read>
    void walk(std::string_view table, const std::string& sql, const Name& name, const Read& read) {
        auto statement = database_.prepare(sql);
        for (Query query(statement); query.next(); ++rows_) {
            read_or_report<Fault>(damage_, table, [&] { return name_of_row(query, name); }, [&] { read(query); });
        }
    }

    template <class E>
    void walk_events() {
        walk(outbox_of<E>.table, statements::all_events(outbox_of<E>.channel), name_of_event, [](Query& query) {
            E event;
            read_event(query, event);
        });
    }

    const Database& database_;
    DamageLog damage_;
    std::vector<Damage> damaged_;
    std::size_t rows_ = 0;
};

void examine_file(const std::string& path, std::vector<Finding>& findings) {
    const Database database(path, OpenMode::read_only);
    const std::string mode = text_of(database, "PRAGMA journal_mode");
    findings.push_back(mode == "wal"
                           ? Finding{Level::fine, "journal_mode", mode, ""}
                           : Finding{Level::danger, "journal_mode", mode + ": readers and writers block each other",
                                     "PRAGMA journal_mode = WAL"});
    const std::string step =
        text_of(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'ff_migration_annotation'") == "0"
            ? "0"
            : text_of(database, "SELECT count(*) FROM ff_migration_annotation");
    const std::string ours = std::to_string(migrations().size());
    if (std::stoul(step) < migrations().size()) {
        findings.push_back(
            {Level::danger, "schema", step + " of " + ours + " migrations are applied", "run `ff migrate`"});
        return;
    }
    findings.push_back({Level::fine, "schema", "up to " + label_of(migrations().back()), ""});
    findings.push_back(examine_drift(database));
    findings.push_back(examine_free_pages(database, path));
    findings.push_back(examine_wal(path));
    findings.push_back(RowWalk(database).run());
}

}  // namespace

std::vector<Finding> examine(const Instance& instance) {
    require_usable_location(instance.path);
    std::vector<Finding> findings;
    findings.push_back({Level::fine, "library", std::string("SQLite ") + sqlite3_libversion(), ""});
    if (std::error_code ignored; !std::filesystem::exists(instance.path, ignored)) {
        findings.push_back({Level::danger, "file", "there is no database '" + instance.path + "'", "run `ff migrate`"});
        return findings;
    }
    findings.push_back(examine_free_space(std::filesystem::path(instance.path).parent_path().string()));
    // A full disk keeps even a reader from opening the file, and is what the finding above names.
    try {
        examine_file(instance.path, findings);
    } catch (const Fault& fault) {
        if (fault.error().fault != StoreFault::exhausted) throw;
        findings.push_back({Level::danger, "file", fault.error().detail, "make room"});
    }
    return findings;
}

}  // namespace flowfabric::sqlite
