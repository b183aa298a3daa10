#include <algorithm>
#include <atomic>
#include <csignal>
#include <future>
#include <set>
#include <sstream>

#include "e2e/e2e_test.hpp"
#include "support/sql_session.hpp"

// What ff_create_execution puts into the inbox, and the engines that take it in.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string call(const std::string& arguments) {
    return "SELECT ff_create_execution(" + arguments + ")";
}

ExecutionId submit_by(SqlSession& session, const std::string& arguments = "'mail'") {
    return value_of(ExecutionId::parse(session.run(call(arguments))));
}

Claim waiting_claim(const std::string& lane = "default", std::uint32_t count = 1) {
    Claim claim = claim_by("w1");
    claim.lanes = {lane};
    claim.max_count = count;
    claim.max_wait_ms = std::chrono::milliseconds(patience).count();
    return claim;
}

ClaimedExecution claim_one(Engine& engine, const Claim& claim = waiting_claim()) {
    const Claimed claimed = value_of(engine.claim(claim));
    if (claimed.executions.empty()) throw std::runtime_error("no work came");
    return claimed.executions[0];
}

// Claims and completes until `count`, which several workers may share, has come down to zero.
void work_off(Engine& engine, std::atomic<int>& count) {
    Claim claim = waiting_claim("default", 50);
    claim.max_wait_ms = 50;
    while (count > 0) {
        std::vector<Complete> completes;
        for (const auto& claimed : value_of(engine.claim(claim)).executions) {
            completes.push_back({.lease = claimed.handle, .result = std::nullopt, .result_encoding = std::nullopt});
        }
        for (auto& completed : engine.run_all(std::move(completes))) {
            value_of(std::move(completed));
            --count;
        }
    }
}

class SqlInbox : public EndToEnd {
  protected:
    void SetUp() override {
        EndToEnd::SetUp();
        if (!IsSkipped() && !HasFailure()) session_ = std::make_unique<SqlSession>(store().url());
    }

    SqlSession& session() { return *session_; }
    SqlSession another_session() { return SqlSession(store().url()); }
    ExecutionId submit(const std::string& arguments = "'mail'") { return submit_by(session(), arguments); }

