#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/events/execution_cursor.hpp"
#include "store/sqlite/side_table.hpp"
#include "store/sqlite/statements.hpp"
#include "support/stores.hpp"
#include "unit/store/golden_sql.hpp"

namespace flowfabric::test {
namespace {

namespace statements = sqlite::statements;
using sqlite::SideTexts;
using Statements = std::vector<NamedSql>;

void add_side_tables(Statements& all) {
    for (const RowType& type : side_row_types()) {
        const SideTexts texts = SideTexts::of(type);
        const auto add = [&](const char* what, const std::string& text) {
            if (!text.empty()) all.push_back({what + std::string(type.table), text});
        };
        add("find_", texts.find);
        add("list_", texts.list);
        add("put_", texts.put);
        add("erase_", texts.erase);
        add("find_owned_", texts.find_owned);
        add("read_owned_", texts.read_owned);
        add("erase_owned_", texts.erase_owned);
        add("find_in_flow_", texts.find_in_flow);
        add("find_in_group_", texts.find_in_group);
        add("find_from_", texts.find_from);
        add("first_", texts.first);
        add("behind_", texts.behind);
        add("cut_", texts.cut);
    }
}

void add_by_state(Statements& all) {
    for (std::size_t i = 0; i < enum_names<PublicState>.size(); ++i) {
        const auto state = static_cast<PublicState>(i);
        const auto count = statements::count_state_entries(state);
        if (!count) continue;
        const std::string name(to_string(state));
        all.push_back({"count_state_entries_" + name, *count});
        all.push_back({"list_state_by_index_" + name, statements::list_state_by_index(state)});
    }
}

void add_outboxes(Statements& all) {
    for (const Channel channel : channels) {
        const std::string of = "_" + std::string(outbox_of_channel(channel).table);
        all.push_back({"insert" + of, statements::insert_event(channel)});
        all.push_back({"tail" + of, statements::tail(channel)});
        all.push_back({"oldest" + of, statements::oldest_events(channel)});
        all.push_back({"remove" + of, statements::remove_events(channel)});
        all.push_back({"all" + of, statements::all_events(channel)});
    }
    for (const Channel channel : execution_channels) {
        all.push_back({"tail_of_" + std::string(outbox_of_channel(channel).table), statements::tail_of(channel)});
    }
}

void add_due_rows(Statements& all) {
    for (const DueRows* rows : all_due_rows()) {
        all.push_back({"due_" + std::string(rows->name), statements::due(*rows)});
        all.push_back({"next_due_" + std::string(rows->name), statements::next_due(*rows)});
    }
}

Statements every_statement() {
    Statements all;
    all.push_back({"find_execution", statements::find_execution()});
    all.push_back({"insert_execution", statements::insert_execution()});
    all.push_back({"update_execution_hot", statements::update_execution_hot()});
    all.push_back({"update_execution_wide", statements::update_execution_wide()});
    all.push_back({"insert_input", statements::insert_input()});
    all.push_back({"save_result", statements::save_result()});
    all.push_back({"clear_result", statements::clear_result()});
    all.push_back({"find_input", statements::find_input()});
    all.push_back({"find_result", statements::find_result()});
    all.push_back({"find_outcome", statements::find_outcome()});
    all.push_back({"list_executions", statements::list_executions()});
    all.push_back({"list_state_by_walk", statements::list_state_by_walk()});
    for (const SearchWalk::By by : SearchWalk::all) {
        all.push_back({"newest_" + std::to_string(static_cast<int>(by)), statements::newest(by)});
    }
    all.push_back({"clear_lease_checks", statements::clear_lease_checks()});
    all.push_back({"expired_leases", statements::expired_leases()});
    all.push_back({"sweep_keys", statements::sweep_keys()});
    all.push_back({"sweep_signal_keys", statements::sweep_signal_keys()});
    all.push_back({"sweep_claim_requests", statements::sweep_claim_requests()});
    all.push_back({"sweep_usage_keys", statements::sweep_usage_keys()});
    all.push_back({"sweep_worker_events", statements::sweep_worker_events()});
    all.push_back({"signals_of_run", statements::signals_of_run()});
    all.push_back({"signal_payload", statements::signal_payload()});
    all.push_back({"suspended", statements::suspended()});
    all.push_back({"frames", statements::frames()});
    all.push_back({"add_counts", statements::add_counts()});
    all.push_back({"lane_counts", statements::lane_counts()});
    all.push_back({"counts_of_lane", statements::counts_of_lane()});
    all.push_back({"counts_of_all_lanes", statements::counts_of_all_lanes()});
    all.push_back({"members", statements::members()});
    all.push_back({"member_page", statements::member_page()});
    all.push_back({"tally", statements::tally()});
    all.push_back({"edges_in", statements::edges_in()});
    all.push_back({"edge_page", statements::edge_page()});
    all.push_back({"edges_in_to", statements::edges_of(ListEdges::Direction::incoming)});
    all.push_back({"edges_out_of", statements::edges_of(ListEdges::Direction::outgoing)});
    all.push_back({"unsummarised", statements::unsummarised()});
    all.push_back({"pending_children", statements::pending_children()});
    all.push_back({"keep_input", statements::keep_input()});
    all.push_back({"adopt_input", statements::adopt_input()});
    all.push_back({"find_inputs", statements::find_inputs()});
    all.push_back({"delete_inputs", statements::delete_inputs()});
    all.push_back({"unresolved_edges", statements::unresolved_edges()});
    all.push_back({"is_needed", statements::is_needed()});
    all.push_back({"flows", statements::flows()});
    all.push_back({"reclaimable_rows", statements::reclaimable_rows()});
    all.push_back({"eligible_in_level", statements::eligible_in_level()});
    all.push_back({"eligible_in_tail", statements::eligible_in_tail()});
    all.push_back({"claim_head", statements::claim_head()});
    all.push_back({"next_reclaimable_class", statements::next_reclaimable_class()});
    all.push_back({"insert_attempt", statements::insert_attempt()});
    all.push_back({"list_attempts", statements::list_attempts()});
    all.push_back({"watermark", statements::watermark()});
    all.push_back({"trim_points", statements::trim_points()});
    all.push_back({"set_trim_point", statements::set_trim_point()});
    all.push_back({"first_undispatched", statements::first_undispatched()});
    all.push_back({"undispatched", statements::undispatched()});
    all.push_back({"stalled", statements::stalled()});
    all.push_back({"is_undispatched", statements::is_undispatched()});
    all.push_back({"mark_dispatched", statements::mark_dispatched()});
    all.push_back({"slowest_consumer", statements::slowest_consumer()});
    all.push_back({"find_idempotency_key", statements::find_idempotency_key()});
    all.push_back({"save_idempotency_key", statements::save_idempotency_key()});
    all.push_back({"list_idempotency_keys", statements::list_idempotency_keys()});
    all.push_back({"insert_lane", statements::insert_lane()});
    all.push_back({"insert_class", statements::insert_class()});
    all.push_back({"list_routes", statements::list_routes()});
    all.push_back({"lane_classes", statements::lane_classes()});
    all.push_back({"closed_lanes", statements::closed_lanes()});
    all.push_back({"read_revisions", statements::read_revisions()});
    all.push_back({"advance_lane_revision", statements::advance_lane_revision()});
    all.push_back({"advance_setting_revision", statements::advance_setting_revision()});
    all.push_back({"read_clock", statements::read_clock()});
    all.push_back({"advance_clock", statements::advance_clock()});
    all.push_back({"poll_version", statements::poll_version()});
    all.push_back({"read_version", statements::read_version()});
    all.push_back({"commit", statements::commit()});
    all.push_back({"save_marker", statements::save_marker()});
    all.push_back({"find_marker", statements::find_marker()});
    all.push_back({"forget_markers", statements::forget_markers()});
    all.push_back({"all_executions", statements::all_executions()});
    all.push_back({"all_attempts", statements::all_attempts()});
    for (const auto& text : statements::delete_execution()) all.push_back({"delete_execution", text});
    add_by_state(all);
    add_due_rows(all);
    add_outboxes(all);
    add_side_tables(all);
    return all;
}

std::vector<sqlite3*> connections;

// SQLite calls it for each connection that is opened while it is registered.
int remember_connection(sqlite3* connection, char** /*message*/, const sqlite3_api_routines* /*api*/) {
    connections.push_back(connection);
    return SQLITE_OK;
}

// SQLite's plan of the statement, a step a line.
std::string plan_of(sqlite3* connection, const std::string& sql) {
    sqlite3_stmt* asked = nullptr;
    sqlite3_prepare_v2(connection, ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &asked, nullptr);
    std::string plan;
    while (sqlite3_step(asked) == SQLITE_ROW) {
        plan += reinterpret_cast<const char*>(sqlite3_column_text(asked, 3));
        plan += '\n';
    }
    sqlite3_finalize(asked);
    return plan;
}

TEST(SqliteStatements, AreThoseOfTheGoldenFile) {
    expect_golden("sqlite.sql", every_statement());
}

// A store whose connections are seen while it opens them.
class WatchedStore {
  public:
    WatchedStore() {
        connections.clear();
        auto* const remember = reinterpret_cast<void (*)()>(remember_connection);
        sqlite3_auto_extension(remember);
        writer_ = require(store_.backend()->open_writer());
        reader_ = require(store_.backend()->open_reader());
        wake_source_ = require(store_.backend()->open_wake_source(WakeTopic::work));
        sqlite3_cancel_auto_extension(remember);
    }

