#include <set>

#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReadsTest : public ApiTest {
  protected:
    static CreateExecution create_on(std::string lane) {
        CreateExecution command;
        command.lane_id = std::move(lane);
        return command;
    }

    std::vector<ExecutionId> listed(const ListExecutions& query) {
        std::vector<ExecutionId> ids;
        for (const ExecutionView& one : value_of(api().list_executions(query)).executions) {
            ids.push_back(one.execution_id);
        }
        return ids;
    }
};

TEST_P(ReadsTest, AnUnknownExecutionReadsAsNothing) {
    const ExecutionId unknown{86, Uuid{}};
    EXPECT_FALSE(value_of(api().describe_execution(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_result(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_input(unknown)));
    EXPECT_FALSE(value_of(api().read_execution_info(unknown)));
    EXPECT_FALSE(value_of(api().read_execution_state(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_namespace(unknown)));
    EXPECT_FALSE(value_of(api().get_execution_tag(unknown, "app.team")));
    EXPECT_FALSE(value_of(api().resolve_execution_flow_id(unknown)));
    EXPECT_THAT(value_of(api().list_attempts(unknown)), IsEmpty());
    EXPECT_THAT(value_of(api().read_exec_core_fields(unknown, {"lane_id", "nonsense"})),
                ElementsAre(std::pair("lane_id", std::nullopt), std::pair("nonsense", std::nullopt)));
}

TEST_P(ReadsTest, WhatAWorkerNeedsOfAnUnknownExecutionIsNotFound) {
    const ExecutionId unknown{86, Uuid{}};
    expect_error(api().read_execution_context(unknown), ErrorKind::execution_not_found);
    expect_error(api().read_current_attempt_index(unknown), ErrorKind::execution_not_found);
    expect_error(api().read_total_attempt_count(unknown), ErrorKind::execution_not_found);
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

TEST_P(ReadsTest, ADelayedAttemptIsListedAsOpen) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(delay(claimed.handle, now() + 1000));
    const auto history = value_of(api().list_attempts(id));
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::suspended);
    EXPECT_EQ(history[0].attempt_id, claimed.attempt_id);
    EXPECT_EQ(history[0].lease_epoch, claimed.lease_epoch);
    EXPECT_EQ(history[0].worker_id, "w1");
    const auto shown = value_of(api().describe_execution(id)).value();
    EXPECT_FALSE(shown.current_lease);
    ASSERT_TRUE(shown.current_attempt);
    EXPECT_EQ(shown.current_attempt->attempt_id, claimed.attempt_id);
}

TEST_P(ReadsTest, APolicyIsShownAsItWasGiven) {
    CreateExecution command;
    command.policy = retries(2, 500);
    command.policy->max_reclaim_count = 3;
    const ExecutionId with = create(command);
    const ExecutionId without = create();
    EXPECT_EQ(value_of(api().describe_execution(with)).value().policy, command.policy);
    EXPECT_FALSE(value_of(api().describe_execution(without)).value().policy);
}

TEST_P(ReadsTest, AttemptsAreReadInPages) {
    const ExecutionId id = create_with(retries(5, 0));
    for (int i = 0; i < 3; ++i) fail_with_retry(claim().handle);
    claim();
    const auto page = [&](std::optional<std::uint32_t> after, std::uint32_t limit) {
        return value_of(api().read(ListAttempts{.execution_id = id, .after = after, .limit = limit}));
    };
    const auto indexes = [](const AttemptPage& attempts) {
        std::vector<std::uint32_t> all;
        for (const AttemptView& attempt : attempts.attempts) all.push_back(attempt.attempt_index);
        return all;
    };
    EXPECT_THAT(indexes(page({}, 2)), ElementsAre(0U, 1U));
    EXPECT_EQ(page({}, 2).next, 1U);
    EXPECT_THAT(indexes(page(1, 2)), ElementsAre(2U, 3U)) << "the open one is the last";
    EXPECT_FALSE(page(1, 2).next);
    EXPECT_EQ(page({}, 3).next, 2U);
    EXPECT_THAT(indexes(page(2, 5)), ElementsAre(3U));
    EXPECT_THAT(indexes(page(3, 5)), IsEmpty());
    EXPECT_EQ(page({}, 0), AttemptPage{});
}

TEST_P(ReadsTest, InfoFollowsTheExecution) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.lane_id = "mail";
    command.execution_kind = "send";
    command.priority = 7;
    command.policy = retries(1, 1000);
    const ExecutionId id = create(command);
    const std::int64_t created = now();
    const auto info = [&] { return value_of(api().read_execution_info(id)).value(); };
    EXPECT_EQ(info().execution_id, id);
    EXPECT_EQ(info().namespace_name, "shop");
    EXPECT_EQ(info().lane_id, "mail");
    EXPECT_EQ(info().execution_kind, "send");
    EXPECT_EQ(info().priority, 7);
    EXPECT_EQ(info().created_at_ms, created);
    EXPECT_EQ(info().vector, row(id).vector);
    EXPECT_FALSE(info().started_at_ms || info().completed_at_ms || info().flow_id);
    EXPECT_EQ(info().current_attempt_index, 0U);
    EXPECT_EQ(info().blocking_detail, "");

    advance(5);
    Claim on_lane = claim_by("w1");
    on_lane.lanes = {"mail"};
    fail_with_retry(claim(on_lane).handle);
    EXPECT_EQ(info().started_at_ms, now());
    EXPECT_NE(info().blocking_detail, "");
    EXPECT_EQ(info().vector.public_state, PublicState::delayed);
    advance(1000);
    reconcile();
    value_of(complete(claim(on_lane).handle));
    EXPECT_EQ(info().current_attempt_index, 1U);
    EXPECT_EQ(info().started_at_ms, created + 5);
    EXPECT_EQ(info().completed_at_ms, now());
    EXPECT_EQ(info().vector.public_state, PublicState::completed);
}

TEST_P(ReadsTest, SingleFactsCanBeAskedFor) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.tags = {{"app.team", "blue"}, {"app.empty", ""}};
    const ExecutionId id = create(command);
    EXPECT_EQ(value_of(api().read_execution_state(id)), PublicState::waiting);
    EXPECT_EQ(value_of(api().get_execution_namespace(id)), "shop");
    EXPECT_EQ(value_of(api().get_execution_tag(id, "app.team")), "blue");
    EXPECT_EQ(value_of(api().get_execution_tag(id, "app.empty")), "");
    EXPECT_EQ(value_of(api().get_execution_tag(id, "app.other")), std::nullopt);
    EXPECT_EQ(value_of(api().resolve_execution_flow_id(id)), std::nullopt);
    claim();
    EXPECT_EQ(value_of(api().read_execution_state(id)), PublicState::active);
}

