#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/engine.hpp"
#include "support/flow_mix.hpp"
#include "support/random.hpp"

namespace flowfabric::test {

using UserCommand = Commands;

std::string describe(const UserCommand& command);

// What workers and submitters might send, sensible and not: most of it makes executions move, some of it is stale,
// foreign, damaged or refused. Learns from answers what there is to talk about.
class CommandMix {
  public:
    enum class Purges : bool { no, yes };

    explicit CommandMix(Random& random, Purges purges = Purges::no)
        : random_(random), purges_(purges), flow_percent_(random.pick<std::uint64_t>({3, 15, 50})), flows_(random) {}

    UserCommand next(std::int64_t now_ms);
    void learn(const UserCommand& command, const Answer& answer);

    // A claim that every execution of the mix is within reach of.
    static Claim claim_everything(std::uint32_t count);
    static std::vector<UserCommand> resume_every_lane();

  private:
    CreateExecution create(std::int64_t now_ms);
    ExecutionPolicy policy(std::int64_t now_ms);
    Claim claim();
    UserCommand by_lease_holder(std::int64_t now_ms);
    UserCommand by_others();
    UserCommand about_consumers();
    UserCommand about_webhooks();
    UserCommand about_budgets();
    UserCommand suspend(std::int64_t now_ms);
    UserCommand about_signals();
    UserCommand append();
    UserCommand about_workers();
    UserCommand about_keys();
    UserCommand about_settings();
    UserCommand about_grants();
    UserCommand about_flows(std::int64_t now_ms);
    LeaseRef lease();
    Handle damaged(Handle handle);
    Fence distorted(Fence fence);
    Uuid uuid();

    Random& random_;
    Purges purges_;
    std::uint64_t flow_percent_;  // of the commands
    std::vector<ExecutionId> created_;
    std::vector<std::pair<ExecutionId, WaitpointId>> waitpoints_;
    std::vector<ClaimedExecution> claimed_;
    std::vector<ClaimGrant> grants_;
    FlowMix flows_;
};

}  // namespace flowfabric::test
