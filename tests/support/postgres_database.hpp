#pragma once

#include <cstdint>
#include <string>

namespace flowfabric::test {

enum class Schema : std::uint8_t { migrated, none };

// The server that the tests may use, as FF_TEST_POSTGRES names it.
std::string postgres_server_url();

// A database of its own on that server, dropped with this object. A migrated one is a clone of a template that the
// first to need it makes.
class PostgresDatabase {
  public:
    explicit PostgresDatabase(Schema schema = Schema::migrated);
    ~PostgresDatabase();
    PostgresDatabase(const PostgresDatabase&) = delete;
    PostgresDatabase& operator=(const PostgresDatabase&) = delete;

    const std::string& url() const { return url_; }

  private:
    std::string name_;
    std::string url_;
};

}  // namespace flowfabric::test
