#include "store/postgres/health/health.hpp"

#include <algorithm>
#include <cmath>

namespace flowfabric::postgres {
namespace {

using Level = Finding::Level;

// Autovacuum begins at a fifth of the live rows; with half it is late, with as many it is not coming.
constexpr std::int64_t many_dead_rows = 10'000;
constexpr std::int64_t too_many_dead_rows = 1'000'000;

constexpr std::int64_t large_indexes = std::int64_t{256} << 20;

// Our own transactions end within statement_timeout, 30 s.
constexpr std::int64_t long_transaction_s = 300;
constexpr std::int64_t too_long_transaction_s = 3600;

// Full, it fails every commit that notifies.
constexpr double filling_queue = 0.1;
constexpr double almost_full_queue = 0.5;

Level level_of(bool advice, bool danger) {
    if (danger) return Level::danger;
    return advice ? Level::advice : Level::fine;
}

std::string mebibytes(std::int64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

Finding found(Level level, std::string check, std::string detail, std::string remedy) {
    return {level, std::move(check), std::move(detail), level == Level::fine ? "" : std::move(remedy)};
}

}  // namespace

Finding judge_dead_rows(const std::vector<TableFigures>& tables) {
    const auto worst = std::ranges::max_element(tables, {}, &TableFigures::dead_rows);
    if (worst == tables.end()) return {Level::fine, "dead rows", "no tables", ""};
    const std::int64_t dead = worst->dead_rows;
    const Level level = level_of(dead >= many_dead_rows && dead >= worst->live_rows / 2,
                                 dead >= too_many_dead_rows && dead >= worst->live_rows);
    return found(level, "dead rows",
                 worst->name + " has the most: " + std::to_string(dead) + ", and " + std::to_string(worst->live_rows) +
                     " live ones",
                 "end what keeps vacuum away, then VACUUM " + worst->name);
}

Finding judge_index_sizes(const std::vector<TableFigures>& tables) {
    const auto worst = std::ranges::max_element(tables, {}, &TableFigures::index_bytes);
    if (worst == tables.end()) return {Level::fine, "index size", "no tables", ""};
    const bool bloated = worst->index_bytes >= large_indexes && worst->index_bytes >= 2 * worst->table_bytes;
    return found(level_of(bloated, false), "index size",
                 "those of " + worst->name + " are the largest: " + mebibytes(worst->index_bytes) +
                     " beside a table of " + mebibytes(worst->table_bytes),
                 "REINDEX TABLE CONCURRENTLY " + worst->name);
}

Finding judge_oldest_transaction(const std::optional<OpenTransaction>& oldest) {
    if (!oldest) return {Level::fine, "oldest transaction", "none is open", ""};
    return found(level_of(oldest->age_s >= long_transaction_s, oldest->age_s >= too_long_transaction_s),
                 "oldest transaction", "open for " + std::to_string(oldest->age_s) + " s: " + oldest->holder,
                 oldest->remedy);
}

Finding judge_notification_queue(double used) {
    return found(level_of(used >= filling_queue, used >= almost_full_queue), "notification queue",
                 std::to_string(std::lround(used * 100)) + " % full",
                 "end the listener that has been in a transaction the longest");
}

}  // namespace flowfabric::postgres
