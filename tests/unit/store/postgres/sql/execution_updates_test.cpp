#include "store/postgres/sql/execution_updates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "store/postgres/sql/sql.hpp"
#include "unit/core/fixtures.hpp"
#include "unit/store/postgres/migrated_schema.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoredExecutions : public MigratedSchema {
  protected:
    void SetUp() override {
        MigratedSchema::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        backend = postgres::make_backend({.url = schema->url()});
        writer = std::move(*backend->open_writer());
        WorkingSet set;
        set.executions.push_back({.row = tagged_row(), .change = RowChange::insert, .input = "in"});
        ASSERT_TRUE(writer->load({}));
        ASSERT_TRUE(writer->save(set));
    }

    static ExecutionRow tagged_row() {
        ExecutionRow row = waiting_row();
        row.tags = {R"({"a": "b", "c": "d"})"};
        return row;
    }

    static ExecutionEntry update_of(ExecutionRow loaded) {
        auto before = std::make_shared<const ExecutionRow>(loaded);
        return {.row = std::move(loaded), .change = RowChange::update, .loaded = std::move(before)};
    }
    static std::vector<std::string> written(const ExecutionEntry& entry) {
        const auto columns = postgres::stored_columns_to_write(entry);
        std::vector<std::string> found;
        const auto all = postgres::sql::stored_columns();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (columns.test(i)) found.push_back(all[i].name);
        }
        if (columns.test(all.size())) found.emplace_back("result");
        return found;
    }
    ExecutionRow load() {
        auto loaded = writer->load({{.executions = {execution(1)}}});
        if (!loaded) throw std::runtime_error(loaded.error().detail);
        return std::move(loaded->executions.front());
    }
    void save(const ExecutionEntry& entry) {
        WorkingSet set;
        set.executions.push_back(entry);
        const auto saved = writer->save(set);
        ASSERT_TRUE(saved) << saved.error().detail;
    }

    std::shared_ptr<Backend> backend;
    std::unique_ptr<StoreWriter> writer;
};

TEST_F(StoredExecutions, ARowThatCameBackAsItWasHasNotChanged) {
    ExecutionEntry entry = update_of(load());
    writer->abandon();
    entry.row = tagged_row();
    EXPECT_THAT(written(entry), IsEmpty());
}

TEST_F(StoredExecutions, AnUpdateThatChangesNothingWritesNothing) {
    const auto version = schema->query("SELECT ctid, xmin FROM ff_exec_core");
    save(update_of(load()));
    EXPECT_EQ(schema->query("SELECT ctid, xmin FROM ff_exec_core"), version);
}

TEST_F(StoredExecutions, WhateverDiffersHasChanged) {
    ExecutionEntry entry = update_of(load());
    writer->abandon();
    ExecutionRow& row = entry.row;
    row.priority += 1;
    row.tags = {R"({"a": "e"})"};
    row.lease_id = LeaseId{row.id.uuid};
    row.vector.public_state = PublicState::delayed;
    row.last_mutation_at_ms += 1;
    EXPECT_THAT(written(entry), ElementsAre("priority", "tags", "public_state", "lease_id", "last_mutation_at_ms"));
    row.vector = delayed_vector(BlockingReason::waiting_for_delay, AttemptState::pending_first_attempt);
    entry.result = "out";
    EXPECT_THAT(written(entry), ElementsAre("priority", "tags", "eligibility_state", "public_state", "blocking_reason",
                                            "lease_id", "last_mutation_at_ms", "claim_class", "result"));
}

