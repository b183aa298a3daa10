#include "conformance/api_test.hpp"
#include "conformance/flowing.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SearchTest : public ApiTest {
  protected:
    // Created a millisecond after the one before.
    ExecutionId next(CreateExecution command = {}) {
        advance(1);
        return create(std::move(command));
    }
    std::vector<ExecutionId> found(SearchExecutions query) {
        std::vector<ExecutionId> ids;
        for (const auto& execution : value_of(api().read(std::move(query))).executions) {
            ids.push_back(execution.execution_id);
        }
        return ids;
    }
    template <class Set>
    std::vector<ExecutionId> by(Set set) {
        SearchExecutions query;
        set(query);
        return found(std::move(query));
    }
};

CreateExecution in_lane(std::string lane) {
    CreateExecution command;
    command.lane_id = std::move(lane);
    return command;
}

CreateExecution tagged(std::string key, std::string value) {
    CreateExecution command;
    command.tags = {{std::move(key), std::move(value)}};
    return command;
}

TEST_P(SearchTest, FindsTheNewestFirst) {
    const ExecutionId first = next();
    const ExecutionId second = next(in_lane("mail"));
    const ExecutionId third = next();
    EXPECT_THAT(found({}), ElementsAre(third, second, first));
    EXPECT_THAT(by([](auto& query) { query.lane_id = "mail"; }), ElementsAre(second));
    EXPECT_THAT(by([](auto& query) { query.lane_id = "no such lane"; }), IsEmpty());
    EXPECT_THAT(by([](auto& query) { query.limit = 0; }), IsEmpty());
}

TEST_P(SearchTest, AnExecutionIsShownAsALine) {
    CreateExecution command = in_lane("mail");
    command.execution_kind = "send";
    command.namespace_name = "shop";
    command.priority = 7;
    const ExecutionId id = next(command);
    const auto page = value_of(api().read(SearchExecutions{}));
    ASSERT_EQ(page.executions.size(), 1U);
    const ExecutionSummary& line = page.executions[0];
    EXPECT_EQ(line.execution_id, id);
    EXPECT_EQ(line.lane_id, "mail");
    EXPECT_EQ(line.execution_kind, "send");
    EXPECT_EQ(line.namespace_name, "shop");
    EXPECT_EQ(line.priority, 7);
    EXPECT_EQ(line.public_state, PublicState::waiting);
    EXPECT_EQ(line.created_at_ms, now());
    EXPECT_EQ(page.next, std::nullopt);
}

TEST_P(SearchTest, EachFilterHolds) {
    CreateExecution send;
    send.execution_kind = "send";
    send.namespace_name = "shop";
    const ExecutionId sent = next(send);
    const std::int64_t then = now();
    const ExecutionId other = next();
    EXPECT_THAT(by([](auto& query) { query.execution_kind = "send"; }), ElementsAre(sent));
    EXPECT_THAT(by([](auto& query) { query.namespace_name = "shop"; }), ElementsAre(sent));
    EXPECT_THAT(by([&](auto& query) { query.created_after_ms = then + 1; }), ElementsAre(other));
    EXPECT_THAT(by([&](auto& query) { query.created_after_ms = then; }), ElementsAre(other, sent));
    EXPECT_THAT(by([&](auto& query) { query.created_before_ms = then + 1; }), ElementsAre(sent));
    EXPECT_THAT(by([&](auto& query) { query.created_before_ms = then; }), IsEmpty());
    EXPECT_THAT(by([](auto& query) {
                    query.execution_kind = "send";
                    query.namespace_name = "default";
                }),
                IsEmpty());
}

TEST_P(SearchTest, StatesAreThoseOfNow) {
    const ExecutionId running = next();
    claim();
    const ExecutionId waiting = next();
    const ExecutionId cancelled = next();
    value_of(cancel_by("operator_override", cancelled));
    const auto in = [&](std::vector<PublicState> states) {
        return by([&](auto& query) { query.states = std::move(states); });
    };
    EXPECT_THAT(in({PublicState::active}), ElementsAre(running));
    EXPECT_THAT(in({PublicState::waiting}), ElementsAre(waiting));
    EXPECT_THAT(in({PublicState::waiting, PublicState::cancelled}), ElementsAre(cancelled, waiting));
    EXPECT_THAT(in({PublicState::suspended}), IsEmpty());
}

