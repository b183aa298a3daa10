#pragma once

#include <memory>
#include <string>

struct pg_conn;

namespace flowfabric::test {

// A plain PostgreSQL session beside the engine's: to look, to hold locks, to end other sessions. Throws on failure.
class SqlSession {
  public:
    explicit SqlSession(const std::string& url);

    // The first column of the first row, empty when there is none.
    std::string run(const std::string& sql);

    // The next notification on the channels that this session listens to, which must come.
    struct Notification {
        std::string channel;
        std::string payload;
        bool operator==(const Notification&) const = default;
    };
    Notification await_notification();

  private:
    struct Finish {
        void operator()(pg_conn* connection) const;
    };
    std::unique_ptr<pg_conn, Finish> connection_;
};

}  // namespace flowfabric::test
