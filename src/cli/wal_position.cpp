#include "cli/wal_position.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <string_view>

namespace flowfabric::cli {
namespace {

EngineError transport_error(const char* detail) {
    return {.kind = ErrorKind::transport, .detail = detail, .not_active = std::nullopt, .connection_fault = true};
}

}  // namespace

Result<WalPosition> WalPosition::connect(const std::string& url) {
    const std::shared_ptr<PGconn> connection(PQconnectdb(url.c_str()), PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) return transport_error(PQerrorMessage(connection.get()));
    return WalPosition(connection);
}

void WalPosition::checkpoint() const {
    PQclear(PQexec(static_cast<PGconn*>(connection_.get()), "CHECKPOINT"));
}

Result<std::int64_t> WalPosition::bytes() const {
    auto* connection = static_cast<PGconn*>(connection_.get());
    const std::unique_ptr<PGresult, decltype(&PQclear)> rows(
        PQexec(connection, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"), PQclear);
    if (PQresultStatus(rows.get()) != PGRES_TUPLES_OK) return transport_error(PQerrorMessage(connection));
    const std::string_view text(PQgetvalue(rows.get(), 0, 0));
    std::int64_t bytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
    return bytes;
}

}  // namespace flowfabric::cli
