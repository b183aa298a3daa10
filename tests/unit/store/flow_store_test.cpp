#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/execution/state_vector.hpp"
#include "core/execution/view.hpp"
#include "support/dump.hpp"
#include "support/print.hpp"
#include "support/stores.hpp"

// What the stores do for flows, with no engine around.
namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

constexpr std::uint16_t partition = 7;

Uuid uuid_of(std::uint8_t number) {
    Uuid uuid;
    uuid.bytes[15] = number;
    return uuid;
}

ExecutionId execution(std::uint8_t number) {
    return {partition, uuid_of(number)};
}

FlowKey flow(std::uint8_t number) {
    return {partition, FlowId{uuid_of(number)}};
}

EdgeId edge(std::uint8_t number) {
    return EdgeId{uuid_of(number)};
}

ExecutionRow member_of(std::optional<FlowKey> of, std::uint8_t number) {
    ExecutionRow row;
    row.id = execution(number);
    row.created_at_ms = start_of_time_ms;
    row.class_id = 1;
    row.lane_id = "default";
    row.namespace_name = "default";
    row.execution_kind = "mail";
    if (of) row.flow_id = of->flow_id;
    row.vector = waiting_vector(AttemptState::pending_first_attempt);
    row.last_transition_at_ms = start_of_time_ms;
    row.last_mutation_at_ms = start_of_time_ms;
    return row;
}

EdgeRow edge_of(const FlowKey& of, std::uint8_t number, std::uint8_t upstream, std::uint8_t downstream) {
    return {.key = {of, edge(number)},
            .upstream = uuid_of(upstream),
            .downstream = uuid_of(downstream),
            .policy = {R"({"edge_state": "applied"})"},
            .dependency_state = DependencyState::unsatisfied};
}

EdgeGroupRow group_of(const FlowKey& of, std::uint8_t downstream, GroupState state = GroupState::pending) {
    return {.key = {of, uuid_of(downstream)},
            .policy = {R"({"kind": "quorum"})"},
            .k_target = 2,
            .running_count = 3,
            .cancel_siblings_pending_flag = true,
            .cancel_siblings_pending_members = {{"{fp:7}:a", "{fp:7}:b"}},
            .group_state = state,
            .n = 3};
}

CompletionEvent end_of(const ExecutionRow& row, std::optional<std::int64_t> dispatched_at_ms = std::nullopt) {
    return {.execution_id = row.id,
            .namespace_name = row.namespace_name,
            .flow_id = row.flow_id,
            .outcome = TerminalOutcome::failed,
            .occurred_at_ms = start_of_time_ms,
            .dispatched_at_ms = dispatched_at_ms};
}

std::vector<FlowMember> members_in(const Loaded& loaded, const FlowKey& flow) {
    const auto found = loaded.members.find(flow);
    return found == loaded.members.end() ? std::vector<FlowMember>{} : found->second;
}

std::vector<ExecutionId> ids_of(const std::vector<ExecutionRow>& rows) {
    std::vector<ExecutionId> ids;
    for (const ExecutionRow& row : rows) ids.push_back(row.id);
    return ids;
}

class FlowStore : public testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        const Availability availability = availability_of(GetParam());
        if (!availability.available) {
            if (availability.required) FAIL() << availability.message;
            GTEST_SKIP() << availability.message;
        }
        store.emplace(GetParam());
        writer = std::move(*store->backend()->open_writer());
        reader = std::move(*store->backend()->open_reader());
    }

    Loaded load(const LoadRequest& request) {
        auto loaded = writer->load(request);
        if (!loaded) throw std::runtime_error(loaded.error().detail);
        writer->abandon();
        return std::move(*loaded);
    }

    std::vector<Undispatched> save(WorkingSet set) {
        set.now_ms = start_of_time_ms;
        if (auto loaded = writer->load({}); !loaded) throw std::runtime_error(loaded.error().detail);
        auto saved = writer->save(set);
        if (!saved) throw std::runtime_error(saved.error().detail);
        return std::move(*saved);
    }

    void insert(const std::vector<ExecutionRow>& rows) {
        WorkingSet set;
        for (const ExecutionRow& row : rows) {
            set.executions.push_back({.row = row, .change = RowChange::insert, .input = "own"});
        }
        save(set);
    }

    // With this result.
    void insert(const ExecutionRow& row, const Bytes& result) {
        WorkingSet set;
        set.executions.push_back({.row = row, .change = RowChange::insert, .input = "own", .result = result});
        save(set);
    }

    template <class Row>
    void put(const std::vector<Row>& rows) {
        WorkingSet set;
        for (const Row& row : rows) set.side.of<Row>().put(row);
        save(set);
    }

    void copy(const std::vector<InputCopy>& copies) {
        WorkingSet set;
        set.input_copies = copies;
        save(set);
    }

    std::optional<TestStore> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<StoreReader> reader;
};

