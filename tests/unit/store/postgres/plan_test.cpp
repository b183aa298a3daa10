#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "store/postgres/sql/execution_updates.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "unit/store/postgres/migrated_schema.hpp"

// Plans are made once, maybe while a table is empty, and kept while it grows: whatever the statistics say, a writer's
// statement looks its keys up one by one.
namespace flowfabric::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class WritersPlans : public MigratedSchema {
  protected:
    void SetUp() override {
        MigratedSchema::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        schema->query(postgres::session_statements().writer.sql);
    }

    // The generic plan, as it is with the statistics of this moment.
    std::string plan_of(const postgres::Statement& statement, std::size_t parameters) {
        schema->query("PREPARE asked AS " + statement.sql);
        std::string arguments;
        for (std::size_t i = 0; i < parameters; ++i) arguments += i == 0 ? "NULL" : ", NULL";
        std::string plan;
        for (const auto& row : schema->query("EXPLAIN (COSTS OFF) EXECUTE asked(" + arguments + ")")) {
            plan += row[0] + "\n";
        }
        schema->query("DEALLOCATE asked");
        return plan;
    }
    void empty_and_analyze(const std::string& table) {
        schema->query("DELETE FROM " + table);
        schema->query("VACUUM ANALYZE " + table);
    }
};

TEST_F(WritersPlans, DeletesFindTheirRowsKeyByKeyInATableThatWasEmpty) {
    for (const RowType& type : side_row_types()) {
        const std::string table(type.table);
        empty_and_analyze(table);
        const auto plan = plan_of(postgres::side_statements(type).erase, type.key_size);
        EXPECT_THAT(plan, HasSubstr("Tid Scan on " + table));
        EXPECT_THAT(plan, HasSubstr("Index Cond")) << table;
    }
}

// Any index with a column of the primary key looks as good as that one while the table is empty, and a partition holds
// a share of all rows there will ever be.
TEST_F(WritersPlans, LookUpsAreByMoreThanThePartitionInATableThatWasEmpty) {
    for (const RowType& type : side_row_types()) {
        const std::string table(type.table);
        empty_and_analyze(table);
        const auto expect_selective = [&](const postgres::LookupStatement& lookup, const postgres::sql::Columns& key) {
            for (const postgres::Statement* statement : {&lookup.one, &lookup.many}) {
                const auto plan = plan_of(*statement, key.size());
                const auto condition = plan.substr(std::min(plan.find("Index Cond"), plan.size()));
                const auto line = condition.substr(0, condition.find('\n'));
                EXPECT_TRUE(std::ranges::any_of(key, [&](const auto& column) {
                    return column.name != "partition_key" && line.find("(" + column.name + " = ") != std::string::npos;
                })) << plan;
            }
        };
        const auto& sql = postgres::side_statements(type);
        expect_selective(sql.by_key.find, postgres::sql::columns_of(type.key()));
        if (type.owned) expect_selective(sql.by_owner.find, postgres::sql::execution_key);
        if (type.of_flow) expect_selective(sql.by_flow.find, postgres::sql::columns_of<FlowKey>());
        if (type.of_group) expect_selective(sql.by_group.find, postgres::sql::columns_of<GroupKey>());
        if (type.of_source) expect_selective(sql.by_source.find, postgres::sql::columns_of<SourceKey>());
    }
}

TEST_F(WritersPlans, PiecesOfASeriesAreWalkedInTheirOrderInATableThatWasEmpty) {
    const RowType& type = row_type<WebhookFailureRow>();
    empty_and_analyze(std::string(type.table));
    const auto plan = plan_of(postgres::side_statements(type).read_behind, type.key_size + 1);
    EXPECT_THAT(plan, HasSubstr("Index Cond: ((webhook = $1) AND (event_id > $2))"));
    EXPECT_THAT(plan, testing::Not(HasSubstr("Sort")));
}

TEST_F(WritersPlans, FramesAreReadAndRemovedByTheirStreamInATableThatWasEmpty) {
    const RowType& type = row_type<StreamFrameRow>();
    empty_and_analyze(std::string(type.table));
    const auto read = plan_of(postgres::read_statements().frames, 9);
    EXPECT_THAT(read, HasSubstr("using ff_stream_frame_pkey"));
    EXPECT_THAT(read, HasSubstr("ROW(ts_ms, seq) >= ROW("));
    EXPECT_THAT(read, Not(HasSubstr("Sort")));
    const auto cut = plan_of(postgres::side_statements(type).cut, type.series_size + 1);
    EXPECT_THAT(cut, HasSubstr("Tid Scan on ff_stream_frame"));
    EXPECT_THAT(cut, HasSubstr("(execution_id = u.execution_id)"));
}

TEST_F(WritersPlans, MembersAndChildrenAreLookedUpFlowByFlowInATableThatWasEmpty) {
    empty_and_analyze("ff_exec_core");
    empty_and_analyze("ff_edge_group");
    const auto flow_by_flow = HasSubstr("Index Cond: ((partition_key = u.partition_key) AND (flow_id = u.flow_id))");
    const auto parameters = postgres::sql::columns_of<FlowKey>().size();
    EXPECT_THAT(plan_of(postgres::read_statements().members, parameters), flow_by_flow);
    const auto live_members = plan_of(postgres::load_statements().lock_live_members, parameters + 1);
    const std::string by_flow = "Index Cond: ((partition_key = $1) AND (flow_id = $2))";
    EXPECT_THAT(live_members, HasSubstr(by_flow));
    EXPECT_NE(live_members.find(by_flow), live_members.rfind(by_flow)) << "those that are locked, and all of them";
    EXPECT_THAT(plan_of(postgres::load_statements().find_children, parameters), flow_by_flow);
}