TEST_P(ReadsTest, TheKeyOfATagIsChecked) {
    const ExecutionId id = create();
    for (const std::string key : {"Cairn.x", "cairn.", "cairn..x", "cairn.foo-bar"}) {
        expect_error(api().get_execution_tag(id, key), ErrorKind::invalid_input, key);
    }
}

TEST_P(ReadsTest, TheContextIsWhatAWorkerNeeds) {
    CreateExecution command;
    command.execution_kind = "send";
    command.input_payload = std::string("in\0put", 6);
    command.payload_encoding = "binary";
    command.tags = {{"app.team", "blue"}};
    const ExecutionId id = create(command);
    const ExecutionContext context = value_of(api().read_execution_context(id));
    EXPECT_EQ(context.execution_kind, "send");
    EXPECT_EQ(context.input_payload, command.input_payload);
    EXPECT_EQ(context.payload_encoding, "binary");
    EXPECT_EQ(context.tags, command.tags);
    value_of(run(SetExecutionTags{.execution_id = id, .tags = {{"app.step", "2"}}}));
    EXPECT_EQ(value_of(api().read_execution_context(id)).tags, (Tags{{"app.step", "2"}, {"app.team", "blue"}}));
    EXPECT_EQ(value_of(api().read_execution_context(create())).input_payload, "");
}

