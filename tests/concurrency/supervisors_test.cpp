#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"
#include "support/forwarding_backend.hpp"

namespace flowfabric::test {
namespace {

using namespace std::chrono_literals;
using enum LeaseEventType;

// Looks all the time and takes a few rows at once, so that two of them are often after the same ones.
EngineOptions eager() {
    EngineOptions options{.migrate = false};
    for (const ReconcilerSpec& spec : all_reconcilers()) {
        options.reconcilers[std::string(spec.name)] = {.interval = 1ms, .batch = 20};
    }
    return options;
}

std::uint64_t processed_by(Engine& engine) {
    std::uint64_t processed = 0;
    for (const ReconcilerView& reconciler : engine.list_reconcilers()) processed += reconciler.processed;
    return processed;
}

// ---- two on one store -------------------------------------------------------------------------------------------

class TwoSupervisors : public ::testing::TestWithParam<StoreKind> {
  protected:
    static constexpr std::uint32_t of_each = 150;
    static constexpr std::uint32_t prepared = 4 * of_each;
    static constexpr std::int64_t due_in_ms = 1000;

    void SetUp() override {
        if (have_store(GetParam())) store_ = std::make_unique<TestStore>(GetParam());
    }
    void TearDown() override {
        if (store_) expect_invariants(*store_->backend());
    }

    std::unique_ptr<Engine> open(EngineOptions options) {
        options.default_retry_policy = RetryPolicy{.max_retries = 0};
        return value_of(open_engine(store_->backend(), std::move(options)));
    }
    std::int64_t due_at() { return store_->clock().now_ms() + due_in_ms; }
    void let_all_come_due() { store_->clock().advance(due_in_ms); }
    Dump snapshot() { return dump(*store_->backend()); }
    bool anything_due() {
        const auto reader = std::move(*store_->backend()->open_reader());
        return std::ranges::any_of(
            all_due_rows(), [&](const DueRows* rows) { return !reader->select_due(*rows, 1, {})->executions.empty(); });
    }

    // One lane for each kind of timer.
    void prepare() {
        const auto engine = open({.migrate = false, .run_reconcilers = false});
        const auto create = [&](const CreateExecution& command) {
            for (const auto& created : engine->run_all(std::vector(of_each, command))) value_of(created);
        };
        const auto claim = [&](const std::string& lane, Claim command) {
            create({.lane_id = lane});
            command.lanes = {lane};
            command.max_count = of_each;
            EXPECT_EQ(value_of(engine->claim(command)).executions.size(), of_each);
        };
        Claim lost = claim_by("w1");
        lost.lease_ttl_ms = due_in_ms;
        claim("lost", lost);
        Claim slow = claim_by("w1");
        slow.attempt_timeout_ms = due_in_ms;
        claim("slow", slow);
        create({.lane_id = "delayed", .delay_until_ms = due_at()});
        create({.lane_id = "late", .execution_deadline_at_ms = due_at()});
    }

    static void expect_done_once(const StoredExecution& execution, const std::vector<LeaseEventType>& leases,
                                 const std::vector<TerminalOutcome>& outcomes) {
        const ExecutionRow& row = execution.row;
        const std::vector was_leased{acquired, expired};
        const std::vector ended{TerminalOutcome::expired};
        if (row.lane_id == "lost") {
            EXPECT_EQ(row.vector.ownership_state, OwnershipState::lease_expired_reclaimable);
            EXPECT_EQ(row.lease_epoch, 2U);
        } else if (row.lane_id == "slow") {
            EXPECT_EQ(row.failure_reason, "attempt_timeout");
        } else if (row.lane_id == "delayed") {
            EXPECT_EQ(row.vector.public_state, PublicState::waiting);
        } else {
            EXPECT_EQ(row.failure_reason, "execution_deadline");
        }
        const bool claimed = row.lane_id == "lost" || row.lane_id == "slow";
        const bool over = row.lane_id == "slow" || row.lane_id == "late";
        EXPECT_EQ(leases, claimed ? was_leased : std::vector<LeaseEventType>{});
        EXPECT_EQ(outcomes, over ? ended : std::vector<TerminalOutcome>{});
    }

