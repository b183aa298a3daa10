#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "core/base/partition.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/writer_lock.hpp"

namespace flowfabric::sqlite {
namespace {

std::string pragma(const Database& database, std::string_view text) {
    auto statement = database.prepare(text);
    Query query(statement);
    return query.next() ? query.take_text() : std::string();
}

bool has_ledger(const Database& database) {
    auto statement =
        database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ff_migration_annotation'");
    return Query(statement).next();
}

// The versions that the database has; throws if an unknown one among them is more than we can live with.
std::set<int> applied_versions(const Instance& instance, const Database& database) {
    std::set<int> versions;
    if (!has_ledger(database)) return versions;
    const int newest = instance.migrations.back().version;
    auto statement = database.prepare("SELECT version, name, backward_compatible FROM ff_migration_annotation");
    for (Query query(statement); query.next();) {
        const auto version = query.take<int>();
        const auto name = query.take<std::string>();
        if (version > newest && !query.take<bool>()) {
            throw_unavailable("the database '" + instance.path + "' has the newer schema step " +
                              std::to_string(version) + " (" + name +
                              "), which this version cannot work with; upgrade FlowFabric");
        }
        versions.insert(version);
    }
    return versions;
}

void require_our_partitions(const Instance& instance, const Database& database) {
    auto statement = database.prepare(
        "SELECT num_flow_partitions, num_budget_partitions, num_quota_partitions FROM ff_partition_config");
    Query query(statement);
    if (!query.next()) throw_unavailable("the database '" + instance.path + "' has no partition counts; migrate it");
    const auto flow = query.take<int>();
    const auto budget = query.take<int>();
    const auto quota = query.take<int>();
    if (flow == flow_partitions && budget == budget_partitions && quota == quota_partitions) return;
    const auto text = [](int a, int b, int c) {
        return std::to_string(a) + "/" + std::to_string(b) + "/" + std::to_string(c);
    };
    throw_unavailable("the database '" + instance.path + "' was made for " + text(flow, budget, quota) +
                      " flow/budget/quota partitions, this version uses " +
                      text(flow_partitions, budget_partitions, quota_partitions));
}

void require_wal(const Instance& instance, const std::string& mode) {
    if (mode != "wal")
        throw_unavailable("the database '" + instance.path + "' is in journal mode " + mode + ", not WAL");
}

// Asked of SQLite's own descriptor, because to close another one of the same file would drop SQLite's locks. What the
// WAL holds of the first page hides a ruined one from queries.
void require_whole_header(const Instance& instance, const Database& database) {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    sqlite3_file* file = nullptr;
    std::string header(magic.size(), '\0');
    sqlite3_file_control(database.get(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    const int code = file == nullptr || file->pMethods == nullptr
                         ? SQLITE_CANTOPEN
                         : file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
    if (code != SQLITE_OK || header != magic) {
        throw_unavailable("'" + instance.path + "' is no SQLite database any more: its first page is ruined");
    }
}

void apply(const Instance& instance, const Database& database, const Migration& migration) {
    database.execute(std::string(migration.sql));
    auto annotate = database.prepare(
        "INSERT INTO ff_migration_annotation (version, name, applied_at_ms, backward_compatible) VALUES (?, ?, ?, ?)");
    Query(annotate, migration.version, migration.name, instance.clock_ms(), migration.backward_compatible).run();
}

}  // namespace

std::vector<std::string> migrate(const Instance& instance) {
    require_usable_location(instance.path);
    WriterLock lock(instance.path, instance.interrupts);
    const std::lock_guard hold(lock);
    const Database database(instance.path, OpenMode::create);
    // The first two only matter to a new file, and only before the WAL exists.
    database.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE; PRAGMA wal_autocheckpoint = 0");
    require_wal(instance, pragma(database, "PRAGMA journal_mode = WAL"));

    // All steps or none; closing the connection rolls back.
    database.execute("BEGIN IMMEDIATE");
    const auto present = applied_versions(instance, database);
    std::vector<std::string> applied;
    for (const auto& migration : instance.migrations) {
        if (present.contains(migration.version)) continue;
        apply(instance, database, migration);
        applied.push_back(label_of(migration));
    }
    auto configure = database.prepare(
        "INSERT INTO ff_partition_config (singleton, num_flow_partitions, num_budget_partitions, num_quota_partitions) "
        "VALUES (1, ?, ?, ?) ON CONFLICT DO NOTHING");
    Query(configure, flow_partitions, budget_partitions, quota_partitions).run();
    require_our_partitions(instance, database);
    database.execute("COMMIT");
    return applied;
}

void check(const Instance& instance) {
    require_usable_location(instance.path);
    if (std::error_code ignored; !std::filesystem::exists(instance.path, ignored)) {
        throw_unavailable("there is no database '" + instance.path +
                          "'; see to the path, or create it with `ff migrate`");
    }
    const Database database(instance.path, OpenMode::read_only);
    require_wal(instance, pragma(database, "PRAGMA journal_mode"));
    const auto present = applied_versions(instance, database);
    for (const auto& migration : instance.migrations) {
        if (present.contains(migration.version)) continue;
        throw_unavailable("the database '" + instance.path + "' lacks the schema step " +
                          std::to_string(migration.version) + " (" + std::string(migration.name) +
                          "); run `ff migrate`");
    }
    require_our_partitions(instance, database);
}

void remember_file(Instance& instance) {
    struct stat file{};
    std::uint64_t none = 0;
    if (::stat(instance.path.c_str(), &file) != 0) return;
    if (instance.inode.compare_exchange_strong(none, file.st_ino)) instance.device = file.st_dev;
}

void look(const Instance& instance) {
    struct stat file{};
    const bool same =
        ::stat(instance.path.c_str(), &file) == 0 && file.st_ino == instance.inode && file.st_dev == instance.device;
    // Another file under this name is left alone: it would be opened with the WAL of the first.
    if (instance.inode != 0 && !same) {
        throw_unavailable("'" + instance.path +
                          "' is no longer the file that was opened: it was removed or replaced; restart what uses it");
    }
    check(instance);
    require_whole_header(instance, Database(instance.path, OpenMode::read_only));
}

}  // namespace flowfabric::sqlite