TEST_P(ReadsTest, AttemptsAreCounted) {
    const ExecutionId id = create_with(retries(2, 0));
    const auto index = [&] { return value_of(api().read_current_attempt_index(id)); };
    const auto total = [&] { return value_of(api().read_total_attempt_count(id)); };
    EXPECT_EQ(index(), 0U);
    EXPECT_EQ(total(), 0U);
    const ClaimedExecution first = claim();
    EXPECT_EQ(index(), 0U);
    EXPECT_EQ(total(), 1U);
    fail_with_retry(first.handle);
    EXPECT_EQ(index(), 0U) << "until the next claim";
    const ClaimedExecution second = claim();
    EXPECT_EQ(index(), 1U);
    EXPECT_EQ(total(), 2U);
    value_of(release(second.handle));
    EXPECT_EQ(index(), 0U);
    EXPECT_EQ(total(), 1U);
}

TEST_P(ReadsTest, ColumnsAreReadByName) {
    CreateExecution command;
    command.policy = requiring({"gpu", "eu"});
    command.policy->retry_policy = RetryPolicy{.max_retries = 1, .backoff = FixedBackoff{0}};
    command.priority = 7;
    const ExecutionId id = create(command);
    const auto fields = [&](const std::vector<std::string>& names) {
        return value_of(api().read_exec_core_fields(id, names));
    };
    using Fields = std::map<std::string, std::optional<std::string>>;
    EXPECT_EQ(fields({"lane_id", "priority", "public_state", "required_capabilities", "lease_id", "nonsense"}),
              (Fields{{"lane_id", "default"},
                      {"priority", "7"},
                      {"public_state", "waiting"},
                      {"required_capabilities", "eu,gpu"},
                      {"lease_id", std::nullopt},
                      {"nonsense", std::nullopt}}));
    EXPECT_EQ(fields({}), Fields{});

    Claim capable = claim_by("w1");
    capable.capabilities = {"gpu", "eu"};
    const ClaimedExecution first = claim(capable);
    EXPECT_EQ(fields({"lease_id", "lease_epoch", "deps_blocked"}),
              (Fields{{"lease_id", first.lease_id.to_string()}, {"lease_epoch", "1"}, {"deps_blocked", "false"}}));
    fail_with_retry(first.handle);
    claim(capable);
    advance(5);
    value_of(cancel_by("operator_override", id, "too late"));
    EXPECT_EQ(fields({"current_attempt_index", "completed_at", "cancel_reason", "attempt_index", "terminal_at_ms",
                      "cancellation_reason"}),
              (Fields{{"current_attempt_index", "1"},
                      {"attempt_index", "1"},
                      {"completed_at", std::to_string(now())},
                      {"terminal_at_ms", std::to_string(now())},
                      {"cancel_reason", "too late"},
                      {"cancellation_reason", "too late"}}));
}

TEST_P(ReadsTest, PagesVisitEveryExecutionOnceInOrder) {
    std::set<ExecutionId> created;
    for (int i = 0; i < 10; ++i) {
        CreateExecution command;
        command.lane_id = "lane-" + std::to_string(i % 4);
        created.insert(create(command));
    }
    ListExecutions query{.limit = 3};
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
    ListExecutions query{.state = PublicState::waiting, .limit = 2};
    std::vector<ExecutionId> visited;
    do {
        const ExecutionPage page = value_of(api().list_executions(query));
        for (const ExecutionView& one : page.executions) visited.push_back(one.execution_id);
        query.after = page.next;
    } while (query.after);
    EXPECT_EQ(visited, std::vector<ExecutionId>(waiting.begin(), waiting.end()));
}

TEST_P(ReadsTest, CancelledAndResumableExecutionsAreListedByState) {
    const ExecutionId cancelled = create();
    value_of(cancel_by("operator_override", cancelled));
    const ExecutionId resumable = create();
    value_of(delay(claim().handle, now()));
    EXPECT_THAT(listed({.state = PublicState::cancelled}), ElementsAre(cancelled));
    EXPECT_THAT(listed({.state = PublicState::resumable}), ElementsAre(resumable));
    EXPECT_THAT(listed({.state = PublicState::waiting}), IsEmpty());
}