TEST_P(FlowStore, EveryRowComesBackAsItWasStoredAndGoes) {
    const FlowRow stored{.key = flow(1),
                         .graph_revision = 4,
                         .public_flow_state = FlowState::failed,
                         .created_at_ms = 5,
                         .terminal_at_ms = 6,
                         .raw_fields = {R"({"flow_kind": "a"})"},
                         .tags = {R"({"a.b": "c"})"},
                         .sealed = true,
                         .open_members = 7,
                         .failed_members = 8,
                         .summarised = true};
    const FlowSummaryRow summary{.key = flow(1),
                                 .total_members = 66,
                                 .sampled_members = 66,
                                 .members_completed = 1,
                                 .members_failed = 2,
                                 .members_cancelled = 3,
                                 .members_expired = 4,
                                 .members_skipped = 5,
                                 .members_active = 6,
                                 .members_suspended = 7,
                                 .members_waiting = 8,
                                 .members_delayed = 9,
                                 .members_rate_limited = 10,
                                 .members_waiting_children = 11,
                                 .public_flow_state = FlowPhase::blocked,
                                 .last_summary_update_at_ms = 12};
    const FlowRetentionRow noted{.key = flow(1), .remove_at_ms = 13};
    const CancelBacklogRow backlog{.key = flow(1), .requested_at_ms = 1, .reason = "why", .grace_until_ms = 2};
    const CancelMemberRow member{.key = {flow(1), execution(1).to_string()}};
    const SiblingWorkRow work{.key = {flow(1), uuid_of(1)}, .enqueued_at_ms = 9};
    WorkingSet set;
    set.side.of<FlowRow>().put(stored);
    set.side.of<CancelBacklogRow>().put(backlog);
    set.side.of<CancelMemberRow>().put(member);
    set.side.of<FlowSummaryRow>().put(summary);
    set.side.of<FlowRetentionRow>().put(noted);
    set.side.of<EdgeGroupRow>().put(group_of(flow(1), 1));
    set.side.of<EdgeRow>().put(edge_of(flow(1), 1, 2, 1));
    set.side.of<SiblingWorkRow>().put(work);
    save(set);
    WorkingSet again;
    set.side.each([&]<class Row>(const RowTable<Row>& table) {
        for (const Row& row : table.puts()) {
            again.side.of<Row>().load(row);
            again.side.of<Row>().put(row);
        }
    });
    save(again);  // a row that is there is replaced

    EXPECT_THAT(*reader->all<FlowRow>(), ElementsAre(stored));
    EXPECT_THAT(*reader->all<CancelBacklogRow>(), ElementsAre(backlog));
    EXPECT_THAT(*reader->all<CancelMemberRow>(), ElementsAre(member));
    EXPECT_THAT(*reader->all<FlowSummaryRow>(), ElementsAre(summary));
    EXPECT_THAT(*reader->all<FlowRetentionRow>(), ElementsAre(noted));
    EXPECT_THAT(*reader->all<EdgeGroupRow>(), ElementsAre(group_of(flow(1), 1)));
    EXPECT_THAT(*reader->all<EdgeRow>(), ElementsAre(edge_of(flow(1), 1, 2, 1)));
    EXPECT_THAT(*reader->all<SiblingWorkRow>(), ElementsAre(work));

    WorkingSet erased;
    erased.side.of<FlowRow>().erase(stored.key);
    erased.side.of<CancelBacklogRow>().erase(backlog.key);
    erased.side.of<CancelMemberRow>().erase(member.key);
    erased.side.of<FlowSummaryRow>().erase(summary.key);
    erased.side.of<FlowRetentionRow>().erase(noted.key);
    erased.side.of<EdgeGroupRow>().erase({flow(1), uuid_of(1)});
    erased.side.of<EdgeRow>().erase({flow(1), edge(1)});
    erased.side.of<SiblingWorkRow>().erase(work.key);
    save(erased);
    EXPECT_EQ(dump(*reader).side, ForSideTables<RowsByKey>{});
}

