#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/batch.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

// What tells one reconciler from another: which timer it serves, and how often and how much it looks.
struct ReconcilerSpec {
    Timer timer = Timer::lease_expiry;
    SteadyMs interval_ms = 0;
    std::uint32_t batch = 1000;

    std::string_view name() const { return to_string(timer); }
};

// Each in a file of its own.
ReconcilerSpec lease_expiry();
ReconcilerSpec delayed_promotion();
ReconcilerSpec attempt_timeout();
ReconcilerSpec execution_deadline();

std::vector<ReconcilerSpec> all_reconcilers();

// One reconciler's schedule: told what is due, it answers with commands for the normal batches, and sleeps until the
// next due time that it knows of or its interval, whichever is first. A row that fails is counted and met again later;
// one that keeps failing is passed over for a while.
class Reconciler {
  public:
    explicit Reconciler(ReconcilerSpec spec) : spec_(spec) {}

    const ReconcilerSpec& spec() const { return spec_; }
    ReconcilerView view() const;

    // Whether select_due should be asked now.
    bool ready(SteadyMs now) const { return outstanding_ == 0 && now >= next_run_; }
    SteadyMs next_run() const { return next_run_; }

    // A timer was set for `at`: do not sleep past it. True: the next run is earlier now.
    bool hurry(SteadyMs at);

    std::vector<Command> on_due(const Due& due, SteadyMs now);
    // It could not look, or broke while doing so.
    void on_failure(const std::string& detail, SteadyMs now);
    void on_answer(const ExecutionId& id, const Result<Answer>& answer, SteadyMs now);

  private:
    struct Strikes {
        unsigned in_a_row = 0;
        std::uint64_t passed_over_until = 0;  // a run
    };

    bool passes_over(const ExecutionId& id) const;
    void strike(const ExecutionId& id);

    ReconcilerSpec spec_;
    SteadyMs next_run_ = 0;
    std::size_t outstanding_ = 0;
    bool more_waiting_ = false;
    std::unordered_map<ExecutionId, Strikes> strikes_;

    std::uint64_t runs_ = 0;
    std::uint64_t processed_ = 0;
    std::uint64_t errors_ = 0;
    std::string last_error_;
    std::optional<std::int64_t> last_run_at_ms_;
    std::int64_t lag_ms_ = 0;
};

}  // namespace flowfabric