TEST_F(WritersPlans, PagesOfMembersAndEdgesBeginBehindTheLastOneInATableThatWasEmpty) {
    empty_and_analyze("ff_exec_core");
    empty_and_analyze("ff_edge");
    const auto members = plan_of(postgres::read_statements().member_page, 4);
    EXPECT_THAT(members, HasSubstr("using ff_exec_core_flow"));
    EXPECT_THAT(members, Not(HasSubstr("Sort")));
    const auto edges = plan_of(postgres::read_statements().edge_page, 4);
    EXPECT_THAT(edges, HasSubstr("using ff_edge_pkey"));
    EXPECT_THAT(edges, Not(HasSubstr("Sort")));
}

TEST_F(WritersPlans, SearchesWalkAnIndexInTheirOwnOrderInATableThatWasEmpty) {
    empty_and_analyze("ff_exec_core");
    empty_and_analyze("ff_search_term");
    schema->query("SELECT set_config('enable_sort', 'off', false)");
    using By = SearchWalk::By;
    struct Case {
        By by;
        std::string index;
        std::size_t parameters;
    };
    for (const auto& [by, index, parameters] : std::vector<Case>{{By::time, "ff_exec_core_time", 5},
                                                                 {By::lane, "ff_exec_core_lane", 6},
                                                                 {By::namespace_name, "ff_exec_core_namespace", 6},
                                                                 {By::kind, "ff_exec_core_kind", 6},
                                                                 {By::term, "ff_search_term_walk", 6},
                                                                 {By::flow, "ff_exec_core_flow", 4}}) {
        const auto plan = plan_of(postgres::read_statements().newest.at(static_cast<std::size_t>(by)), parameters);
        EXPECT_THAT(plan, HasSubstr("Scan Backward using " + index + " on"));
        // Behind a walk along terms only the page is sorted.
        const auto walk = plan.substr(plan.find("Limit"));
        EXPECT_THAT(walk, Not(HasSubstr("Sort"))) << plan;
    }
}

TEST_F(WritersPlans, LookUpsOfExecutionsKeepToThePrimaryKeyInATableThatWasEmpty) {
    empty_and_analyze("ff_exec_core");
    empty_and_analyze("ff_search_term");
    EXPECT_THAT(plan_of(postgres::read_statements().execution, 2), HasSubstr("using ff_exec_core_pkey"));
    EXPECT_THAT(plan_of(postgres::read_statements().outcomes, 2), HasSubstr("using ff_exec_core_pkey"));
    const auto& terms = postgres::side_statements(row_type<SearchTermRow>());
    EXPECT_THAT(plan_of(terms.erase, 3), HasSubstr("using ff_search_term_pkey"));
}

TEST_F(WritersPlans, EdgesFromExecutionsThatHaveEndedAreLookedUpOneByOneInATableThatWasEmpty) {
    empty_and_analyze("ff_edge");
    EXPECT_THAT(plan_of(postgres::read_statements().unresolved_edges, 3),
                HasSubstr("Index Cond: (upstream_eid = u.upstream_eid)"));
}

TEST_F(WritersPlans, AClaimBeginsAtTheFloorOfEachLevelInATableThatWasEmpty) {
    empty_and_analyze("ff_exec_core");
    const auto plan = plan_of(postgres::load_statements().lock_claimable, 13);
    EXPECT_THAT(plan, HasSubstr("Index Cond: ((claim_class = ($5)[l.n]) AND (priority = ($6)[l.n]) AND "
                                "(ROW(created_at_ms, execution_id) >= ROW(($7)[l.n], ($8)[l.n])))"));
    EXPECT_THAT(plan, HasSubstr("Index Cond: ((claim_class = t.class_id) AND (priority < t.below) AND"));
    EXPECT_THAT(plan_of(postgres::load_statements().lock_best_claimable, 6),
                HasSubstr("Index Cond: (claim_class = k_1.class_id)"));
}

TEST_F(WritersPlans, UpdatesOfManyExecutionsLookEachUpInATableOfFiftyRows) {
    schema->query(
        "INSERT INTO ff_exec_core (partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, "
        "execution_kind, creator_identity, required_capabilities, priority, tags, retry_count, replay_count, "
        "lease_reclaim_count, deps_blocked, lifecycle_phase, ownership_state, eligibility_state, public_state, "
        "attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, "
        "last_transition_at_ms, last_mutation_at_ms, activity_epoch, claim_class) SELECT i % 256, gen_random_uuid(), "
        "i, 1, 'l', 'n', 'k', 'c', '{}', 0, '{}', 0, 0, 0, false, 'runnable', 'unowned', 'eligible_now', 'waiting', "
        "'pending_first_attempt', 'waiting_for_worker', 'none', 0, 0, 0, i, i, 0, 1 FROM generate_series(1, 50) AS i");
    schema->query("VACUUM ANALYZE ff_exec_core");
    const auto columns = postgres::all_changeable_columns();
    const auto update = postgres::update_executions("update", columns);
    const auto plan = plan_of(update.in(postgres::Shape::many_rows), update.columns);
    EXPECT_THAT(plan, HasSubstr("Index Cond: ((partition_key = u.partition_key) AND (execution_id = u.execution_id))"));
}

}  // namespace
}  // namespace flowfabric::test