    void await_empty_inbox() {
        await("an empty inbox", [&] { return session().run("SELECT count(*) FROM ff_submission") == "0"; });
    }
    static void await_state(Engine& engine, const ExecutionId& id, PublicState state) {
        await(id.to_string() + " " + std::string(to_string(state)),
              [&] { return value_of(engine.read_execution_state(id)) == state; });
    }
    std::int64_t now_ms() {
        return std::stoll(session().run("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
    }

    // Each of these, and nothing else, was run once.
    void expect_completed_once(const std::set<ExecutionId>& ids) {
        const Dump stored = snapshot();
        EXPECT_EQ(stored.executions.size(), ids.size());
        EXPECT_EQ(stored.completion_events.size(), ids.size());
        for (const ExecutionId& id : ids) {
            const auto found = stored.executions.find(id);
            ASSERT_NE(found, stored.executions.end()) << "lost " << id.to_string();
            EXPECT_EQ(found->second.row.vector.public_state, PublicState::completed) << id.to_string();
            EXPECT_EQ(found->second.row.total_attempt_count, 1) << id.to_string();
        }
    }

  private:
    std::unique_ptr<SqlSession> session_;
};
INSTANTIATE_TEST_SUITE_P(Stores, SqlInbox, ::testing::Values(StoreKind::postgres), name_of_param);

// ---- commit and rollback ------------------------------------------------------------------------------------------

TEST_P(SqlInbox, BringsACommittedCallToAWorkerAsItWasGiven) {
    const auto engine = store().open_engine();
    const ExecutionId id = submit(
        "'report', '\\x00ff41'::bytea, 'orders', 'team', 42, 'order-17', '{\"order.id\": \"17\"}', "
        "'{\"routing_requirements\": {\"required_capabilities\": [\"gpu\"]}, "
        "\"retry_policy\": {\"max_retries\": 1, \"backoff\": {\"type\": \"fixed\", \"delay_ms\": 60000}}}', "
        "payload_encoding => 'raw', creator_identity => 'shop'");
    Claim claim = waiting_claim("orders");
    claim.capabilities = {"gpu"};
    const ClaimedExecution claimed = claim_one(*engine, claim);
    EXPECT_EQ(claimed.execution_id, id);
    EXPECT_EQ(claimed.input_payload, Bytes("\0\xff\x41", 3));
    EXPECT_EQ(claimed.execution_kind, "report");
    EXPECT_EQ(claimed.payload_encoding, "raw");
    EXPECT_EQ(claimed.lane_id, "orders");

    const auto view = value_of(engine->describe_execution(id));
    ASSERT_TRUE(view);
    EXPECT_EQ(view->namespace_name, "team");
    EXPECT_EQ(view->priority, 42);
    EXPECT_EQ(view->tags, (Tags{{"order.id", "17"}}));
    EXPECT_EQ(view->required_capabilities, std::vector<std::string>{"gpu"});
    const auto fields = value_of(engine->read_exec_core_fields(id, {"creator_identity", "idempotency_key"}));
    EXPECT_EQ(fields.at("creator_identity"), "shop");
    EXPECT_EQ(fields.at("idempotency_key"), "order-17");

    const Failed failed = value_of(engine->fail({.lease = claimed.handle, .reason = "try again"}));
    ASSERT_TRUE(std::holds_alternative<RetryScheduled>(failed)) << "the policy was lost";
    EXPECT_EQ(std::get<RetryScheduled>(failed).next_attempt_index, 1U);
    EXPECT_EQ(submit("'report', namespace => 'team', idempotency_key => 'order-17'"), id);
}

TEST_P(SqlInbox, ASubmissionWithoutAPolicyIsTriedAgain) {
    const auto engine = value_of(Engine::open({.store = store().url(), .migrate = false}));
    submit("'report'");
    const ClaimedExecution claimed = claim_one(*engine, waiting_claim("default"));
    const Failed failed = value_of(engine->fail({.lease = claimed.handle, .reason = "try again"}));
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(failed));
}

TEST_P(SqlInbox, KeepsADelayAndADeadline) {
    const auto engine = store().open_engine();
    const std::int64_t later = now_ms() + 3'600'000;
    const ExecutionId id = submit("'mail', delay_until_ms => " + std::to_string(later) +
                                  ", execution_deadline_at_ms => " + std::to_string(later + 1));
    await_state(*engine, id, PublicState::delayed);
    const auto view = value_of(engine->describe_execution(id));
    ASSERT_TRUE(view);
    EXPECT_EQ(view->delay_until_ms, later);
    EXPECT_EQ(view->deadline_at_ms, later + 1);

    const std::int64_t soon = now_ms() + 200;
    const ExecutionId next = submit("'mail', delay_until_ms => " + std::to_string(soon));
    EXPECT_EQ(claim_one(*engine).execution_id, next);
    EXPECT_GE(value_of(engine->describe_execution(next))->started_at_ms, soon);
}

TEST_P(SqlInbox, NeverHearsOfWhatIsRolledBack) {
    const auto engine = store().open_engine();
    session().run("BEGIN");
    const ExecutionId undone = submit();
    EXPECT_EQ(value_of(engine->describe_execution(undone)), std::nullopt);
    session().run("ROLLBACK");
    const ExecutionId done = submit();
    const ClaimedExecution claimed = claim_one(*engine);
    EXPECT_EQ(claimed.execution_id, done);
    value_of(engine->complete({.lease = claimed.handle}));
    EXPECT_EQ(value_of(engine->describe_execution(undone)), std::nullopt);
    expect_completed_once({done});
}

// ---- before an engine takes it in ---------------------------------------------------------------------------------

TEST_P(SqlInbox, AnswersReadsOfWhatNobodyHasTakenInYet) {
    const ExecutionId id = submit(
        "'report', 'november'::bytea, 'orders', 'team', 42, tags => '{\"order.id\": \"17\"}', "
        "creator_identity => 'shop'");
    const auto engine = store().open_engine({.run_reconcilers = false});

    EXPECT_EQ(value_of(engine->read_execution_state(id)), PublicState::waiting);
    const auto view = value_of(engine->describe_execution(id));
    ASSERT_TRUE(view);
    EXPECT_EQ(view->execution_id, id);
    EXPECT_EQ(view->vector.public_state, PublicState::waiting);
    EXPECT_EQ(view->namespace_name, "team");
    EXPECT_EQ(view->lane_id, "orders");
    EXPECT_EQ(view->execution_kind, "report");
    EXPECT_EQ(view->priority, 42);
    EXPECT_EQ(view->tags, (Tags{{"order.id", "17"}}));
    EXPECT_EQ(view->total_attempt_count, 0U);
    EXPECT_EQ(view->current_lease.has_value(), false);

    const auto explanation = value_of(engine->explain_execution(id));
    ASSERT_TRUE(explanation);
    EXPECT_EQ(explanation->public_state, PublicState::waiting);
    ASSERT_FALSE(explanation->obstacles.empty());
    EXPECT_EQ(explanation->obstacles.back().detail, "submitted from SQL; no engine has taken it in yet");

    const ExecutionContext context = value_of(engine->read_execution_context(id));
    EXPECT_EQ(context.input_payload, "november");
    EXPECT_EQ(context.execution_kind, "report");
    EXPECT_EQ(context.tags, (Tags{{"order.id", "17"}}));
    EXPECT_EQ(value_of(engine->get_execution_input(id)), "november");
    EXPECT_EQ(value_of(engine->get_execution_namespace(id)), "team");
    EXPECT_EQ(value_of(engine->get_execution_tag(id, "order.id")), "17");
    EXPECT_EQ(value_of(engine->read_execution_info(id))->vector.public_state, PublicState::waiting);
    EXPECT_EQ(value_of(engine->get_execution_result(id)), std::nullopt);
    EXPECT_THAT(value_of(engine->list_attempts(id)), IsEmpty());
    EXPECT_EQ(value_of(engine->read_total_attempt_count(id)), 0U);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "1") << "an engine without the inbox took it in";
}

