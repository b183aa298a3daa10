#include <set>

#include "runtime/engine_impl.hpp"
#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What callers read, through the real engine with its threads, next to the deterministic one that writes.
class ReadsTest : public StoreTest {
  protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        EngineOptions options;
        options.run_reconcilers = false;
        api_ = value_of(open_engine(shared_backend(), std::move(options)));
    }
    void TearDown() override {
        api_.reset();
        StoreTest::TearDown();
    }

    Engine& api() { return *api_; }

  private:
    std::unique_ptr<Engine> api_;
};

TEST_P(ReadsTest, AnUnknownExecutionReadsAsNothing) {
    const ExecutionId unknown{86, Uuid{}};
    EXPECT_FALSE(value_of(api().describe_execution(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_result(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_input(unknown)));
    EXPECT_THAT(value_of(api().list_attempts(unknown)), IsEmpty());
}

TEST_P(ReadsTest, TheSameUuidOnAnotherPartitionIsAnotherExecution) {
    const ExecutionId id = create();
    ExecutionId elsewhere = id;
    elsewhere.partition = 1;
    EXPECT_FALSE(value_of(api().describe_execution(elsewhere)));
    EXPECT_TRUE(value_of(api().describe_execution(id)));
}

TEST_P(ReadsTest, DescribeFollowsTheExecution) {
    const ExecutionId id = create();
    const auto shown = [&] { return value_of(api().describe_execution(id)).value(); };
    EXPECT_EQ(shown().vector.public_state, PublicState::waiting);
    const ClaimedExecution claimed = claim();
    EXPECT_EQ(shown().vector.public_state, PublicState::active);
    ASSERT_TRUE(shown().current_lease);
    EXPECT_EQ(shown().current_lease->lease_id, claimed.lease_id);
    ASSERT_TRUE(shown().current_attempt);
    EXPECT_EQ(shown().current_attempt->attempt_id, claimed.attempt_id);
    value_of(complete(claimed.handle, "done"));
    EXPECT_EQ(shown().vector.public_state, PublicState::completed);
    EXPECT_EQ(shown().terminal_at_ms, now());
    EXPECT_FALSE(shown().current_lease || shown().current_attempt);
}

TEST_P(ReadsTest, AResultIsThereOnceTheExecutionIsComplete) {
    CreateExecution command;
    command.input_payload = "in";
    const ExecutionId id = create(command);
    const ClaimedExecution claimed = claim();
    EXPECT_FALSE(value_of(api().get_execution_result(id)));
    value_of(complete(claimed.handle, "out"));
    EXPECT_EQ(value_of(api().get_execution_result(id)), "out");
    EXPECT_EQ(value_of(api().get_execution_input(id)), "in");
}

TEST_P(ReadsTest, AttemptsAreListedInOrderWithTheOpenOneLast) {
    const ExecutionId id = create_with(retries(5, 0));
    for (int i = 0; i < 3; ++i) fail_with_retry(claim().handle);
    claim();
    const auto history = value_of(api().list_attempts(id));
    ASSERT_THAT(history, SizeIs(4));
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(history[i].attempt_index, i);
    EXPECT_EQ(history[2].outcome, AttemptOutcome::ended_failure);
    EXPECT_EQ(history[3].outcome, AttemptOutcome::started);
}

TEST_P(ReadsTest, PagesVisitEveryExecutionOnceInOrder) {
    std::set<ExecutionId> created;
    for (int i = 0; i < 10; ++i) {
        CreateExecution command;
        command.lane_id = "lane-" + std::to_string(i % 4);
        created.insert(create(command));
    }
    ExecutionListQuery query{.limit = 3};
    std::vector<ExecutionId> visited;
    std::vector<std::size_t> sizes;
    for (;;) {
        const ExecutionPage page = value_of(api().list_executions(query));
        for (const ExecutionView& one : page.executions) visited.push_back(one.execution_id);
        sizes.push_back(page.executions.size());
        if (!page.next) break;
        EXPECT_EQ(*page.next, visited.back());
        query.after = page.next;
    }
    EXPECT_THAT(sizes, ElementsAre(3U, 3U, 3U, 1U));
    EXPECT_EQ(visited, std::vector<ExecutionId>(created.begin(), created.end()));
}

TEST_P(ReadsTest, TheLastPageIsTheLastEvenWhenItIsFull) {
    for (int i = 0; i < 6; ++i) create();
    const ExecutionPage first = value_of(api().list_executions({.limit = 3}));
    ASSERT_TRUE(first.next);
    const ExecutionPage second = value_of(api().list_executions({.after = first.next, .limit = 3}));
    EXPECT_THAT(second.executions, SizeIs(3));
    EXPECT_FALSE(second.next);
}

TEST_P(ReadsTest, ALimitOfZeroGivesAnEmptyPage) {
    create();
    const ExecutionPage page = value_of(api().list_executions({.limit = 0}));
    EXPECT_THAT(page.executions, IsEmpty());
    EXPECT_FALSE(page.next);
}

TEST_P(ReadsTest, ListsCanBeNarrowedToAState) {
    create_with(retries(1, 1000));
    fail_with_retry(claim().handle);
    create();
    value_of(complete(claim().handle));
    create();
    value_of(fail(claim().handle));
    create();
    claim();
    create();
    create();
    const auto count = [&](PublicState state) {
        return value_of(api().list_executions({.state = state})).executions.size();
    };
    EXPECT_EQ(count(PublicState::delayed), 1U);
    EXPECT_EQ(count(PublicState::completed), 1U);
    EXPECT_EQ(count(PublicState::failed), 1U);
    EXPECT_EQ(count(PublicState::active), 1U);
    EXPECT_EQ(count(PublicState::waiting), 2U);
    EXPECT_EQ(count(PublicState::suspended), 0U);
    advance(30'000);
    reconcile();
    EXPECT_EQ(count(PublicState::active), 1U);
    EXPECT_EQ(count(PublicState::waiting), 3U);
}

TEST_P(ReadsTest, NarrowedListsArePagedToo) {
    std::set<ExecutionId> waiting;
    for (int i = 0; i < 7; ++i) {
        CreateExecution command;
        command.lane_id = "lane-" + std::to_string(i);
        waiting.insert(create(command));
        create();
        value_of(complete(claim().handle));
    }
    ExecutionListQuery query{.state = PublicState::waiting, .limit = 2};
    std::vector<ExecutionId> visited;
    do {
        const ExecutionPage page = value_of(api().list_executions(query));
        for (const ExecutionView& one : page.executions) visited.push_back(one.execution_id);
        query.after = page.next;
    } while (query.after);
    EXPECT_EQ(visited, std::vector<ExecutionId>(waiting.begin(), waiting.end()));
}

TEST_P(ReadsTest, LanesAreListedInOrder) {
    for (const std::string lane : {"b", "a", "B", "a"}) {
        CreateExecution command;
        command.lane_id = lane;
        create(command);
    }
    std::vector<std::string> ids;
    for (const LaneView& lane : value_of(api().list_lanes()).lanes) ids.push_back(lane.lane_id);
    EXPECT_THAT(ids, ElementsAre("B", "a", "b"));
}

TEST_P(ReadsTest, EventsAreTailedInSlices) {
    for (int i = 0; i < 5; ++i) {
        create();
        value_of(complete(claim().handle));
    }
    const auto opened = backend().open_reader();
    ASSERT_TRUE(opened);
    StoreReader& reader = **opened;
    const std::int64_t watermark = *reader.watermark(Channel::completion);
    std::vector<ExecutionId> seen;
    std::int64_t after = 0;
    for (;;) {
        const auto slice = *reader.tail(Channel::completion, after, watermark, 2);
        for (const Event& event : slice) {
            EXPECT_GT(std::get<CompletionEvent>(event).event_id, after);
            after = std::get<CompletionEvent>(event).event_id;
            seen.push_back(std::get<CompletionEvent>(event).execution_id);
        }
        if (slice.size() < 2) break;
    }
    EXPECT_THAT(seen, SizeIs(5));
    EXPECT_THAT(*reader.tail(Channel::completion, watermark, watermark + 100, 10), IsEmpty());
    EXPECT_THAT(*reader.tail(Channel::completion, 0, 0, 10), IsEmpty());
    EXPECT_THAT(*reader.tail(Channel::lease, 0, *reader.watermark(Channel::lease), 100), SizeIs(10));
}

INSTANTIATE_TEST_SUITE_P(Stores, ReadsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
