#include "support/sql_session.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <stdexcept>

namespace flowfabric::test {

void SqlSession::Finish::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

SqlSession::SqlSession(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    run("SET statement_timeout = '60s'");
}

std::string SqlSession::run(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        throw std::runtime_error(sql + ": " + PQresultErrorMessage(result.get()));
    }
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

SqlSession::Notification SqlSession::await_notification() {
    constexpr int patience_ms = 30'000;
    while (true) {
        const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notify(PQnotifies(connection_.get()), &PQfreemem);
        if (notify) return {notify->relname, notify->extra};
        pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
        if (::poll(&socket, 1, patience_ms) == 0) throw std::runtime_error("a notification never came");
        if (PQconsumeInput(connection_.get()) == 0) throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
}

}  // namespace flowfabric::test