TEST_P(FlowStore, RowsAreFoundThroughTheirFlowAndThroughTheirGroup) {
    put<EdgeRow>(
        {edge_of(flow(1), 3, 1, 3), edge_of(flow(1), 4, 2, 3), edge_of(flow(1), 5, 1, 4), edge_of(flow(2), 6, 5, 6)});
    put<EdgeGroupRow>({group_of(flow(1), 3), group_of(flow(1), 4), group_of(flow(2), 6)});
    put<CancelMemberRow>({{.key = {flow(1), "x"}}, {.key = {flow(2), "y"}}});
    LoadRequest request;
    request.side.of<EdgeRow>().keys = {{flow(2), edge(6)}, {flow(2), edge(7)}};
    request.side.of<EdgeRow>().groups = {{flow(1), uuid_of(3)}};
    request.side.of<EdgeGroupRow>().flows = {flow(1)};
    request.side.of<CancelMemberRow>().flows = {flow(1), flow(2)};

    for (const SideTables& found : {load(request).side, *reader->side_rows(request.side)}) {
        EXPECT_THAT(found.of<EdgeRow>().rows(),
                    ElementsAre(edge_of(flow(1), 3, 1, 3), edge_of(flow(1), 4, 2, 3), edge_of(flow(2), 6, 5, 6)));
        EXPECT_THAT(found.of<EdgeGroupRow>().rows(), ElementsAre(group_of(flow(1), 3), group_of(flow(1), 4)));
        EXPECT_THAT(found.of<CancelMemberRow>().rows(), SizeIs(2));
    }
}

TEST_P(FlowStore, EdgesAreFoundThroughTheExecutionsThatTheyLeadFrom) {
    put<EdgeRow>(
        {edge_of(flow(1), 3, 1, 3), edge_of(flow(1), 4, 2, 3), edge_of(flow(1), 5, 1, 4), edge_of(flow(2), 6, 5, 6)});
    LoadRequest request;
    request.side.of<EdgeRow>().sources = {{partition, uuid_of(1)}};
    for (const SideTables& found : {load(request).side, *reader->side_rows(request.side)}) {
        EXPECT_THAT(found.of<EdgeRow>().rows(), ElementsAre(edge_of(flow(1), 3, 1, 3), edge_of(flow(1), 5, 1, 4)));
    }
    request.side.of<EdgeRow>().sources = {{partition, uuid_of(2)}, {partition, uuid_of(5)}, {partition, uuid_of(6)}};
    for (const SideTables& found : {load(request).side, *reader->side_rows(request.side)}) {
        EXPECT_THAT(found.of<EdgeRow>().rows(), ElementsAre(edge_of(flow(1), 4, 2, 3), edge_of(flow(2), 6, 5, 6)));
    }
}

TEST_P(FlowStore, FlowsHaveTheirMembersWhoeverElseIsThere) {
    insert({member_of(flow(1), 2), member_of(flow(1), 1), member_of(flow(2), 3), member_of(std::nullopt, 4)});
    const std::vector<FlowMember> both{{execution(1)}, {execution(2)}};
    EXPECT_THAT(load({{.flows = {.members_of = {flow(1), flow(3)}}}}).members,
                ElementsAre(Pair(flow(1), both), Pair(flow(3), IsEmpty())));
    EXPECT_EQ(*reader->members(flow(1), 10), both);
    EXPECT_THAT(*reader->members(flow(1), 1), ElementsAre(both[0]));
    EXPECT_THAT(*reader->members(flow(3), 10), IsEmpty());
}

TEST_P(FlowStore, ManyExecutionsTellHowTheyEndedAtOnce) {
    ExecutionRow ended = member_of(flow(1), 1);
    ended.vector = terminal_vector(TerminalOutcome::expired, false);
    insert({ended, member_of(flow(1), 2), member_of(flow(1), 3)});
    EXPECT_THAT(*reader->outcomes({execution(1), execution(1), execution(2), execution(4)}),
                ElementsAre(Pair(execution(1), TerminalOutcome::expired), Pair(execution(2), TerminalOutcome::none)));
    EXPECT_THAT(*reader->outcomes({}), IsEmpty());
}

