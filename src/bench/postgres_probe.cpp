#include "bench/postgres_probe.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace flowfabric::bench {
namespace {

using Clock = std::chrono::steady_clock;

EngineError transport_error(const char* detail) {
    return {.kind = ErrorKind::transport, .detail = detail, .not_active = std::nullopt, .connection_fault = true};
}

struct Count {
    Clock::time_point at;
    std::int64_t transactions = 0;
};

}  // namespace

Result<PostgresProbe> PostgresProbe::connect(const std::string& url) {
    const std::shared_ptr<PGconn> connection(PQconnectdb(url.c_str()), PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) return transport_error(PQerrorMessage(connection.get()));
    return PostgresProbe(connection);
}

void PostgresProbe::checkpoint() const {
    PQclear(PQexec(static_cast<PGconn*>(connection_.get()), "CHECKPOINT"));
}

Result<std::int64_t> PostgresProbe::wal_bytes() const {
    return number("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint");
}

// From one change of the counter to another, so that few transactions do not make a coarse rate.
Result<double> PostgresProbe::transaction_rate(std::chrono::seconds watched) const {
    constexpr std::chrono::milliseconds interval{20};
    // In one transaction, which is not counted before its end; the statistics it has seen it would see again.
    const auto begun = number("BEGIN; SELECT 0");
    if (!begun) return begun.error();
    std::vector<Count> changes;
    std::optional<std::int64_t> initial;
    for (const auto until = Clock::now() + watched; Clock::now() < until; std::this_thread::sleep_for(interval)) {
        const auto transactions = number(
            "SELECT pg_stat_clear_snapshot(); "
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()");
        if (!transactions) return transactions.error();
        if (!initial) initial = *transactions;
        if (*transactions != (changes.empty() ? *initial : changes.back().transactions)) {
            changes.push_back({.at = Clock::now(), .transactions = *transactions});
        }
    }
    if (const auto ended = number("COMMIT; SELECT 0"); !ended) return ended.error();
    if (changes.empty()) return 0.0;
    const Count& last = changes.back();
    if (changes.size() == 1) {
        return static_cast<double>(last.transactions - *initial) / static_cast<double>(watched.count());
    }
    return static_cast<double>(last.transactions - changes.front().transactions) /
           std::chrono::duration<double>(last.at - changes.front().at).count();
}

Result<std::int64_t> PostgresProbe::number(const char* query) const {
    auto* connection = static_cast<PGconn*>(connection_.get());
    const std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(connection, query), PQclear);
    if (PQresultStatus(rows.get()) != PGRES_TUPLES_OK) return transport_error(PQerrorMessage(connection));
    const std::string_view text(PQgetvalue(rows.get(), 0, 0));
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace flowfabric::bench