TEST_P(ReadsTest, APartitionIsListedInPages) {
    std::set<ExecutionId> here;
    for (int i = 0; i < 10; ++i) here.insert(create());
    for (int i = 0; i < 5; ++i) create(create_on("elsewhere-" + std::to_string(i)));
    ListExecutions query{.partition = here.begin()->partition, .limit = 3};
    std::vector<ExecutionId> visited;
    std::vector<std::size_t> sizes;
    do {
        const ExecutionPage page = value_of(api().list_executions(query));
        for (const ExecutionView& one : page.executions) visited.push_back(one.execution_id);
        sizes.push_back(page.executions.size());
        query.after = page.next;
    } while (query.after);
    EXPECT_THAT(sizes, ElementsAre(3U, 3U, 3U, 1U));
    EXPECT_EQ(visited, std::vector<ExecutionId>(here.begin(), here.end()));
}

TEST_P(ReadsTest, APartitionCanBeNarrowedToAState) {
    const ExecutionId ended = create();
    value_of(complete(claim().handle));
    const ExecutionId waiting = create();
    const ExecutionId elsewhere = create(create_on("elsewhere"));
    ASSERT_NE(elsewhere.partition, waiting.partition);
    const std::uint16_t here = waiting.partition;
    EXPECT_THAT(listed({.partition = here, .state = PublicState::waiting}), ElementsAre(waiting));
    EXPECT_THAT(listed({.partition = here, .state = PublicState::completed}), ElementsAre(ended));
    EXPECT_THAT(listed({.partition = elsewhere.partition}), ElementsAre(elsewhere));
    EXPECT_THAT(listed({.partition = 255, .limit = 0}), IsEmpty());
    EXPECT_THAT(listed({.state = PublicState::waiting, .after = std::max(waiting, elsewhere)}), IsEmpty());
}

TEST_P(ReadsTest, AnEmptyPartitionIsAnEmptyPage) {
    const std::uint16_t here = create().partition;
    const ExecutionPage page =
        value_of(api().list_executions({.partition = static_cast<std::uint16_t>((here + 1) % 256)}));
    EXPECT_THAT(page.executions, IsEmpty());
    EXPECT_FALSE(page.next);
}

TEST_P(ReadsTest, PartitionsAndCursorsMustFit) {
    const ExecutionId id = create();
    ExecutionId elsewhere = id;
    elsewhere.partition = static_cast<std::uint16_t>(id.partition - 1);
    expect_error(api().list_executions({.partition = id.partition, .after = elsewhere}), ErrorKind::invalid_input,
                 "cursor");
    expect_error(api().list_executions({.partition = 256}), ErrorKind::invalid_input, "partition_mismatch");
    EXPECT_THAT(listed({.after = elsewhere}), ElementsAre(id));
}

TEST_P(ReadsTest, APageHoldsAtMostAThousand) {
    for (int i = 0; i < 1001; ++i) {
        engine().submit(CreateExecution{}, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    }
    engine().settle();
    for (const std::uint32_t limit : {1000U, 1001U, 4'000'000'000U}) {
        const ExecutionPage page = value_of(api().list_executions({.limit = limit}));
        EXPECT_THAT(page.executions, SizeIs(1000));
        ASSERT_TRUE(page.next);
        const ExecutionPage rest = value_of(api().list_executions({.after = page.next, .limit = limit}));
        EXPECT_THAT(rest.executions, SizeIs(1));
        EXPECT_FALSE(rest.next);
    }
    EXPECT_THAT(listed({}), SizeIs(50));
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
    const std::int64_t watermark = reader.watermark(Channel::completion)->drawn;
    std::vector<ExecutionId> seen;
    std::int64_t after = 0;
    for (;;) {
        const auto slice = reader.tail(Channel::completion, after, watermark, 2)->events;
        for (const Event& event : slice) {
            EXPECT_GT(std::get<CompletionEvent>(event).event_id, after);
            after = std::get<CompletionEvent>(event).event_id;
            seen.push_back(std::get<CompletionEvent>(event).execution_id);
        }
        if (slice.size() < 2) break;
    }
    EXPECT_THAT(seen, SizeIs(5));
    EXPECT_THAT(reader.tail(Channel::completion, watermark, watermark + 100, 10)->events, IsEmpty());
    EXPECT_THAT(reader.tail(Channel::completion, 0, 0, 10)->events, IsEmpty());
    EXPECT_THAT(reader.tail(Channel::lease, 0, reader.watermark(Channel::lease)->drawn, 100)->events, SizeIs(10));
}

INSTANTIATE_TEST_SUITE_P(Stores, ReadsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