TEST_P(FlowStore, MembersAreCountedWithTheirFlow) {
    const auto ended = [](std::uint8_t number, std::optional<std::uint64_t> own_retention_ms = {}) {
        ExecutionRow row = member_of(flow(1), number);
        row.vector = terminal_vector(TerminalOutcome::cancelled, false);
        row.terminal_at_ms = start_of_time_ms + number;
        row.cancellation_reason = number == 2 ? "sibling" : "sibling_quorum_satisfied";
        row.cancellation_cause = number == 2 ? CancellationCause::sibling : CancellationCause::request;
        row.policy = Json{R"({"stream_policy": {"retention_ttl_ms": "x"}})"};
        row.own_retention_ms = own_retention_ms;
        return row;
    };
    put<FlowRow>({{.key = flow(1)}, {.key = flow(2)}});
    insert({member_of(flow(1), 1), ended(2), ended(3, 50), ended(5), member_of(std::nullopt, 6)});
    FlowTally first{.row = {.key = flow(1)},
                    .members = {.counts = {.cancelled = 3, .waiting = 1},
                                .failing = 2,
                                .last_end_ms = start_of_time_ms + 5,
                                .kept_until_ms = start_of_time_ms + 53}};
    EXPECT_THAT(*reader->tallies({}), IsEmpty());
    EXPECT_THAT(*reader->tallies({flow(1), flow(2), flow(3)}),
                ElementsAre(first, FlowTally{.row = {.key = flow(2)}, .members = {}}));

    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    insert({ended(4, static_cast<std::uint64_t>(longest))});
    first.members.counts.cancelled = 4;
    first.members.failing = 3;
    first.members.kept_until_ms = longest;
    EXPECT_THAT(*reader->tallies({flow(1)}), ElementsAre(first));
    insert({ended(7, 0)});
    EXPECT_TRUE(reader->tallies({flow(1)})->front().members.kept_for_ever);
}