TEST_P(SqlInbox, TakesInWhatACommandIsAbout) {
    const auto engine = store().open_engine({.run_reconcilers = false});
    const ExecutionId cancelled = submit();
    EXPECT_EQ(value_of(engine->cancel_execution({.execution = {.execution_id = cancelled}, .reason = "no"})),
              (Cancelled{cancelled, PublicState::cancelled}));
    EXPECT_EQ(value_of(engine->read_execution_state(cancelled)), PublicState::cancelled);

    const ExecutionId urgent = submit("'mail', lane_id => 'urgent', priority => 3");
    EXPECT_EQ(value_of(engine->change_priority({.execution_id = urgent, .new_priority = 7})),
              (PriorityChanged{urgent, 3, 7}));
    const ExecutionId tagged = submit("'mail', tags => '{\"order.id\": \"17\"}'");
    value_of(engine->set_execution_tags({.execution_id = tagged, .tags = {{"order.state", "paid"}}}));
    EXPECT_EQ(value_of(engine->describe_execution(tagged))->tags, (Tags{{"order.id", "17"}, {"order.state", "paid"}}));
    const ExecutionId waiting = submit();
    EXPECT_EQ(engine->replay_execution({.execution_id = waiting}).error().kind, ErrorKind::execution_not_terminal);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "0");
}

// It has no waitpoint yet, which is another answer than that it is not there.
TEST_P(SqlInbox, TakesInWhatAnOperatorSignals) {
    const auto engine = store().open_engine({.run_reconcilers = false});
    const WaitpointId waitpoint{value_of(Uuid::parse("550e8400-e29b-41d4-a716-44665544abcd"))};
    const ExecutionId id = submit();
    // Nobody can have a token for it.
    expect_error(engine->deliver_signal({.execution_id = id,
                                         .waitpoint_id = waitpoint,
                                         .waitpoint_token = "k1:" + std::string(64, '0'),
                                         .signal_name = "approved"}),
                 ErrorKind::invalid_token);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "1");
    expect_error(
        engine->deliver_approval_signal({.execution_id = id, .waitpoint_id = waitpoint, .signal_name = "approved"}),
        ErrorKind::no_such_waitpoint);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "0");
    EXPECT_EQ(value_of(engine->read_execution_state(id)), PublicState::waiting);

    const ExecutionId resumed = submit();
    expect_error(engine->resume_execution({.execution_id = resumed}), ErrorKind::execution_not_suspended);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "0");
}

