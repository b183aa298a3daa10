#include <algorithm>
#include <csignal>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "e2e/e2e_test.hpp"

// A worker that dies takes nothing with it: all that it held is with another one a second after its leases are over.
namespace flowfabric::test {
namespace {

using enum LeaseEventType;

constexpr std::size_t held = 100;
constexpr std::int64_t lease_ttl_ms = 2000;
constexpr std::int64_t time_to_reclaim_ms = 1000;

// The programs of a killed worker, by the file that they write their process ids to; reaped with this object.
class Programs {
  public:
    explicit Programs(const ScratchFile& file) : file_(file) { adopt_orphans(); }
    ~Programs() {
        for (const pid_t id : ids()) end_orphan(id);
    }
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    std::vector<pid_t> ids() const {
        std::istringstream text(file_.text());
        return {std::istream_iterator<pid_t>(text), {}};
    }

  private:
    const ScratchFile& file_;
};

class DeadWorker : public EndToEnd {
  protected:
    std::set<ExecutionId> create_all() {
        const auto engine = store().open_engine({.run_reconcilers = false});
        std::set<ExecutionId> ids;
        for (const auto& created : engine->run_all(std::vector<CreateExecution>(held))) {
            ids.insert(value_of(created).execution_id);
        }
        return ids;
    }
    std::vector<std::string> worker(const std::string& instance, const std::string& lease_ttl,
                                    const std::string& script) {
        return command({"worker", "--json", "--instance-id", instance, "--concurrency", std::to_string(held),
                        "--lease-ttl", lease_ttl, "--", "sh", "-c", script});
    }
    std::size_t count(LeaseEventType type) {
        return static_cast<std::size_t>(
            std::ranges::count(snapshot().lease_events, Open(type), &LeaseEvent::event_type));
    }
    static std::map<ExecutionId, std::vector<LeaseEvent>> lease_histories(const Dump& stored) {
        std::map<ExecutionId, std::vector<LeaseEvent>> histories;
        for (const LeaseEvent& event : stored.lease_events) histories[event.execution_id].push_back(event);
        return histories;
    }

    // acquired, renewed …, expired, reclaimed, renewed …, released: lost by one worker and taken by the other, once, in
    // time by the store's own clock. Returns how long it took.
    static std::int64_t expect_handed_over(const std::vector<LeaseEvent>& history) {
        std::vector<LeaseEventType> turns;
        std::int64_t expires_at_ms = 0;
        std::int64_t lateness_ms = 0;
        for (const LeaseEvent& event : history) {
            const LeaseEventType type = *event.event_type.known();
            if (type == acquired || (type == renewed && event.lease_epoch == 1)) {
                EXPECT_EQ(event.worker_instance_id, "first");
                expires_at_ms = event.occurred_at_ms + lease_ttl_ms;
            } else if (type == expired) {
                EXPECT_GE(event.occurred_at_ms, expires_at_ms) << "taken from a worker that might have been alive";
            } else if (type == reclaimed) {
                EXPECT_EQ(event.worker_instance_id, "second");
                EXPECT_EQ(event.prev_worker_instance_id, "first");
                EXPECT_EQ(event.attempt_index, 1);
                lateness_ms = event.occurred_at_ms - expires_at_ms;
                EXPECT_LE(lateness_ms, time_to_reclaim_ms);
            }
            if (type != renewed) turns.push_back(type);
        }
        EXPECT_EQ(turns, (std::vector{acquired, expired, reclaimed, released}));
        return lateness_ms;
    }

    static void expect_two_attempts(const StoredExecution& execution) {
        EXPECT_EQ(execution.row.vector.public_state, PublicState::completed);
        ASSERT_EQ(execution.attempts.size(), 2U);
        EXPECT_EQ(execution.attempts[0].outcome, AttemptOutcome::interrupted_reclaimed);
        EXPECT_EQ(execution.attempts[1].attempt_type, AttemptType::reclaim);
        EXPECT_EQ(execution.attempts[1].attempt_index, 1);
        EXPECT_EQ(execution.attempts[1].outcome, AttemptOutcome::ended_success);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, DeadWorker, durable_stores(), name_of_param);

TEST_P(DeadWorker, IsReplacedWithinASecondOfItsLastLease) {
    const auto ids = create_all();
    const ScratchFile started;
    Process first(
        worker("first", std::to_string(lease_ttl_ms) + "ms", "echo $$ >> " + started.path() + "; exec sleep 600"));
    const Programs programs(started);
    await("a hundred programs", [&] { return programs.ids().size() == held; });
    await("a renewal of each lease", [&] { return count(renewed) >= held; });
    const auto one_more = submit();  // the first worker has no hand free
    // Its own leases give its reconciler no reason to wake up in time.
    Process second(worker("second", "1h", "echo $FF_ATTEMPT_INDEX"));
    second.await_line(one_more);

    first.signal(SIGKILL);
    EXPECT_EQ(first.wait_for(patience), -SIGKILL);
    second.await_lines(held + 2);  // the first one says that it runs
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);

    const Dump stored = snapshot();
    const auto histories = lease_histories(stored);
    EXPECT_EQ(stored.completion_events.size(), held + 1);
    std::int64_t latest_ms = 0;
    for (const ExecutionId& id : ids) {
        SCOPED_TRACE(id.to_string());
        latest_ms = std::max(latest_ms, expect_handed_over(histories.at(id)));
        expect_two_attempts(stored.executions.at(id));
        EXPECT_EQ(stored.executions.at(id).result, "1\n");
    }
    RecordProperty("last_reclaimed_after_ms", std::to_string(latest_ms));
}

}  // namespace
}  // namespace flowfabric::test