TEST_P(FlowStore, FlowsToRemoveComeInTheOrderOfTheirTime) {
    const std::int64_t now = *reader->now();
    put<FlowRow>({{.key = flow(1), .raw_fields = {R"({"namespace": "blue"})"}},
                  {.key = flow(2), .raw_fields = {R"({"namespace": "red"})"}, .tags = {R"({"team.name": "a"})"}},
                  {.key = flow(3), .raw_fields = {R"({"namespace": "red"})"}}});
    put<FlowRetentionRow>({{.key = flow(1), .remove_at_ms = now},
                           {.key = flow(2), .remove_at_ms = now - 5},
                           {.key = flow(3), .remove_at_ms = now + 60'000},
                           {.key = flow(4), .remove_at_ms = now - 3}});
    const auto due = *reader->select_due(due_rows<FlowRetentionRow>, 10, {});
    EXPECT_THAT(due.flows, ElementsAre(flow(2), flow(4), flow(1)));
    EXPECT_EQ(due.oldest_at_ms, now - 5);
    EXPECT_EQ(due.next_at_ms, now + 60'000);
    EXPECT_THAT(reader->select_due(due_rows<FlowRetentionRow>, 1, {})->flows, ElementsAre(flow(2)));
    EXPECT_THAT(reader->select_due(due_rows<FlowRetentionRow>, 10, {.namespace_name = "red"})->flows,
                ElementsAre(flow(2)));
    EXPECT_THAT(reader->select_due(due_rows<FlowRetentionRow>, 10, {.tag = {{"team.name", "a"}}})->flows,
                ElementsAre(flow(2)));
    EXPECT_THAT(reader->select_due(due_rows<FlowRetentionRow>, 10, {.tag = {{"team.name", "b"}}})->flows, IsEmpty());
}

TEST_P(FlowStore, FlowsWithoutAFinalSummaryAreWalked) {
    const FlowKey elsewhere{static_cast<std::uint16_t>(partition + 1), flow(1).flow_id};
    const FlowRow first{.key = flow(1)};
    const FlowRow third{.key = flow(3)};
    const FlowRow other{.key = elsewhere};
    put<FlowRow>({first, {.key = flow(2), .summarised = true}, third, other});
    EXPECT_THAT(*reader->unsummarised({}, 10), ElementsAre(first, third, other));
    EXPECT_THAT(*reader->unsummarised({}, 1), ElementsAre(first));
    EXPECT_THAT(*reader->unsummarised(flow(1), 10), ElementsAre(third, other));
    EXPECT_THAT(*reader->unsummarised(elsewhere, 10), IsEmpty());
}

TEST_P(FlowStore, TheEdgesOfAFlowAreReadPieceByPiece) {
    put<EdgeRow>({edge_of(flow(1), 3, 1, 3), edge_of(flow(1), 4, 2, 3), edge_of(flow(2), 5, 5, 6)});
    EXPECT_THAT(*reader->edges(flow(1), 10), ElementsAre(edge(3), edge(4)));
    EXPECT_THAT(*reader->edges(flow(1), 1), ElementsAre(edge(3)));
    EXPECT_THAT(*reader->edges(flow(3), 10), IsEmpty());
}

TEST_P(FlowStore, EdgesAndMembersComeInPages) {
    const EdgeRow first = edge_of(flow(1), 3, 1, 3);
    const EdgeRow second = edge_of(flow(1), 4, 2, 3);
    put<EdgeRow>({first, second, edge_of(flow(2), 5, 5, 6)});
    EXPECT_THAT(*reader->edge_page(flow(1), {}, 10), ElementsAre(first, second));
    EXPECT_THAT(*reader->edge_page(flow(1), {}, 1), ElementsAre(first));
    EXPECT_THAT(*reader->edge_page(flow(1), edge(3), 10), ElementsAre(second));
    EXPECT_THAT(*reader->edge_page(flow(1), edge(4), 10), IsEmpty());

    ExecutionRow named = member_of(flow(1), 8);
    named.node_name = "fetch";
    named.priority = 7;
    named.failure_category = "timeout";
    named.started_at_ms = start_of_time_ms + 1;
    const ExecutionRow plain = member_of(flow(1), 9);
    insert({plain, named, member_of(flow(2), 10), member_of(std::nullopt, 7)});
    const ExecutionSummary shown{.execution_id = execution(8),
                                 .namespace_name = "default",
                                 .lane_id = "default",
                                 .execution_kind = "mail",
                                 .public_state = PublicState::waiting,
                                 .priority = 7,
                                 .created_at_ms = start_of_time_ms,
                                 .started_at_ms = start_of_time_ms + 1,
                                 .terminal_at_ms = {},
                                 .failure_category = "timeout",
                                 .flow_id = flow(1).flow_id,
                                 .node_name = "fetch"};
    EXPECT_THAT(*reader->member_page(flow(1), {}, 10), ElementsAre(shown, summary_of(plain)));
    EXPECT_THAT(*reader->member_page(flow(1), {}, 1), ElementsAre(shown));
    EXPECT_THAT(*reader->member_page(flow(1), execution(8), 10), ElementsAre(summary_of(plain)));
    EXPECT_THAT(*reader->member_page(flow(3), {}, 10), IsEmpty());
}

TEST_P(FlowStore, ChildrenOfPendingGroupsAreLoadedOnce) {
    insert({member_of(flow(1), 1), member_of(flow(1), 2), member_of(flow(1), 3), member_of(flow(2), 4)});
    put<EdgeGroupRow>({group_of(flow(1), 1), group_of(flow(1), 2), group_of(flow(1), 3, GroupState::satisfied),
                       group_of(flow(1), 9), group_of(flow(2), 4)});
    const Loaded loaded = load({{.executions = {execution(2), execution(4)}, .flows = {.children_of = {flow(1)}}}});
    EXPECT_THAT(ids_of(loaded.executions), UnorderedElementsAre(execution(1), execution(2), execution(4)));
    EXPECT_THAT(loaded.busy, IsEmpty());
}

TEST_P(FlowStore, AChildThatAnotherWriterHoldsIsBusy) {
    if (GetParam() == StoreKind::sqlite) GTEST_SKIP() << "one writer at a time";
    insert({member_of(flow(1), 1), member_of(flow(1), 2)});
    put<EdgeGroupRow>({group_of(flow(1), 1), group_of(flow(1), 2)});
    const auto other = std::move(*store->backend()->open_writer());
    ASSERT_TRUE(other->load({{.executions = {execution(1)}}}));
    const Loaded loaded = load({{.flows = {.children_of = {flow(1)}}}});
    EXPECT_THAT(loaded.executions, SizeIs(1));
    EXPECT_THAT(loaded.busy, ElementsAre(execution(1)));
    other->abandon();
}

TEST_P(FlowStore, LiveMembersAreLoadedUpToALimit) {
    ExecutionRow ended = member_of(flow(1), 3);
    ended.vector = terminal_vector(TerminalOutcome::cancelled, false);
    insert({member_of(flow(1), 1), member_of(flow(1), 2), ended, member_of(flow(1), 4), member_of(flow(2), 5)});
    const std::vector live{execution(1), execution(2), execution(4)};
    for (const std::uint32_t limit : {0U, 1U, 2U, 3U, 10U}) {
        SCOPED_TRACE(limit);
        const Loaded loaded = load({{.flows = {.live_members_of = {flow(1)}, .live_members = limit}}});
        EXPECT_THAT(loaded.executions, SizeIs(std::min(limit, 3U)));
        auto all = ids_of(loaded.executions);
        for (const FlowMember& other : members_in(loaded, flow(1))) {
            EXPECT_EQ(other.phase, LifecyclePhase::runnable);
            all.push_back(other.id);
        }
        EXPECT_THAT(all, UnorderedElementsAreArray(live));
    }
}

TEST_P(FlowStore, MembersThatAreNamedAreLoadedBesides) {
    insert({member_of(flow(1), 1), member_of(flow(1), 2), member_of(flow(2), 3)});
    const Loaded all = load(
        {{.executions = {execution(2), execution(3)}, .flows = {.live_members_of = {flow(1)}, .live_members = 10}}});
    EXPECT_THAT(ids_of(all.executions), UnorderedElementsAre(execution(1), execution(2), execution(3)));
    EXPECT_THAT(members_in(all, flow(1)), IsEmpty());
    const Loaded named = load(
        {{.executions = {execution(2), execution(3)}, .flows = {.live_members_of = {flow(1)}, .live_members = 0}}});
    EXPECT_THAT(ids_of(named.executions), UnorderedElementsAre(execution(2), execution(3)));
    EXPECT_THAT(members_in(named, flow(1)), ElementsAre(FlowMember{.id = execution(1)}));
}

TEST_P(FlowStore, AllMembersAreToldIfTheyAreAskedForAsWell) {
    insert({member_of(flow(1), 1), member_of(flow(1), 2), member_of(flow(1), 3)});
    const Loaded loaded = load({{.flows = {.members_of = {flow(1)}, .live_members_of = {flow(1)}, .live_members = 1}}});
    EXPECT_THAT(loaded.executions, SizeIs(1));
    EXPECT_THAT(members_in(loaded, flow(1)),
                UnorderedElementsAre(FlowMember{.id = execution(1)}, FlowMember{.id = execution(2)},
                                     FlowMember{.id = execution(3)}));
}

TEST_P(FlowStore, LiveMembersThatAnotherWriterHoldsAreOnlyNamed) {
    if (GetParam() == StoreKind::sqlite) GTEST_SKIP() << "one writer at a time";
    insert({member_of(flow(1), 1), member_of(flow(1), 2)});
    const auto other = std::move(*store->backend()->open_writer());
    ASSERT_TRUE(other->load({{.executions = {execution(1)}}}));
    const Loaded loaded = load({{.flows = {.live_members_of = {flow(1)}, .live_members = 10}}});
    EXPECT_THAT(ids_of(loaded.executions), ElementsAre(execution(2)));
    EXPECT_THAT(members_in(loaded, flow(1)), ElementsAre(FlowMember{.id = execution(1)}));
    EXPECT_THAT(loaded.busy, IsEmpty());
    other->abandon();
}

TEST_P(FlowStore, EndsOfMembersAreToldAndFoundUntilTheyAreDispatched) {
    WorkingSet set;
    set.events.of<CompletionEvent>() = {end_of(member_of(flow(1), 1)),
                                        end_of(member_of(std::nullopt, 2), start_of_time_ms),
                                        end_of(member_of(flow(2), 3))};
    const auto told = save(set);
    ASSERT_THAT(told, SizeIs(2));
    EXPECT_EQ(told[0], (Undispatched{told[0].event_id, execution(1), flow(1).flow_id, TerminalOutcome::failed}));
    EXPECT_EQ(told[1], (Undispatched{told[1].event_id, execution(3), flow(2).flow_id, TerminalOutcome::failed}));
    EXPECT_EQ(told[1].event_id, told[0].event_id + 2);
    EXPECT_EQ(*reader->undispatched(0, 10), told);
    EXPECT_THAT(*reader->undispatched_of({execution(2), execution(3), execution(4)}), ElementsAre(told[1]));
    EXPECT_THAT(*reader->undispatched_of({}), IsEmpty());
    EXPECT_THAT(*reader->undispatched(0, 1), ElementsAre(told[0]));
    EXPECT_THAT(*reader->undispatched(1, 10), IsEmpty());

    const std::vector<std::int64_t> all{told[0].event_id, told[0].event_id + 1, told[1].event_id};
    EXPECT_THAT(load({{.flows = {.ends = all}}}).ends, ElementsAre(told[0].event_id, told[1].event_id));
    WorkingSet dispatched;
    dispatched.dispatched = {told[0].event_id, told[0].event_id + 1};
    EXPECT_THAT(save(dispatched), IsEmpty());
    EXPECT_THAT(*reader->undispatched_of({execution(1), execution(3)}), ElementsAre(told[1]));
    EXPECT_THAT(load({{.flows = {.ends = all}}}).ends, ElementsAre(told[1].event_id));
    EXPECT_THAT(*reader->undispatched(0, 10), ElementsAre(told[1]));
    EXPECT_EQ(dump(*reader).completion_events[0].dispatched_at_ms, start_of_time_ms);
}

TEST_P(FlowStore, ASetWithoutMembersTellsNoEnds) {
    WorkingSet set;
    set.events.of<CompletionEvent>() = {end_of(member_of(std::nullopt, 1), start_of_time_ms)};
    EXPECT_THAT(save(set), IsEmpty());
}

TEST_P(FlowStore, TheHighestEdgeBringsTheInputWheneverItComes) {
    insert(member_of(flow(1), 1), "one");
    insert(member_of(flow(1), 2), "two");
    insert({member_of(flow(1), 3), member_of(flow(1), 4), member_of(flow(1), 5)});
    copy({{execution(2), execution(4), "b", edge(8)}, {execution(3), execution(4), "c", edge(9)}});
    EXPECT_EQ(*reader->input(execution(4)), "two");
    copy({{execution(1), execution(4), "a", edge(7)}, {execution(3), execution(5), "a", edge(6)}});
    EXPECT_EQ(*reader->input(execution(4)), "two");
    EXPECT_EQ(*reader->input(execution(5)), "own");
    EXPECT_THAT(*reader->inputs(execution(4)), ElementsAre(Pair("a", "one"), Pair("b", "two")));
    EXPECT_THAT(*reader->inputs(execution(5)), IsEmpty());
    copy({{execution(1), execution(4), "b", edge(9)}});
    EXPECT_EQ(*reader->input(execution(4)), "one");
    EXPECT_THAT(*reader->inputs(execution(4)), ElementsAre(Pair("a", "one"), Pair("b", "one")));
}

TEST_P(FlowStore, AResultOfTheSameBatchIsCopied) {
    insert({member_of(flow(1), 2)});
    WorkingSet set;
    set.executions.push_back({.row = member_of(flow(1), 1), .change = RowChange::insert, .result = "new"});
    set.input_copies = {{execution(1), execution(2), "a", edge(1)}};
    save(set);
    EXPECT_EQ(*reader->input(execution(2)), "new");
}

TEST_P(FlowStore, WhatEdgesBroughtGoesWithTheExecution) {
    insert(member_of(flow(1), 1), "one");
    insert({member_of(flow(1), 2)});
    copy({{execution(1), execution(2), "a", edge(1)}});
    WorkingSet set;
    set.executions.push_back({.row = member_of(flow(1), 2), .change = RowChange::erase});
    save(set);
    EXPECT_THAT(*reader->inputs(execution(2)), IsEmpty());
}

TEST_P(FlowStore, AnExecutionJoinsAFlowLater) {
    insert({member_of(std::nullopt, 1)});
    WorkingSet set;
    set.executions.push_back({.row = member_of(flow(1), 1), .change = RowChange::update});
    save(set);
    EXPECT_THAT(*reader->members(flow(1), 10), SizeIs(1));
}

TEST_P(FlowStore, UnresolvedEdgesAreFoundByTheirUpstream) {
    auto resolved = edge_of(flow(1), 1, 1, 3);
    resolved.dependency_state = DependencyState::satisfied;
    auto staged = edge_of(flow(1), 2, 1, 4);
    staged.dependency_state.reset();
    put<EdgeRow>({resolved, staged, edge_of(flow(1), 3, 2, 5), edge_of(flow(1), 4, 1, 5), edge_of(flow(2), 5, 6, 7)});
    EXPECT_THAT(*reader->unresolved_edges({execution(1), execution(2)}, 10),
                ElementsAre(edge_of(flow(1), 3, 2, 5), edge_of(flow(1), 4, 1, 5)));
    EXPECT_THAT(*reader->unresolved_edges({execution(1), execution(2)}, 1), ElementsAre(edge_of(flow(1), 3, 2, 5)));
    EXPECT_THAT(*reader->unresolved_edges({}, 10), IsEmpty());
}

TEST_P(FlowStore, FlowsAreListedInPages) {
    FlowRow elsewhere{.key = flow(2)};
    elsewhere.key.partition = partition + 1;
    put<FlowRow>({{.key = flow(3)}, {.key = flow(0)}, {.key = flow(1)}, elsewhere});
    const auto keys = [&](std::optional<std::uint16_t> of, std::optional<FlowKey> after, std::uint32_t limit) {
        std::vector<FlowKey> found;
        const auto rows = reader->flows(of, after, limit);
        for (const FlowRow& row : *rows) found.push_back(row.key);
        return found;
    };
    EXPECT_THAT(keys(partition, std::nullopt, 2), ElementsAre(flow(0), flow(1)));
    EXPECT_THAT(keys(partition, flow(1), 2), ElementsAre(flow(3)));
    EXPECT_THAT(keys(partition, std::nullopt, 0), IsEmpty());
    EXPECT_THAT(keys(partition + 1, std::nullopt, 9), ElementsAre(elsewhere.key));
    EXPECT_THAT(keys(std::nullopt, flow(1), 9), ElementsAre(flow(3), elsewhere.key));
    EXPECT_THAT(keys(std::nullopt, std::nullopt, 9), ElementsAre(flow(0), flow(1), flow(3), elsewhere.key));
}

TEST_P(FlowStore, AFlowThatAnotherWriterHoldsIsWaitedFor) {
    if (GetParam() == StoreKind::sqlite) GTEST_SKIP() << "one writer at a time";
    put<FlowRow>({{.key = flow(1)}});
    LoadRequest request;
    request.side.of<FlowRow>().keys = {flow(1)};
    const auto other = std::move(*store->backend()->open_writer());
    ASSERT_TRUE(other->load(request));
    const auto refused = writer->load(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, StoreFault::contention);
    other->abandon();
    EXPECT_THAT(load(request).side.of<FlowRow>().rows(), SizeIs(1));
}

TEST_P(FlowStore, OfTwoWritersThatCreateAFlowOneIsSentBack) {
    if (GetParam() == StoreKind::sqlite) GTEST_SKIP() << "one writer at a time";
    LoadRequest request;
    request.side.of<FlowRow>().keys = {flow(1)};
    const FlowRow first{.key = flow(1), .graph_revision = 5, .created_at_ms = 1};
    const auto save_by = [](StoreWriter& by, const FlowRow& row, const std::vector<FlowRow>& found = {}) {
        WorkingSet set;
        for (const FlowRow& there : found) set.side.of<FlowRow>().load(there);
        set.side.of<FlowRow>().put(row);
        return by.save(set);
    };
    const auto other = std::move(*store->backend()->open_writer());
    ASSERT_TRUE(writer->load(request));
    const auto loaded = other->load(request);
    ASSERT_TRUE(save_by(*writer, first));
    const auto refusal = loaded ? save_by(*other, {.key = flow(1), .created_at_ms = 2}).error() : loaded.error();
    EXPECT_EQ(refusal.fault, StoreFault::contention);
    EXPECT_THAT(*reader->all<FlowRow>(), ElementsAre(first));

    ASSERT_TRUE(writer->load(request));
    const FlowRow changed{.key = flow(1), .graph_revision = 6, .created_at_ms = 1};
    EXPECT_TRUE(save_by(*writer, changed, {first}));
    EXPECT_THAT(*reader->all<FlowRow>(), ElementsAre(changed));
}

TEST_P(FlowStore, ARowThatNobodyLookedForIsReplacedWhereThatIsAllowed) {
    put<FlowRetentionRow>({{.key = flow(1), .remove_at_ms = 1}});
    put<FlowRetentionRow>({{.key = flow(1), .remove_at_ms = 2}});
    EXPECT_THAT(*reader->all<FlowRetentionRow>(), ElementsAre(FlowRetentionRow{.key = flow(1), .remove_at_ms = 2}));
}

INSTANTIATE_TEST_SUITE_P(Stores, FlowStore, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