TEST_P(SqlInbox, AnswersACommandOnWhatItRefusesAsOnWhatHasEnded) {
    const auto engine = store().open_engine({.run_reconcilers = false});
    const ExecutionId id = submit("'mail', policy => '{\"retry_policy\": 5}'");
    EXPECT_EQ(engine->cancel_execution({.execution = {.execution_id = id}}).error().kind,
              ErrorKind::execution_not_active);
    EXPECT_EQ(value_of(engine->read_execution_state(id)), PublicState::failed);
}

TEST_P(SqlInbox, DoesNotFindWhatIsInNoInboxEither) {
    const auto engine = store().open_engine({.run_reconcilers = false});
    const ExecutionId nobodys = value_of(ExecutionId::parse("{fp:7}:550e8400-e29b-41d4-a716-44665544abcd"));
    EXPECT_EQ(engine->cancel_execution({.execution = {.execution_id = nobodys}}).error().kind,
              ErrorKind::execution_not_found);
}

TEST_P(SqlInbox, CancelsFromTheShellWhatNobodyHasTakenInYet) {
    const ExecutionId id = submit();
    EXPECT_EQ(run({"cancel", id.to_string()}).status, 0);
    EXPECT_EQ(state_of(id.to_string()), "cancelled");
}

// One engine takes the inbox in while another is told to cancel.
TEST_P(SqlInbox, CancelsWhatAnotherEngineTakesInAtTheSameMoment) {
    const auto taking_in = store().open_engine();
    const auto cancelling = store().open_engine({.run_reconcilers = false});
    for (int i = 0; i < 200; ++i) {
        const ExecutionId id = submit();
        EXPECT_EQ(value_of(cancelling->cancel_execution({.execution = {.execution_id = id}})).execution_id, id);
    }
    await_empty_inbox();
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_exec_core WHERE public_state = 'cancelled'"), "200");
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_completion_event"), "200");
}

TEST_P(SqlInbox, KeepsWhatWasSubmittedWhileNoEngineRan) {
    std::set<ExecutionId> ids;
    for (int i = 0; i < 20; ++i) ids.insert(submit());
    const auto engine = store().open_engine();
    std::atomic<int> left = 20;
    work_off(*engine, left);
    expect_completed_once(ids);
}

// ---- what an engine refuses ---------------------------------------------------------------------------------------

TEST_P(SqlInbox, TurnsWhatAnEngineRefusesIntoAFailedExecutionWithItsReason) {
    const auto engine = store().open_engine({.max_payload_bytes = 10});
    value_of(engine->set_lane_state({.lane_id = "closing", .state = LaneState::draining}));
    const std::vector<std::pair<std::string, std::string>> refused{
        {"'mail', policy => '{\"retry_policy\": 5}'", "invalid_policy_json"},
        {"'mail', tags => '{\"Bad Key\": \"x\"}'", "Bad Key"},
        {"'mail', tags => '{\"order.id\": 17}'", "tags.order.id"},
        {"'mail', '12345678901'::bytea", "payload_too_large"},
        {"'mail', delay_until_ms => -1", "delay_until"},
        {"'mail', creator_identity => repeat('x', 257)", "creator_identity"},
        {"'mail', lane_id => 'closing'", "lane_not_accepting"}};
    std::vector<ExecutionId> ids;
    for (const auto& [arguments, reason] : refused) ids.push_back(submit(arguments));
    const ExecutionId accepted = submit();
    EXPECT_EQ(claim_one(*engine).execution_id, accepted);
    await_empty_inbox();

    const Dump stored = snapshot();
    EXPECT_EQ(stored.executions.size(), refused.size() + 1);
    for (std::size_t i = 0; i < refused.size(); ++i) {
        const auto view = value_of(engine->describe_execution(ids[i]));
        ASSERT_TRUE(view) << refused[i].first;
        EXPECT_EQ(view->vector.public_state, PublicState::failed) << refused[i].first;
        EXPECT_THAT(view->failure_reason.value_or(""), HasSubstr(refused[i].second));
        EXPECT_EQ(view->failure_category, "invalid_input");
        EXPECT_EQ(view->total_attempt_count, 0U);
        const auto events = std::ranges::count(stored.completion_events, ids[i], &CompletionEvent::execution_id);
        EXPECT_EQ(events, 1) << refused[i].first;
    }
}

