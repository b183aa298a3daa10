#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "approvals.hpp"
#include "ledger.hpp"
#include "runtime/simulation/simulation.hpp"
#include "support/command_mix.hpp"
#include "support/dump.hpp"
#include "support/random.hpp"
#include "support/stores.hpp"

namespace flowfabric::test {

// One seeded life of a store: a few engines with a few writers each, whose store calls interleave in any order, under
// faults, crashes and clock jumps; then everything is brought to its end without faults.
class Schedule {
  public:
    explicit Schedule(std::uint64_t seed);

    // Returns what went wrong, as sentences.
    std::vector<std::string> run();

  private:
    struct Process {
        std::unique_ptr<Simulation> engine;
        std::uint64_t generation = 0;  // rises with every crash: older commands get no answer any more
        std::size_t unanswered = 0;
    };
    struct FaultRates {
        std::uint64_t busy = 0;
        std::uint64_t contention = 0;
        std::uint64_t disconnect = 0;
        std::uint64_t lost_reply = 0;
    };

    memory::Fault fault_at(memory::FaultPoint point);
    void act();
    template <class Author>
    void submit(Process& process, UserCommand command, Author& author);
    void check();
    void check_reads();
    void settle_all();
    void resume_all();
    void seal_all();
    void finish_everything();
    bool all_terminal();

    Random random_;
    Random fault_random_;
    FaultRates rates_;
    bool faults_on_ = true;
    TestStore store_;
    CommandMix mix_;
    Approvals approvals_;
    std::vector<Process> processes_;
    Ledger ledger_;
    Dump last_;
    std::vector<std::string> complaints_;
};

}  // namespace flowfabric::test