  private:
    template <class T>
    static T require(StoreResult<T> opened) {
        if (!opened) throw std::runtime_error(opened.error().detail);
        return *std::move(opened);
    }

    TestStore store_{StoreKind::sqlite};
    std::unique_ptr<StoreWriter> writer_;
    std::unique_ptr<StoreReader> reader_;
    std::unique_ptr<WakeSource> wake_source_;
};

// Whatever the table's size: without statistics SQLite's plans do not depend on it.
TEST(SqliteStatements, ASearchWalksAnIndexInItsOrder) {
    const WatchedStore store;
    const auto walk = [](SearchWalk::By by) { return plan_of(connections.front(), statements::newest(by)); };
    const auto expect_walk = [&](SearchWalk::By by, const char* index) {
        EXPECT_THAT(walk(by), testing::HasSubstr("USING INDEX " + std::string(index)));
        EXPECT_THAT(walk(by), testing::Not(testing::HasSubstr("TEMP B-TREE")));
    };
    expect_walk(SearchWalk::By::time, "ff_exec_core_time ");
    expect_walk(SearchWalk::By::lane, "ff_exec_core_lane ");
    expect_walk(SearchWalk::By::namespace_name, "ff_exec_core_namespace ");
    expect_walk(SearchWalk::By::kind, "ff_exec_core_kind ");
    expect_walk(SearchWalk::By::flow, "ff_exec_core_flow ");
    EXPECT_THAT(walk(SearchWalk::By::term), testing::HasSubstr("USING COVERING INDEX ff_search_term_walk "));
    EXPECT_THAT(walk(SearchWalk::By::term), testing::HasSubstr("SEARCH ff_exec_core USING INDEX sqlite_autoindex_"));
}

TEST(SqliteStatements, AreAllListed) {
    const WatchedStore store;
    ASSERT_THAT(connections, testing::SizeIs(testing::Ge(3U)));

    std::set<std::string> listed;
    for (const NamedSql& statement : every_statement()) listed.insert(statement.sql);
    for (sqlite3* connection : connections) {
        for (auto* prepared = sqlite3_next_stmt(connection, nullptr); prepared != nullptr;
             prepared = sqlite3_next_stmt(connection, prepared)) {
            EXPECT_TRUE(listed.contains(sqlite3_sql(prepared))) << sqlite3_sql(prepared);
        }
    }
}

}  // namespace
}  // namespace flowfabric::test