TEST_P(SqlInbox, FreesTheKeyOfWhatItRefused) {
    const auto engine = store().open_engine();
    const ExecutionId refused = submit("'mail', policy => '{\"retry_policy\": 5}', idempotency_key => 'k'");
    await_state(*engine, refused, PublicState::failed);
    const ExecutionId accepted = submit("'mail', idempotency_key => 'k'");
    EXPECT_NE(accepted, refused);
    EXPECT_EQ(claim_one(*engine).execution_id, accepted);
}

// A snapshot hides what came later, and the id is out by the time an engine sees the key.
TEST_P(SqlInbox, DoesTheWorkOfOneKeyOnceEvenWhenASnapshotHidesTheFirst) {
    const auto engine = store().open_engine();
    SqlSession blind = another_session();
    blind.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    blind.run("SELECT count(*) FROM ff_submission");
    const ExecutionId first = submit("'mail', idempotency_key => 'k'");
    await_empty_inbox();
    const ExecutionId second = submit_by(blind, "'mail', idempotency_key => 'k'");
    blind.run("COMMIT");
    ASSERT_NE(second, first);
    await_state(*engine, second, PublicState::failed);
    EXPECT_THAT(value_of(engine->describe_execution(second))->failure_reason.value_or(""),
                HasSubstr(first.to_string()));
    EXPECT_EQ(claim_one(*engine).execution_id, first);
}

TEST_P(SqlInbox, AcceptsForAPausedLaneAndHandsOutOnceItIsActive) {
    const auto engine = store().open_engine();
    value_of(engine->set_lane_state({.lane_id = "default", .state = LaneState::paused}));
    const ExecutionId id = submit();
    await_empty_inbox();
    EXPECT_THAT(value_of(engine->claim(claim_by("w1"))).executions, IsEmpty());
    EXPECT_EQ(value_of(engine->read_execution_state(id)), PublicState::waiting);
    value_of(engine->set_lane_state({.lane_id = "default", .state = LaneState::active}));
    EXPECT_EQ(claim_one(*engine).execution_id, id);
}

// ---- damage -------------------------------------------------------------------------------------------------------

TEST_P(SqlInbox, ADamagedLaneInFrontKeepsNoOtherSubmissionOutAndFillsNoLog) {
    session().run("ALTER TABLE ff_lane_registry DROP CONSTRAINT ff_lane_registry_lane_state_check");
    session().run(
        "INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state) VALUES ('poisoned', 1, "
        "'test', 'ajar')");
    session().run("SELECT count(ff_create_execution('mail', lane_id => 'poisoned')) FROM generate_series(1, 1200)");
    Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    server.await_line("url");
    const auto engine = store().open_engine({.run_reconcilers = false});
    for (int i = 0; i < 3; ++i) {
        const ExecutionId sound = submit();
        EXPECT_EQ(claim_one(*engine).execution_id, sound) << i;
    }
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "1200");

    session().run("UPDATE ff_lane_registry SET lane_state = 'active' WHERE lane_id = 'poisoned'");
    session().run("UPDATE ff_partition_config SET lane_revision = lane_revision + 1");
    await_empty_inbox();
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_exec_core WHERE lane_id = 'poisoned'"), "1200");
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.errors();
    const auto lines_with = [&](const std::string& words) {
        return std::ranges::count_if(server.lines(),
                                     [&](const Line& line) { return line.text.find(words) != std::string::npos; });
    };
    EXPECT_EQ(lines_with("ff_lane_registry poisoned"), 1) << server.errors();
    EXPECT_EQ(lines_with("could not be taken in"), 0) << server.errors();
}

TEST_P(SqlInbox, DamagedSubmissionsInFrontHideNoneBehindThem) {
    session().run("ALTER TABLE ff_submission ALTER COLUMN namespace DROP NOT NULL");
    // More than a page by their number, and then by their size.
    session().run("SELECT count(ff_create_execution('mail')) FROM generate_series(1, 600)");
    session().run("SELECT count(ff_create_execution('mail', repeat('x', 1000000))) FROM generate_series(1, 10)");
    session().run("UPDATE ff_submission SET namespace = NULL");
    const ExecutionId sound = submit();
    const auto engine = store().open_engine();
    EXPECT_EQ(claim_one(*engine).execution_id, sound);
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_submission"), "610");

    session().run("UPDATE ff_submission SET namespace = 'default'");
    await_empty_inbox();
    EXPECT_EQ(session().run("SELECT count(*) FROM ff_exec_core"), "611");
}