TEST_F(StoredExecutions, RowsThatDifferInTheirStatesAloneGetEachItsOwn) {
    WorkingSet inserted;
    for (std::uint8_t i = 2; i <= 4; ++i) {
        ExecutionRow row = waiting_row();
        row.id = execution(i);
        inserted.executions.push_back({.row = row, .change = RowChange::insert});
    }
    ASSERT_TRUE(writer->load({}));
    ASSERT_TRUE(writer->save(inserted));

    const std::vector<ExecutionId> ids{execution(1), execution(2), execution(3), execution(4)};
    const std::vector outcomes{TerminalOutcome::failed, TerminalOutcome::cancelled, TerminalOutcome::failed,
                               TerminalOutcome::expired};
    auto loaded = writer->load({{.executions = ids}});
    ASSERT_TRUE(loaded);
    WorkingSet ended;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ExecutionEntry entry = update_of(loaded->executions[i]);
        entry.row.vector = terminal_vector(outcomes[i], false);
        ended.executions.push_back(entry);
    }
    ASSERT_TRUE(writer->save(ended));

    loaded = writer->load({{.executions = ids}});
    ASSERT_TRUE(loaded);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ(loaded->executions[i].vector, terminal_vector(outcomes[i], false)) << i;
    }
    writer->abandon();
}

TEST_F(StoredExecutions, NobodyHidesWorkFromThoseWhoClaimIt) {
    for (const auto* wrong : {"claim_class = NULL", "claim_class = 0", "claim_class = class_id + 1",
                              "eligibility_state = 'not_eligible_until_time', public_state = 'delayed', "
                              "blocking_reason = 'waiting_for_delay'"}) {
        EXPECT_THROW(schema->query("UPDATE ff_exec_core SET " + std::string(wrong)), std::runtime_error) << wrong;
    }
    schema->query(
        "UPDATE ff_exec_core SET eligibility_state = 'not_eligible_until_time', public_state = 'delayed', "
        "blocking_reason = 'waiting_for_delay', claim_class = NULL");
    schema->query(
        "UPDATE ff_exec_core SET eligibility_state = 'blocked_by_quota', public_state = 'rate_limited', "
        "blocking_reason = 'waiting_for_quota', claim_class = 0");
}

TEST_F(StoredExecutions, TheRestOfTheRowStays) {
    ExecutionEntry entry = update_of(load());
    entry.row.priority = 7;
    entry.result = "out";
    save(entry);
    entry = update_of(load());
    EXPECT_EQ(entry.row.priority, 7);
    entry.row.priority = 8;
    save(entry);

    ExecutionRow expected = tagged_row();
    expected.priority = 8;
    EXPECT_EQ(load(), expected);
    writer->abandon();
    EXPECT_EQ(schema->query("SELECT convert_from(payload, 'UTF8'), convert_from(result, 'UTF8') FROM ff_exec_core"),
              (std::vector<RawSchema::Row>{{"in", "out"}}));
}

TEST_F(StoredExecutions, RowsThatChangeInDifferentWaysAreAllWritten) {
    WorkingSet set;
    for (std::uint64_t i = 2; i <= 9; ++i) {
        set.executions.push_back({.row = waiting_row(i), .change = RowChange::insert, .input = "in"});
    }
    ASSERT_TRUE(writer->load({}));
    ASSERT_TRUE(writer->save(set));

    std::vector<ExecutionId> ids;
    for (std::uint64_t i = 1; i <= 9; ++i) ids.push_back(execution(i));
    std::ranges::sort(ids);
    auto loaded = writer->load({{.executions = ids}});
    ASSERT_TRUE(loaded);
    WorkingSet changes;
    for (std::size_t i = 0; i < loaded->executions.size(); ++i) {
        ExecutionEntry entry = update_of(loaded->executions[i]);
        ExecutionRow& row = entry.row;
        row.priority = i % 3 == 0 ? 5 : row.priority;
        row.retry_count = i % 3 == 1 ? 6 : row.retry_count;
        row.blocking_detail = i % 3 == 2 ? std::optional<std::string>("why") : row.blocking_detail;
        changes.executions.push_back(entry);
    }
    ASSERT_TRUE(writer->save(changes));
    EXPECT_EQ(schema->query("SELECT count(*) FILTER (WHERE priority = 5), count(*) FILTER (WHERE retry_count = 6), "
                            "count(*) FILTER (WHERE blocking_detail = 'why') FROM ff_exec_core"),
              (std::vector<RawSchema::Row>{{"3", "3", "3"}}));
}

}  // namespace
}  // namespace flowfabric::test
