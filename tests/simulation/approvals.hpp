#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/command_mix.hpp"
#include "support/random.hpp"

namespace flowfabric::test {

// Workers whose handler begins by asking for an approval, under one key, and approvers that give it once. A worker that
// goes on with an approval crashes half of the time, so that the next attempt begins anew.
class Approvals {
  public:
    static constexpr auto lane = "approvals";

    explicit Approvals(Random& random) : random_(random) {}

    // Nothing: a worker has died.
    std::optional<UserCommand> next(std::int64_t now_ms);
    void learn(const UserCommand& command, const Answer& answer);

  private:
    struct Request {
        ExecutionId execution_id;
        SuspendedWaitpoint waitpoint;
    };

    CreateExecution create();
    Suspend ask(std::int64_t now_ms);
    std::optional<UserCommand> go_on();
    DeliverSignal approve();
    Uuid uuid();

    Random& random_;
    std::uint64_t created_ = 0;
    std::vector<ClaimedExecution> begun_;
    std::vector<LeaseRef> approved_;
    std::vector<Request> requests_;
};

}  // namespace flowfabric::test
