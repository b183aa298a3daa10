#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/batch.hpp"

namespace flowfabric {

// What tells one reconciler from another: which timer it serves and what it asks for when that timer is due.
struct ReconcilerSpec {
    std::string_view name;
    DueKind kind;
    SteadyMs interval_ms;
    Command (*command_for)(const ExecutionId& id);
};

ReconcilerSpec lease_expiry();
ReconcilerSpec delayed_promotion();

inline constexpr std::uint32_t reconciler_page = 1000;

struct ReconcilerStats {
    std::uint64_t processed = 0;
    std::uint64_t errors = 0;
    std::string last_error;
};

// One reconciler's schedule: told what is due, it answers with commands for the normal batches, and sleeps until the
// next due time that it knows of or its interval, whichever is first. A row that fails is counted and met again later.
class Reconciler {
  public:
    explicit Reconciler(ReconcilerSpec spec) : spec_(spec) {}

    const ReconcilerSpec& spec() const { return spec_; }
    const ReconcilerStats& stats() const { return stats_; }

    // Whether select_due should be asked now.
    bool ready(SteadyMs now) const { return outstanding_ == 0 && now >= next_run_; }
    SteadyMs next_run() const { return next_run_; }

    // A timer was set for `at`: do not sleep past it. True: the next run is earlier now.
    bool hurry(SteadyMs at);

    std::vector<Command> on_due(const Due& due, SteadyMs now);
    void on_store_error(const StoreError& error, SteadyMs now);
    void on_answer(const Result<Answer>& answer, SteadyMs now);

  private:
    ReconcilerSpec spec_;
    SteadyMs next_run_ = 0;
    std::size_t outstanding_ = 0;
    bool more_waiting_ = false;
    ReconcilerStats stats_;
};

}  // namespace flowfabric
