#pragma once

#include <vector>

#include "store/port.hpp"
#include "store/postgres/connection.hpp"

namespace flowfabric::postgres {

// One batch's load: begins a transaction and locks its rows in one round trip. Keys that did not come back cost a
// second one, which tells those that others hold from those that do not exist.
class Load {
  public:
    Load(Connection& connection, const LoadRequest& request) : connection_(connection), request_(request) {}

    Loaded run();

  private:
    void send_claim(const ClaimSelection& claim, std::int64_t limit);
    std::int64_t limit_of(std::size_t index) const;
    Claimable read_claim(const ClaimSelection& claim, const Rows& rows);
    void find_busy(Loaded& loaded);

    Connection& connection_;
    const LoadRequest& request_;
    std::vector<ExecutionId> claimed_;  // by the selections read so far, sorted
};

}  // namespace flowfabric::postgres