TEST_P(SearchTest, FailuresAreFoundUntilTheyAreReplayed) {
    const ExecutionId failed = next();
    value_of(fail(claim().handle));
    CreateExecution late = in_lane("late");
    late.execution_deadline_at_ms = now() + 10;
    const ExecutionId expired = next(late);
    advance(1000);
    reconcile();
    ASSERT_EQ(state(expired), PublicState::expired);
    const auto in = [&](std::vector<PublicState> states) {
        return by([&](auto& query) { query.states = std::move(states); });
    };
    EXPECT_THAT(in({PublicState::failed}), ElementsAre(failed));
    EXPECT_THAT(in({PublicState::failed, PublicState::expired}), ElementsAre(expired, failed));
    EXPECT_THAT(by([](auto& query) {
                    query.states = {PublicState::expired};
                    query.lane_id = "late";
                }),
                ElementsAre(expired));
    value_of(run(ReplayExecution{failed}));
    EXPECT_THAT(in({PublicState::failed, PublicState::expired}), ElementsAre(expired));
}

TEST_P(SearchTest, TagsAreFoundAsTheyAreNow) {
    const ExecutionId ada = next(tagged("shop.customer", "ada"));
    const ExecutionId ben = next(tagged("shop.customer", "ben"));
    const auto of = [&](std::string value) {
        return by([&](auto& query) {
            query.tag_key = "shop.customer";
            query.tag_value = std::move(value);
        });
    };
    EXPECT_THAT(of("ada"), ElementsAre(ada));
    value_of(run(SetExecutionTags{.execution_id = ben, .tags = {{"shop.customer", "ada"}}}));
    EXPECT_THAT(of("ada"), ElementsAre(ben, ada));
    EXPECT_THAT(of("ben"), IsEmpty());
    const std::string long_value(max_tag_bytes, 'x');
    value_of(run(SetExecutionTags{.execution_id = ada, .tags = {{"shop.customer", long_value}}}));
    EXPECT_THAT(of(long_value), ElementsAre(ada));
}

TEST_P(SearchTest, PagesGoOnWhereTheLastOneEnded) {
    std::vector<ExecutionId> all;
    for (int i = 0; i < 3; ++i) {
        advance(1);
        for (int j = 0; j < 3; ++j) all.push_back(create());  // of one moment
    }
    std::vector<ExecutionId> seen;
    SearchExecutions query;
    query.limit = 2;
    while (true) {
        const auto page = value_of(api().read(query));
        EXPECT_LE(page.executions.size(), 2U);
        for (const auto& execution : page.executions) seen.push_back(execution.execution_id);
        if (!page.next) break;
        query.after = value_of(SearchPlace::parse(page.next->to_string()));
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(all));
    const auto order = [&](const ExecutionId& id) { return SearchPlace{row(id).created_at_ms, id}; };
    EXPECT_TRUE(std::ranges::is_sorted(seen, std::ranges::greater(), order));
}

TEST_P(SearchTest, WhatIsRemovedIsFoundNoMore) {
    const auto keeper = another_engine({.overrides = {.execution_retention_ms = 1000}});
    keeper->reconcile();
    next(tagged("shop.customer", "ada"));
    value_of(fail(claim().handle));
    EXPECT_THAT(snapshot().of<SearchTermRow>(), ::testing::SizeIs(2));
    advance(1'000'000);
    for (int i = 0; i < 4; ++i) keeper->reconcile();
    EXPECT_THAT(found({}), IsEmpty());
    EXPECT_THAT(snapshot().of<SearchTermRow>(), IsEmpty());
}

TEST_P(SearchTest, MembersAreFoundByTheirFlow) {
    SubmitFlow flow = graph_of({"a", "b", "c"});
    flow.flow_id = flow_id(1);
    auto members = value_of(run(flow)).members;
    next();
    std::ranges::sort(members, std::ranges::greater());
    const auto in_flow = [](auto& query) { query.flow_id = flow_id(1); };
    EXPECT_EQ(by(in_flow), members);
    SearchExecutions query;
    in_flow(query);
    query.limit = 2;
    query.after = value_of(api().read(query)).next;
    EXPECT_THAT(found(query), ElementsAre(members.back()));
    EXPECT_THAT(by([&](auto& wanted) {
                    in_flow(wanted);
                    wanted.lane_id = "b";
                }),
                ::testing::SizeIs(1));
}

TEST_P(SearchTest, BadFiltersAreRefusedByName) {
    const auto refused = [&](auto set, std::string_view field) {
        SearchExecutions query;
        set(query);
        expect_error(api().read(std::move(query)), ErrorKind::invalid_input, field);
    };
    refused([](auto& query) { query.lane_id = ""; }, "lane_id");
    refused([](auto& query) { query.tag_key = "nonsense"; }, "tag");
    refused([](auto& query) { query.tag_key = "shop.customer"; }, "tag_value");
    refused([](auto& query) { query.tag_value = "ada"; }, "tag_key");
    refused([](auto& query) { query.created_before_ms = -1; }, "created_before_ms");
    refused([](auto& query) { query.namespace_name = "a b"; }, "namespace");
    refused([](auto& query) { query.after = SearchPlace{1, {.partition = 256, .uuid = {}}}; }, "cursor");
}

INSTANTIATE_TEST_SUITE_P(Stores, SearchTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
