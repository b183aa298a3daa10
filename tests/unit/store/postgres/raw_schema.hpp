#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowfabric::test {

// An empty schema on the server that FF_TEST_POSTGRES names, with SQL of the test's own; dropped at the end.
class RawSchema {
  public:
    using Row = std::vector<std::string>;

    RawSchema() : connection_(PQconnectdb(server().c_str()), &PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
        static int count = 0;
        name_ = "ff_unit_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
        query("CREATE SCHEMA " + name_);
        query("SET search_path = " + name_);
        query("SET client_min_messages = warning");
    }
    ~RawSchema() {
        try {
            query("DROP SCHEMA " + name_ + " CASCADE");
        } catch (const std::exception& failure) {
            ADD_FAILURE() << "schema " << name_ << " is left behind: " << failure.what();
        }
    }
    RawSchema(const RawSchema&) = delete;
    RawSchema& operator=(const RawSchema&) = delete;

    // A connection string whose sessions find this schema first.
    std::string url() const {
        const std::string base = server();
        if (base.find("://") == std::string::npos) return base + " options='-c search_path=" + name_ + "'";
        const char separator = base.find('?') == std::string::npos ? '?' : '&';
        return base + separator + "options=-c%20search_path%3D" + name_;
    }

    std::vector<Row> query(const std::string& sql) {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()), &PQclear);
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            throw std::runtime_error(sql + ": " + PQresultErrorMessage(result.get()));
        }
        std::vector<Row> rows(static_cast<std::size_t>(PQntuples(result.get())));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            for (int column = 0; column < PQnfields(result.get()); ++column) {
                rows[row].emplace_back(PQgetvalue(result.get(), static_cast<int>(row), column));
            }
        }
        return rows;
    }

  private:
    static std::string server() {
        const char* url = std::getenv("FF_TEST_POSTGRES");
        return url == nullptr ? std::string{} : std::string(url);
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    std::string name_;
};

}  // namespace flowfabric::test