// ---- many at once -------------------------------------------------------------------------------------------------

TEST_P(SqlInbox, IsTakenInExactlyOnceByTwoEngines) {
    constexpr int sessions = 4;
    constexpr int each = 250;
    const auto first = store().open_engine();
    const auto second = store().open_engine();
    std::atomic<int> left = sessions * each;
    std::vector<std::future<std::vector<ExecutionId>>> submitters;
    for (int i = 0; i < sessions; ++i) {
        submitters.push_back(std::async(std::launch::async, [this] {
            SqlSession own = another_session();
            std::vector<ExecutionId> ids;
            for (int n = 0; n < each; ++n) ids.push_back(submit_by(own));
            return ids;
        }));
    }
    std::vector<std::future<void>> workers;
    for (Engine* engine : {first.get(), second.get()}) {
        workers.push_back(std::async(std::launch::async, [&left, engine] { work_off(*engine, left); }));
    }
    std::set<ExecutionId> ids;
    for (auto& submitter : submitters) {
        for (const ExecutionId& id : submitter.get()) ids.insert(id);
    }
    for (auto& worker : workers) worker.get();
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(sessions * each));
    await_empty_inbox();
    expect_completed_once(ids);
}

TEST_P(SqlInbox, StandsStillForNobodyWhileAUsersTransactionIsOpen) {
    const auto engine = store().open_engine();
    SqlSession open = another_session();
    open.run("BEGIN");
    const ExecutionId held = submit_by(open);

    std::set<ExecutionId> ids;
    for (int i = 0; i < 250; ++i) {
        ids.insert(submit());
        ids.insert(value_of(engine->create_execution({})).execution_id);
    }
    std::atomic<int> left = 500;
    work_off(*engine, left);
    expect_completed_once(ids);
    EXPECT_EQ(value_of(engine->describe_execution(held)), std::nullopt);

    open.run("COMMIT");
    const ClaimedExecution claimed = claim_one(*engine);
    EXPECT_EQ(claimed.execution_id, held);
    value_of(engine->complete({.lease = claimed.handle}));
    ids.insert(held);
    expect_completed_once(ids);
}

TEST_P(SqlInbox, TakesInMoreBytesThanOnePageHolds) {
    const auto engine = store().open_engine();
    session().run(
        "SELECT count(ff_create_execution('mail', convert_to(repeat('x', 1000000), 'UTF8'))) "
        "FROM generate_series(1, 20)");
    std::atomic<int> left = 20;
    work_off(*engine, left);
    await_empty_inbox();
}

// ---- engines that die ---------------------------------------------------------------------------------------------

TEST_P(SqlInbox, LosesAndDoublesNothingWhenAnEngineIsKilledInTheMiddle) {
    session().run("CREATE TABLE handed_out (id text)");
    constexpr int each = 1500;
    int submitted = 0;
    for (int round = 0; round < 3; ++round) {
        Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
        server.await_line("url");
        session().run("INSERT INTO handed_out SELECT ff_create_execution('mail') FROM generate_series(1, " +
                      std::to_string(each) + ")");
        await("the first to be taken in",
              [&] { return std::stoi(session().run("SELECT count(*) FROM ff_exec_core")) > submitted; });
        server.signal(SIGKILL);
        EXPECT_EQ(server.wait(), -SIGKILL);
        submitted += each;
        EXPECT_EQ(session().run("SELECT count(*) FROM (SELECT execution_id FROM ff_submission UNION ALL SELECT "
                                "execution_id FROM ff_exec_core) AS everywhere"),
                  std::to_string(submitted));
    }

    const auto engine = store().open_engine();
    std::atomic<int> left = submitted;
    work_off(*engine, left);
    await_empty_inbox();
    std::set<ExecutionId> ids;
    std::istringstream handed_out(session().run("SELECT string_agg(id, ' ') FROM handed_out"));
    for (std::string id; handed_out >> id;) ids.insert(value_of(ExecutionId::parse(id)));
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(submitted));
    expect_completed_once(ids);
}

}  // namespace
}  // namespace flowfabric::test
