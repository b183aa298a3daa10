#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/batching/batch.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

// How far a reconciler has walked through all executions, or all flows.
using WalkPlace = std::variant<ExecutionId, FlowKey>;

// What a reconciler may need to know when it looks.
struct LookArguments {
    std::uint32_t batch = 1000;
    ExecutionFilter filter;
    SettingOverrides overrides;
    std::optional<WalkPlace> walked_to;  // by its last look that went well

    // Where a walk goes on; absent: it begins.
    template <class Place>
    std::optional<Place> after() const {
        return walked_to ? std::optional(std::get<Place>(*walked_to)) : std::nullopt;
    }
};

// What a look has found: commands for the normal batches. Every answer says whether the command changed something.
struct Findings {
    std::int64_t now_ms = 0;
    std::vector<Command> commands;
    // To be run when all commands have been answered without an error.
    std::optional<Command> conclusion;
    std::optional<std::int64_t> oldest_at_ms;  // since when the first of them has been due
    std::optional<std::int64_t> next_at_ms;    // the earliest time that is not due yet
    std::optional<WalkPlace> walked_to;        // absent: the walk is at its end, or there is none
    bool more = false;                         // there may be more than this
};

// What tells one reconciler from another: what it looks for, and how often and how much.
struct ReconcilerSpec {
    std::string_view name;
    // What it serves on time: to set such a time brings the next look forward. Others may be behind without harm.
    const DueRows* due = nullptr;
    SteadyMs interval_ms = 0;
    std::uint32_t batch = 1000;
    StoreResult<Findings> (*look)(StoreReader& reader, const LookArguments& arguments) = nullptr;
};

ReconcilerSpec lease_expiry();
ReconcilerSpec delayed_promotion();
ReconcilerSpec attempt_timeout();
ReconcilerSpec execution_deadline();
ReconcilerSpec suspension_timeout();
ReconcilerSpec pending_wp_expiry();
ReconcilerSpec grant_sweep();
ReconcilerSpec worker_registry_ttl_sweep();
ReconcilerSpec retention();
ReconcilerSpec retention_trimmer();
ReconcilerSpec dependency();
ReconcilerSpec edge_cancel_dispatcher();
ReconcilerSpec cancel_reconciler();
ReconcilerSpec flow_projector();
ReconcilerSpec bulk_operations();
ReconcilerSpec webhook_failures();
ReconcilerSpec budget_reset();
ReconcilerSpec stream_retention();

std::vector<ReconcilerSpec> all_reconcilers();

// A look for due rows: each execution that they lead to gets a command.
StoreResult<Findings> find_due(StoreReader& reader, const LookArguments& arguments, const DueRows& rows,
                               Command (*command_for)(const ExecutionId& id));

template <const auto& rows, Command (*command_for)(const ExecutionId& id)>
StoreResult<Findings> look_for_due(StoreReader& reader, const LookArguments& arguments) {
    return find_due(reader, arguments, rows, command_for);
}

// One reconciler's schedule: told what was found, it answers with commands, and sleeps until the next due time that it
// knows of or its interval, whichever is first. A command that fails is counted and comes again later; what keeps
// failing is passed over for a while.
class Reconciler {
  public:
    explicit Reconciler(ReconcilerSpec spec) : spec_(spec) {}

    const ReconcilerSpec& spec() const { return spec_; }
    ReconcilerView view() const;

    // Whether it should look now.
    bool ready(SteadyMs now) const { return outstanding_ == 0 && !conclusion_ && now >= next_run_; }
    SteadyMs next_run() const { return next_run_; }
    const std::optional<WalkPlace>& walked_to() const { return walked_to_; }

    // A timer was set for `at`: do not sleep past it. True: the next run is earlier now.
    bool hurry(SteadyMs at);

    std::vector<Command> on_found(Findings found, SteadyMs now);
    // It could not look, or broke while doing so.
    void on_failure(const std::string& detail, SteadyMs now);
    // `subject`: what the command was about.
    void on_answer(const std::string& subject, const Result<Answer>& answer, SteadyMs now);
    // What is to be run now that the commands have been answered.
    std::optional<Command> take_conclusion();

  private:
    struct Strikes {
        unsigned in_a_row = 0;
        std::uint64_t passed_over_until = 0;  // a run
    };

    bool passes_over(const std::string& subject) const;
    void strike(const std::string& subject);

    ReconcilerSpec spec_;
    SteadyMs next_run_ = 0;
    std::size_t outstanding_ = 0;
    bool more_waiting_ = false;
    std::optional<Command> conclusion_;
    std::optional<WalkPlace> walked_to_;
    std::unordered_map<std::string, Strikes> strikes_;

    std::uint64_t runs_ = 0;
    std::uint64_t processed_ = 0;
    std::uint64_t errors_ = 0;
    std::string last_error_;
    std::optional<std::int64_t> last_run_at_ms_;
    std::int64_t lag_ms_ = 0;
};

}  // namespace flowfabric
