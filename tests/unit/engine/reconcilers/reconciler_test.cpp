#include "engine/reconcilers/reconciler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "core/execution/timers.hpp"
#include "flowfabric/consumer.hpp"
#include "flowfabric/events.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SteadyMs start = 10'000;
constexpr std::uint32_t page = 1000;
const Result<Answer> fired = Answer::of<TimerFired>({.changed = true});
const Result<Answer> idle = Answer::of<TimerFired>({.changed = false});

Findings due_of(std::uint64_t count, std::optional<std::int64_t> next_in = {}) {
    Findings found{.now_ms = created_at, .more = count >= page};
    for (std::uint64_t i = 0; i < count; ++i) found.commands.push_back(command_of(Timer::lease_expiry, execution(i)));
    if (next_in) found.next_at_ms = created_at + *next_in;
    return found;
}

Command acknowledgement_of(std::int64_t event_id) {
    const AcknowledgeEvents command{
        .channel = Channel::completion, .consumer = "ff.retention", .cursor = cursor_at(event_id)};
    return *admit(command, Settings{}, ids_of(1));
}

TEST(ReconcilerSpecs, HaveTheSpecifiedCadence) {
    std::vector<std::tuple<std::string_view, SteadyMs, std::uint32_t>> cadence;
    for (const ReconcilerSpec& spec : all_reconcilers()) cadence.emplace_back(spec.name, spec.interval_ms, spec.batch);
    EXPECT_THAT(
        cadence,
        ElementsAre(std::tuple("lease_expiry", 1500, 1000U), std::tuple("delayed_promotion", 750, 1000U),
                    std::tuple("attempt_timeout", 2000, 1000U), std::tuple("execution_deadline", 5000, 1000U),
                    std::tuple("suspension_timeout", 2000, 1000U), std::tuple("pending_wp_expiry", 5000, 1000U),
                    std::tuple("grant_sweep", 5000, 1000U), std::tuple("worker_registry_ttl_sweep", 30'000, 1000U),
                    std::tuple("retention", 60'000, 500U), std::tuple("retention_trimmer", 60'000, 500U),
                    std::tuple("dependency", 15'000, 500U), std::tuple("edge_cancel_dispatcher", 1000, 50U),
                    std::tuple("cancel_reconciler", 15'000, 500U), std::tuple("flow_projector", 15'000, 500U),
                    std::tuple("bulk_operations", 1000, 500U), std::tuple("webhook_failures", 60'000, 500U),
                    std::tuple("budget_reset", 15'000, 1000U), std::tuple("stream_retention", 60'000, 1000U)));
}

TEST(ReconcilerSpecs, EachAsksForWhatItsTimerMeans) {
    const std::vector<std::pair<Timer, std::string_view>> wanted{{Timer::lease_expiry, "expire_lease"},
                                                                 {Timer::delayed_promotion, "promote_delayed"},
                                                                 {Timer::attempt_timeout, "time_out_attempt"},
                                                                 {Timer::execution_deadline, "expire_execution"}};
    for (const auto& [timer, name] : wanted) {
        const Command command = command_of(timer, execution(1));
        EXPECT_EQ(command->traits().name, name);
        EXPECT_THAT(command->executions(), ElementsAre(execution(1)));
    }
}

TEST(Reconciler, AsksAtOnceAndThenEveryInterval) {
    Reconciler reconciler(delayed_promotion());
    EXPECT_TRUE(reconciler.ready(0));
    EXPECT_THAT(reconciler.on_found(due_of(0), start), IsEmpty());
    EXPECT_FALSE(reconciler.ready(start + 749));
    EXPECT_TRUE(reconciler.ready(start + 750));
    EXPECT_EQ(reconciler.next_run(), start + 750);
}

TEST(Reconciler, WakesForTheNextDueTimeItKnows) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_found(due_of(0, 200), start);
    EXPECT_EQ(reconciler.next_run(), start + 200);
    reconciler.on_found(due_of(0, 5'000), start);
    EXPECT_EQ(reconciler.next_run(), start + 750);
}

TEST(Reconciler, ATimerSetMeanwhileIsNotSleptPast) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_found(due_of(0), start);
    EXPECT_TRUE(reconciler.hurry(start + 300));
    EXPECT_EQ(reconciler.next_run(), start + 300);
    EXPECT_FALSE(reconciler.hurry(start + 400)) << "later than what is planned";
    EXPECT_EQ(reconciler.next_run(), start + 300);
}

TEST(Reconciler, NeverSpins) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_found(due_of(0, 1), start);
    EXPECT_GT(reconciler.next_run(), start + 1);
}

TEST(Reconciler, WaitsForItsAnswersBeforeItAsksAgain) {
    Reconciler reconciler(lease_expiry());
    EXPECT_THAT(reconciler.on_found(due_of(2), start), SizeIs(2));
    EXPECT_FALSE(reconciler.ready(start + 10'000));
    reconciler.on_answer(execution(0).to_string(), fired, start + 10);
    EXPECT_FALSE(reconciler.ready(start + 10'000));
    reconciler.on_answer(execution(1).to_string(), idle, start + 20);
    EXPECT_FALSE(reconciler.ready(start + 1'499));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.view().processed, 1U);
    EXPECT_EQ(reconciler.view().errors, 0U);
}

TEST(Reconciler, GoesOnAtOnceAfterAFullPage) {
    Reconciler reconciler(lease_expiry());
    ASSERT_THAT(reconciler.on_found(due_of(page), start), SizeIs(page));
    for (std::uint32_t i = 0; i < page; ++i) reconciler.on_answer(execution(i).to_string(), fired, start + 5);
    EXPECT_TRUE(reconciler.ready(start + 5));
}

TEST(Reconciler, AFullPageWithAFailureWaitsItsTurn) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_found(due_of(page), start);
    for (std::uint32_t i = 1; i < page; ++i) reconciler.on_answer(execution(i).to_string(), fired, start + 5);
    reconciler.on_answer(execution(0).to_string(), EngineError{.kind = ErrorKind::retry_exhausted, .detail = "row"},
                         start + 5);
    EXPECT_FALSE(reconciler.ready(start + 5));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.view().processed, page - 1);
    EXPECT_EQ(reconciler.view().errors, 1U);
    EXPECT_NE(reconciler.view().last_error.find("retry_exhausted"), std::string::npos);
}

TEST(Reconciler, AStoreErrorIsCountedAndTriedAgainAfterTheInterval) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_failure("gone", start);
    EXPECT_EQ(reconciler.next_run(), start + 1'500);
    EXPECT_EQ(reconciler.view().errors, 1U);
    EXPECT_EQ(reconciler.view().last_error, "gone");
}

TEST(Reconciler, TellsHowFarBehindItWas) {
    Reconciler reconciler(lease_expiry());
    Findings due = due_of(1);
    due.oldest_at_ms = created_at - 700;
    reconciler.on_found(due, start);
    EXPECT_EQ(reconciler.view().lag_ms, 700);
    EXPECT_EQ(reconciler.view().last_run_at_ms, created_at);
    EXPECT_EQ(reconciler.view().runs, 1U);
    reconciler.on_answer(execution(0).to_string(), fired, start);
    reconciler.on_found(due_of(0), start);
    EXPECT_EQ(reconciler.view().lag_ms, 0);
}

TEST(Reconciler, ARowThatKeepsFailingIsPassedOverForAWhile) {
    const Result<Answer> failure = EngineError{.kind = ErrorKind::corruption, .detail = "poison"};
    Reconciler reconciler(lease_expiry());
    const auto run = [&] {
        const auto commands = reconciler.on_found(due_of(2), start);
        for (const Command& command : commands) {
            const ExecutionId id = command->executions().front();
            reconciler.on_answer(id.to_string(), id == execution(0) ? failure : fired, start);
        }
        return commands.size();
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(), 2U) << "strike " << i + 1;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(run(), 1U) << "the other row is not held up";
    EXPECT_EQ(run(), 2U) << "it gets another chance";
    EXPECT_EQ(reconciler.view().errors, 4U);
    EXPECT_EQ(reconciler.view().processed, 14U);
}

TEST(Reconciler, ASuccessForgivesEarlierFailures) {
    const Result<Answer> failure = EngineError{.kind = ErrorKind::corruption, .detail = "flaky"};
    Reconciler reconciler(lease_expiry());
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(reconciler.on_found(due_of(1), start).size(), 1U);
        reconciler.on_answer(execution(0).to_string(), i % 3 == 2 ? fired : failure, start);
    }
    EXPECT_EQ(reconciler.on_found(due_of(1), start).size(), 1U);
}

TEST(Reconciler, ConcludesWhenAllItsCommandsHaveBeenAnswered) {
    Reconciler reconciler(retention_trimmer());
    Findings found = due_of(2);
    found.conclusion = acknowledgement_of(7);
    EXPECT_THAT(reconciler.on_found(found, start), SizeIs(2));
    reconciler.on_answer(execution(0).to_string(), fired, start);
    EXPECT_FALSE(reconciler.take_conclusion());
    reconciler.on_answer(execution(1).to_string(), idle, start);
    EXPECT_EQ(reconciler.next_run(), start);
    EXPECT_FALSE(reconciler.ready(start)) << "it has not concluded";
    const auto conclusion = reconciler.take_conclusion();
    ASSERT_TRUE(conclusion);
    Desk desk(waiting_row());
    desk.set.drawn[index_of(Channel::completion)] = 7;
    desk.set.side.of<ConsumerRow>().load({.key = {Channel::completion, "ff.retention"}});
    EXPECT_EQ(answer_of<ConsumerPosition>(desk.decide(*conclusion)).cursor, cursor_at(7));
    EXPECT_FALSE(reconciler.ready(start)) << "the conclusion is under way";
    reconciler.on_answer("acknowledge_events", Answer::of<ConsumerPosition>({}), start);
    EXPECT_TRUE(reconciler.ready(start));
    EXPECT_EQ(reconciler.view().processed, 1U);
}

TEST(Reconciler, DoesNotConcludeAfterAFailure) {
    Reconciler reconciler(retention_trimmer());
    Findings found = due_of(1);
    found.conclusion = acknowledgement_of(0);
    found.walked_to = execution(9);
    reconciler.on_found(found, start);
    EXPECT_EQ(reconciler.walked_to(), WalkPlace(execution(9)));
    reconciler.on_answer(execution(0).to_string(), EngineError{.kind = ErrorKind::timeout}, start);
    EXPECT_FALSE(reconciler.take_conclusion());
    EXPECT_EQ(reconciler.walked_to(), std::nullopt) << "the walk begins again";
}

TEST(Reconciler, AConclusionAloneIsACommand) {
    Reconciler reconciler(retention_trimmer());
    Findings found = due_of(0);
    const RemoveConsumer removal{.channel = Channel::completion, .consumer = "ff.retention"};
    found.conclusion = *admit(removal, Settings{}, ids_of(1));
    EXPECT_THAT(reconciler.on_found(found, start), SizeIs(1));
    EXPECT_FALSE(reconciler.take_conclusion());
}

}  // namespace
}  // namespace flowfabric::test
