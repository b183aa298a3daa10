#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/execution/cancelling.hpp"
#include "core/execution/state_vector.hpp"
#include "store/postgres/sql/sql.hpp"
#include "store/postgres/sql/stored_execution.hpp"
#include "unit/core/fixtures.hpp"
#include "unit/store/postgres/migrated_schema.hpp"

// No index on ff_exec_core may mention, as key or in its predicate, a column that an ordinary claim, renew or complete
// changes, so that renew and complete are HOT; a claim may change two. The timer columns (delay_until_ms,
// attempt_deadline_at_ms, reclaimable_since_ms, …) are null throughout for an ordinary execution.
namespace flowfabric::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Names = std::set<std::string>;

// Key columns, and every column that the predicate or an expression depends on, of the table that follows.
constexpr auto indexed_columns_sql = R"(
    SELECT c.relname, a.attname
    FROM pg_index x
    JOIN pg_class c ON c.oid = x.indexrelid
    JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum > 0
    WHERE x.indrelid = :table::regclass
      AND (a.attnum = ANY (x.indkey::int2[])
           OR EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid
                        AND d.refclassid = 'pg_class'::regclass AND d.refobjid = x.indrelid
                        AND d.refobjsubid = a.attnum)))";

std::vector<std::string> changed_as_stored(const ExecutionRow& before, const ExecutionRow& after) {
    auto changed = changed_columns(before, after);
    if (postgres::claim_class_of(before) != postgres::claim_class_of(after)) changed.emplace_back("claim_class");
    return changed;
}

Names intersection(const Names& a, const std::vector<std::string>& b) {
    Names both;
    for (const std::string& name : b) {
        if (a.contains(name)) both.insert(name);
    }
    return both;
}

class IndexRule : public MigratedSchema {
  protected:
    void SetUp() override {
        MigratedSchema::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        by_index = columns_by_index("ff_exec_core");
        indexed = indexed_in("ff_exec_core");
    }

    std::map<std::string, Names> columns_by_index(const std::string& table) {
        std::string sql = indexed_columns_sql;
        sql.replace(sql.find(":table"), 6, "'" + table + "'");
        std::map<std::string, Names> columns;
        for (const auto& row : schema->query(sql)) columns[row[0]].insert(row[1]);
        return columns;
    }
    Names indexed_in(const std::string& table) {
        Names all;
        for (const auto& [index, columns] : columns_by_index(table)) all.insert(columns.begin(), columns.end());
        return all;
    }
    int fillfactor_of(const std::string& table) {
        return std::stoi(
            schema
                ->query("SELECT option_value FROM pg_class, pg_options_to_table(reloptions) WHERE oid = '" + table +
                        "'::regclass AND option_name = 'fillfactor'")
                .at(0)
                .at(0));
    }

    std::map<std::string, Names> by_index;
    Names indexed;
};

TEST_F(IndexRule, TheCatalogueShowsKeysAndPredicates) {
    EXPECT_THAT(by_index.at("ff_exec_core_claim"),
                UnorderedElementsAre("claim_class", "priority", "created_at_ms", "execution_id"));
    EXPECT_THAT(by_index.at("ff_exec_core_reclaim"), Contains("reclaimable_since_ms"));
    EXPECT_THAT(by_index.at("ff_exec_core_pkey"), UnorderedElementsAre("partition_key", "execution_id"));
}

TEST_F(IndexRule, AnOrdinaryClaimChangesTwoIndexedColumns) {
    Desk desk(waiting_row(), claimed_at);
    ASSERT_TRUE(decide_claim(claim_by("worker-a"), 0, desk.entry, desk.context));
    EXPECT_THAT(intersection(indexed, changed_as_stored(desk.before, desk.row())),
                UnorderedElementsAre("claim_class", "lease_check_at_ms"));
}

TEST_F(IndexRule, AnOrdinaryRenewChangesNone) {
    Desk desk(running_row());
    ASSERT_TRUE(desk.decide(Renew{.lease = lease_on(desk.row()), .lease_ttl_ms = lease_ttl}));
    EXPECT_THAT(intersection(indexed, changed_as_stored(desk.before, desk.row())), IsEmpty());
}