  private:
    std::unique_ptr<TestStore> store_;
};
INSTANTIATE_TEST_SUITE_P(Stores, TwoSupervisors, all_stores(), name_of_param);

TEST_P(TwoSupervisors, DoNothingTwice) {
    prepare();
    const std::array engines{open(eager()), open(eager())};
    let_all_come_due();
    const auto processed = [&] { return processed_by(*engines[0]) + processed_by(*engines[1]); };
    await([&] { return processed() >= prepared; });
    EXPECT_EQ(processed(), prepared);
    for (const auto& engine : engines) {
        for (const ReconcilerView& reconciler : engine->list_reconcilers()) {
            EXPECT_EQ(reconciler.errors, 0U) << reconciler.name << ": " << reconciler.last_error;
        }
    }

    const Dump stored = snapshot();
    std::map<ExecutionId, std::vector<LeaseEventType>> leases;
    std::map<ExecutionId, std::vector<TerminalOutcome>> outcomes;
    for (const auto& event : stored.lease_events) leases[event.execution_id].push_back(*event.event_type.known());
    for (const auto& event : stored.completion_events) outcomes[event.execution_id].push_back(*event.outcome.known());
    ASSERT_EQ(stored.executions.size(), prepared);
    for (const auto& [id, execution] : stored.executions) {
        SCOPED_TRACE(execution.row.lane_id + " " + id.to_string());
        expect_done_once(execution, leases[id], outcomes[id]);
    }
}

TEST_P(TwoSupervisors, LeaveToEachOtherWhatIsUndoneWhenTheyStop) {
    prepare();
    let_all_come_due();
    auto first = open(eager());
    await([&] { return processed_by(*first) > 0; });
    auto end = std::async(std::launch::async, [&] { first.reset(); });
    ASSERT_EQ(end.wait_for(patience), std::future_status::ready);
    const Dump halfway = snapshot();

    const auto second = open(eager());
    await([&] { return !anything_due(); });
    EXPECT_EQ(violations_between(halfway, snapshot()), std::vector<std::string>{});
}

// ---- one on its own ---------------------------------------------------------------------------------------------

// A store whose first readers cannot be opened, in ways that no store has.
class BrokenAtFirst : public ForwardingBackend {
  public:
    BrokenAtFirst(std::shared_ptr<Backend> inner, int failures)
        : ForwardingBackend(std::move(inner)), failures_(failures), attempts_(failures + 1) {}

    void await_reader() const { attempts_.wait(); }

    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until) override {
        attempts_.count_down();
        if (failures_ > 0) {
            if (--failures_ == 0) throw 42;  // NOLINT(hicpp-exception-baseclass): that is the point
            throw std::runtime_error("out of order");
        }
        return ForwardingBackend::open_reader(until);
    }

  private:
    int failures_;
    std::latch attempts_;
};

// One reconciler over a hub that nobody takes commands from: what it submits stays under way.
class LoneSupervisor : public ::testing::Test {
  protected:
    ~LoneSupervisor() override { hub_.stop(); }

    void create_due_row() {
        const auto engine = value_of(open_engine(store_, {.run_reconcilers = false}));
        value_of(engine->create_execution({.delay_until_ms = clock_->now_ms() + 1000}));
        clock_->advance(1000);
    }
    std::unique_ptr<Supervisor> start(const std::shared_ptr<Backend>& backend) {
        ReconcilerSpec spec = delayed_promotion();
        spec.interval_ms = 1;
        return std::make_unique<Supervisor>(hub_, backend, Supervisor::Options{.reconcilers = {spec}, .filter = {}});
    }

    std::shared_ptr<TestClock> clock_ = std::make_shared<TestClock>(start_of_time_ms);
    std::shared_ptr<Backend> store_ = memory::make_backend({.clock = clock_, .faults = {}});
    CommandHub hub_{Settings{}, BatchPolicy{}, false, steady_now, [](const std::function<void()>& job) { job(); }};
};

TEST_F(LoneSupervisor, StartsAReconcilerThatThrewAgain) {
    const auto broken = std::make_shared<BrokenAtFirst>(store_, 2);
    const auto supervisor = start(broken);
    broken->await_reader();
    supervisor->stop();
    const ReconcilerView reconciler = supervisor->reconcilers().at(0);
    EXPECT_EQ(reconciler.errors, 2U);
    EXPECT_EQ(reconciler.last_error, "something that is no exception");
    EXPECT_GE(reconciler.runs, 1U);
}

TEST_F(LoneSupervisor, StopsWithoutWaitingForRowsThatAreUnderWay) {
    create_due_row();
    const auto watched = std::make_shared<BrokenAtFirst>(store_, 0);
    const auto supervisor = start(watched);
    watched->await_reader();
    auto end = std::async(std::launch::async, [&] { supervisor->stop(); });
    EXPECT_EQ(end.wait_for(patience), std::future_status::ready);
    EXPECT_FALSE(hub_.idle()) << "nothing was under way";
}

// Two looks that meet: neither ends before the other has begun.
struct Meeting {
    std::promise<void> sweep_begun;
    std::promise<void> timer_begun;
    std::atomic<bool> met = false;
};
Meeting* meeting = nullptr;

TEST_F(LoneSupervisor, ASlowSweepDoesNotHoldUpTimers) {
    Meeting both;
    meeting = &both;
    ReconcilerSpec sweep{.name = "sweep", .interval_ms = 60'000};
    sweep.look = [](StoreReader&, const LookArguments&) -> StoreResult<Findings> {
        meeting->sweep_begun.set_value();
        meeting->met = meeting->timer_begun.get_future().wait_for(patience) == std::future_status::ready;
        return Findings{};
    };
    ReconcilerSpec timer{.name = "timer", .due = &lease_expiry_timer, .interval_ms = 60'000};
    timer.look = [](StoreReader&, const LookArguments&) -> StoreResult<Findings> {
        meeting->sweep_begun.get_future().wait_for(patience);
        meeting->timer_begun.set_value();
        return Findings{};
    };
    const auto supervisor =
        std::make_unique<Supervisor>(hub_, store_, Supervisor::Options{.reconcilers = {sweep, timer}, .filter = {}});
    await([&] { return supervisor->reconcilers().at(0).runs > 0 && supervisor->reconcilers().at(1).runs > 0; });
    supervisor->stop();
    EXPECT_TRUE(both.met);
}

}  // namespace
}  // namespace flowfabric::test
