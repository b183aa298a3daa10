#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/result.hpp"

// Clients of a server on this machine.
namespace flowfabric::bench {

// Keep-alive connections, each of which sends a request, waits for its answer, and then sends the next one.
struct HttpLoad {
    std::uint16_t port = 0;
    std::string target;
    std::uint32_t connections = 1;
    // The body of a connection's next request, given the answer to its last one, which is empty at first. Nothing ends
    // the connection.
    std::function<std::optional<std::string>(std::uint32_t connection, std::string_view answer)> next;
};

// Returns once every connection has ended, with the seconds that it took. One thread, the caller's, does all of it. An
// answer other than 2xx is an error, and ends the run.
Result<double> run_load(const HttpLoad& load);

// Connections that have sent one request each and read no answer, open for as long as the object lives.
class UnreadConnections {
  public:
    static Result<UnreadConnections> open(std::uint16_t port, const std::string& target, const std::string& body,
                                          std::uint32_t count);
    UnreadConnections(UnreadConnections&&) noexcept;
    UnreadConnections& operator=(UnreadConnections&&) noexcept;
    ~UnreadConnections();

  private:
    class Impl;
    explicit UnreadConnections(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::bench