TEST_F(IndexRule, AnOrdinaryCompleteChangesNone) {
    Desk desk(running_row());
    ASSERT_TRUE(desk.decide(Complete{.lease = lease_on(desk.row()), .result = "done"}));
    EXPECT_THAT(intersection(indexed, changed_as_stored(desk.before, desk.row())), IsEmpty());
}

TEST_F(IndexRule, TheEndOfAMemberThatWaitsForOthersChangesNone) {
    ExecutionRow held = waiting_row();
    held.deps_blocked = true;
    held.vector = dependency_vector(AttemptState::pending_first_attempt);
    Desk cancelled(held);
    cancel_for_flow(&cancelled.entry, "enough", CancellationCause::flow, cancelled.context.set);
    EXPECT_THAT(intersection(indexed, changed_as_stored(cancelled.before, cancelled.row())), IsEmpty());
    Desk skipped(held);
    Transition(skipped.entry, skipped.context.set).skip();
    EXPECT_THAT(intersection(indexed, changed_as_stored(skipped.before, skipped.row())), IsEmpty());
}

TEST_F(IndexRule, AHotColumnIsIndexedOnlyWhereItIsSet) {
    const Names timers{"lease_check_at_ms", "reclaimable_since_ms", "delay_until_ms", "attempt_deadline_at_ms"};
    for (const auto& [index, columns] : by_index) {
        for (const std::string& column : intersection(columns, columns_of(ColumnUse::hot))) {
            EXPECT_TRUE(timers.contains(column)) << index << " mentions " << column;
            const auto predicate = schema->query(
                "SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = '" + index + "'::regclass");
            EXPECT_EQ(predicate.at(0).at(0), "(" + column + " IS NOT NULL)") << index;
        }
    }
}

// What both versions of a row begin with is not in the WAL record of an update.
TEST_F(IndexRule, WhatChangesMoreOftenComesLater) {
    std::map<std::string, ColumnUse> use_of{{"payload", ColumnUse::fixed}, {"result", ColumnUse::cold}};
    for (const auto& column : postgres::sql::stored_columns()) use_of.emplace(column.name, column.use);
    ColumnUse before = ColumnUse::fixed;
    for (const auto& row : schema->query("SELECT attname FROM pg_attribute WHERE attrelid = 'ff_exec_core'::regclass "
                                         "AND attnum > 0 AND NOT attisdropped ORDER BY attnum")) {
        const ColumnUse use = use_of.at(row[0]);
        EXPECT_LE(before, use) << row[0];
        before = use;
    }
}

TEST_F(IndexRule, RowsHaveRoomForTheirNextVersionOnTheSamePage) {
    EXPECT_EQ(fillfactor_of("ff_exec_core"), 35);
    for (const auto* table : {"ff_edge", "ff_edge_group", "ff_flow_core"}) EXPECT_LE(fillfactor_of(table), 55) << table;
}

TEST_F(IndexRule, FramesAreAppendedWithoutAnIndexOfWhatTheyChange) {
    EXPECT_THAT(indexed_in("ff_stream_meta"),
                UnorderedElementsAre("partition_key", "execution_id", "attempt_index", "expiry_check_at_ms"));
    EXPECT_LE(fillfactor_of("ff_stream_meta"), 55);
    EXPECT_EQ(columns_by_index("ff_stream_frame").size(), 1U);
}

TEST_F(IndexRule, EdgesAndGroupsAreResolvedInPlace) {
    EXPECT_THAT(indexed_in("ff_edge"),
                UnorderedElementsAre("partition_key", "flow_id", "edge_id", "upstream_eid", "downstream_eid"));
    EXPECT_THAT(indexed_in("ff_edge_group"), UnorderedElementsAre("partition_key", "flow_id", "downstream_eid"));
}

}  // namespace
}  // namespace flowfabric::test
