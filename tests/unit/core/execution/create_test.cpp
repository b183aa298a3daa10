#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::create_of;

constexpr std::int64_t now = test::created_at;
const IdempotencyKey key{"default", "order-1"};

struct Creation {
    explicit Creation(const AdmittedCreate& command, CreateFacts facts = {}, StoreSettings store = {}) {
        set.now_ms = now;
        set.settings = std::move(store);
        DecisionContext context{set, settings};
        decision = *decide_create(command, facts, context);
    }

    WorkingSet set;
    Settings settings;
    CreateDecision decision;
};

AdmittedCreate keyed_create(std::uint64_t number) {
    AdmittedCreate create = create_of(number);
    create.idempotency = key;
    return create;
}

TEST(Create, ANewExecutionWaitsForAWorkerAtOnce) {
    AdmittedCreate command = create_of(1);
    command.input = "payload";
    const Creation creation(command);
    ASSERT_TRUE(creation.decision.inserted);
    const ExecutionEntry& entry = *creation.decision.inserted;
    EXPECT_EQ(entry.change, RowChange::insert);
    EXPECT_EQ(entry.input, "payload");
    const ExecutionRow& row = entry.row;
    EXPECT_EQ(row.vector, waiting_vector(AttemptState::pending_first_attempt));
    EXPECT_EQ(row.created_at_ms, now);
    EXPECT_EQ(row.last_transition_at_ms, now);
    EXPECT_EQ(row.last_mutation_at_ms, now);
    EXPECT_EQ(row.attempt_index, 0);
    EXPECT_EQ(row.total_attempt_count, 0);
    EXPECT_EQ(row.lease_epoch, 0U);
    EXPECT_FALSE(row.started_at_ms);
    EXPECT_FALSE(row.lease_check_at_ms);
    EXPECT_EQ(creation.decision.answer,
              (Created{.execution_id = row.id, .duplicate = false, .public_state = PublicState::waiting}));
    EXPECT_TRUE(creation.set.work_available);
    EXPECT_TRUE(creation.set.events.of<LeaseEvent>().empty());
    EXPECT_TRUE(creation.set.events.of<CompletionEvent>().empty());
}

TEST(Create, TheInstanceTagIsTheOneThatTheSettingsName) {
    AdmittedCreate command = create_of(1);
    command.row.tags = {R"({"cairn.instance_id":"i1","my.instance":"i2"})"};
    EXPECT_EQ(Creation(command).decision.inserted->row.instance_tag, "i1");
    EXPECT_EQ(Creation(command, {}, {.instance_tag_key = "my.instance"}).decision.inserted->row.instance_tag, "i2");
    EXPECT_FALSE(Creation(command, {}, {.instance_tag_key = "no.such"}).decision.inserted->row.instance_tag);
}

TEST(Create, TheOwnRetentionTimeIsKeptWhetherItRunsOrIsRefused) {
    AdmittedCreate command = create_of(1);
    command.row.own_retention_ms = 50;
    EXPECT_EQ(Creation(command).decision.inserted->row.own_retention_ms, 50U);
    command.refusal = "lane_id: no such lane";
    const Creation refused(command);
    EXPECT_EQ(refused.decision.inserted->row.own_retention_ms, 50U);
    EXPECT_EQ(refused.set.side.of<RetentionRow>().rows(),
              (std::vector<RetentionRow>{{.key = {test::execution(1)}, .remove_at_ms = now + 50}}));
}

TEST(Create, AFutureDelayIsWaitedOutAndAPastOneIsNot) {
    AdmittedCreate command = create_of(1);
    command.row.delay_until_ms = now + 1;
    const Creation later(command);
    EXPECT_EQ(later.decision.inserted->row.vector,
              delayed_vector(BlockingReason::waiting_for_delay, AttemptState::pending_first_attempt));
    EXPECT_EQ(later.decision.inserted->row.delay_until_ms, now + 1);
    EXPECT_EQ(later.decision.answer.public_state, PublicState::delayed);
    EXPECT_FALSE(later.set.work_available);

    command.row.delay_until_ms = now;
    const Creation due(command);
    EXPECT_EQ(due.decision.answer.public_state, PublicState::waiting);
    EXPECT_FALSE(due.decision.inserted->row.delay_until_ms);
}

TEST(Create, TheDeadlineIsTheGivenOneOrCountsFromCreation) {
    AdmittedCreate command = create_of(1);
    command.execution_deadline_ms = 500;
    EXPECT_EQ(Creation(command).decision.inserted->row.deadline_at_ms, now + 500);
    EXPECT_EQ(Creation(command).decision.inserted->row.deadline_check_at_ms, now + 500);
    command.row.deadline_at_ms = now + 7;
    EXPECT_EQ(Creation(command).decision.inserted->row.deadline_at_ms, now + 7);
}

TEST(Create, AnExistingIdIsADuplicate) {
    const Creation creation(create_of(1), {.id_taken = true});
    EXPECT_FALSE(creation.decision.inserted);
    EXPECT_EQ(creation.decision.answer, (Created{.execution_id = test::execution(1), .duplicate = true}));
    EXPECT_TRUE(creation.set.empty());
}

TEST(Create, AKeyIsStoredWithItsWindow) {
    const Creation creation(keyed_create(1));
    ASSERT_EQ(creation.set.idempotency.size(), 1U);
    EXPECT_EQ(creation.set.idempotency[0],
              (IdempotencyRow{.key = key, .execution_id = test::execution(1), .expires_at_ms = now + 1'000}));
}

TEST(Create, ALiveKeyAnswersWithTheOriginalEvenBeforeTheId) {
    const IdempotencyRow owner{.key = key, .execution_id = test::execution(5), .expires_at_ms = now + 1};
    const Creation creation(keyed_create(1), {.key_owner = &owner, .id_taken = true});
    EXPECT_EQ(creation.decision.answer, (Created{.execution_id = test::execution(5), .duplicate = true}));
    EXPECT_TRUE(creation.set.empty());
}

TEST(Create, ALapsedKeyIsTakenOver) {
    const IdempotencyRow owner{.key = key, .execution_id = test::execution(5), .expires_at_ms = now};
    const Creation creation(keyed_create(1), {.key_owner = &owner});
    ASSERT_TRUE(creation.decision.inserted);
    EXPECT_FALSE(creation.decision.answer.duplicate);
    ASSERT_EQ(creation.set.idempotency.size(), 1U);
    EXPECT_EQ(creation.set.idempotency[0].execution_id, test::execution(1));
}

TEST(Create, AnEndlessWindowDoesNotOverflow) {
    AdmittedCreate command = keyed_create(1);
    command.dedup_window_ms = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(Creation(command).set.idempotency[0].expires_at_ms, std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace flowfabric
