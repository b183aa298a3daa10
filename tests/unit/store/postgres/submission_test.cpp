#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/base/partition.hpp"
#include "support/postgres_database.hpp"
#include "support/stores.hpp"

// ff_create_execution by itself: what it answers, refuses and leaves in the inbox, with no engine around.
namespace flowfabric::test {
namespace {

using testing::HasSubstr;

constexpr auto invalid_parameter_value = "22023";
constexpr auto null_value_not_allowed = "22004";
constexpr auto insufficient_privilege = "42501";
constexpr auto serialization_failure = "40001";
constexpr std::chrono::seconds patience{60};

struct Reply {
    std::string value;  // the first column of the first row
    std::string sqlstate;
    std::string message;
};

class Session {
  public:
    explicit Session(const std::string& url) : connection_(PQconnectdb(url.c_str()), &PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
        run("SET client_min_messages = warning");
    }

    Reply try_run(const std::string& sql) {
        start(sql);
        return finish();
    }
    std::string run(const std::string& sql) {
        Reply reply = try_run(sql);
        if (!reply.sqlstate.empty()) throw std::runtime_error(sql + ": " + reply.message);
        return reply.value;
    }

    void start(const std::string& sql) {
        if (PQsendQuery(connection_.get(), sql.c_str()) == 0) {
            throw std::runtime_error(PQerrorMessage(connection_.get()));
        }
    }
    Reply finish() {
        Reply reply;
        while (PGresult* next = PQgetResult(connection_.get())) {
            const std::unique_ptr<PGresult, decltype(&PQclear)> result(next, &PQclear);
            if (PQresultStatus(next) == PGRES_FATAL_ERROR) {
                reply.sqlstate = PQresultErrorField(next, PG_DIAG_SQLSTATE);
                reply.message = PQresultErrorField(next, PG_DIAG_MESSAGE_PRIMARY);
            }
            if (PQntuples(next) > 0) reply.value = PQgetvalue(next, 0, 0);
        }
        return reply;
    }

    int process() const { return PQbackendPID(connection_.get()); }

    // The channel of the next notification.
    std::string await_notification() {
        for (;;) {
            PQconsumeInput(connection_.get());
            const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notice(PQnotifies(connection_.get()), &PQfreemem);
            if (notice) return notice->relname;
            pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
            const auto at_most = std::chrono::milliseconds(patience).count();
            if (::poll(&socket, 1, static_cast<int>(at_most)) != 1) throw std::runtime_error("no notification came");
        }
    }

  private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

class SqlSubmission : public testing::Test {
  protected:
    void SetUp() override {
        const Availability postgres = availability_of(StoreKind::postgres);
        if (!postgres.available) {
            if (postgres.required) FAIL() << postgres.message;
            GTEST_SKIP() << postgres.message;
        }
        database_.emplace();
        session_.emplace(database_->url());
    }
    void TearDown() override {
        session_.reset();
        database_.reset();
        if (roles_.empty()) return;
        Session server(postgres_server_url());
        for (const std::string& role : roles_) server.run("DROP ROLE " + role);
    }

    Session& session() { return *session_; }
    Session another_session() { return Session(database_->url()); }

    // A role that may log in, gone with the test.
    std::string create_role(const std::string& member_of = "") {
        const std::string role = "ff_role_" + std::to_string(::getpid()) + "_" + std::to_string(roles_.size());
        session().run("CREATE ROLE " + role + " LOGIN");
        roles_.push_back(role);
        if (!member_of.empty()) session().run("GRANT " + member_of + " TO " + role);
        return role;
    }

    ExecutionId submit(const std::string& arguments) { return submit(session(), arguments); }
    static ExecutionId submit(Session& by, const std::string& arguments) { return id_of(by.run(call(arguments))); }
    static std::string call(const std::string& arguments) { return "SELECT ff_create_execution(" + arguments + ")"; }
    static ExecutionId id_of(const std::string& text) {
        const auto id = ExecutionId::parse(text);
        if (!id) throw std::runtime_error(text + " is no id");
        EXPECT_EQ(id->to_string(), text) << "not in its canonical form";
        return *id;
    }
    std::string submissions() { return session().run("SELECT count(*) FROM ff_submission"); }

    void await_blocked(const Session& waiting) {
        const auto give_up_at = std::chrono::steady_clock::now() + patience;
        const std::string blocked =
            "SELECT cardinality(pg_blocking_pids(" + std::to_string(waiting.process()) + ")) > 0";
        while (session().run(blocked) != "t") {
            if (std::chrono::steady_clock::now() > give_up_at) throw std::runtime_error("the session does not wait");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    void expect_refused(const std::string& arguments, const std::string& field,
                        const std::string& sqlstate = invalid_parameter_value) {
        const Reply reply = session().try_run(call(arguments));
        EXPECT_EQ(reply.sqlstate, sqlstate) << arguments << " gave " << reply.value << reply.message;
        EXPECT_THAT(reply.message, HasSubstr(field)) << arguments;
    }

    // As an engine leaves it when the submission is an execution.
    static std::string take_in_sql(const ExecutionId& id, const std::string& key) {
        return insert_key_sql(id, key, 60'000) + "; DELETE FROM ff_submission WHERE execution_id = '" +
               id.uuid.to_string() + "'";
    }
    static std::string insert_key_sql(const ExecutionId& id, const std::string& key, int expires_in_ms) {
        return "INSERT INTO ff_idempotency_key (partition_key, namespace, idempotency_key, execution_partition, "
               "execution_id, expires_at_ms) VALUES (" +
               std::to_string(idempotency_partition("default", key)) + ", 'default', '" + key + "', " +
               std::to_string(id.partition) + ", '" + id.uuid.to_string() +
               "', floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + " + std::to_string(expires_in_ms) +
               ")";
    }

  private:
    std::optional<PostgresDatabase> database_;
    std::optional<Session> session_;
    std::vector<std::string> roles_;
};

// ---- ids ----------------------------------------------------------------------------------------------------------

TEST_F(SqlSubmission, ReturnsAnIdOnTheLanesPartition) {
    EXPECT_EQ(submit("'mail'").partition, 86);
    EXPECT_EQ(submit("'mail', lane_id => 'workers-a'").partition, 193);
    for (const std::string& lane : {std::string("a"), std::string(64, 'z'), std::string("lane with ~ !")}) {
        EXPECT_EQ(submit("'mail', lane_id => '" + lane + "'").partition, solo_partition(lane)) << lane;
    }
}

TEST_F(SqlSubmission, MintsVersion7IdsOfTheServersTime) {
    const auto now = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    const auto before = std::stoull(session().run(now));
    std::set<ExecutionId> ids;
    for (int i = 0; i < 100; ++i) ids.insert(submit("'mail'"));
    const auto after = std::stoull(session().run(now));

    EXPECT_EQ(ids.size(), 100U);
    std::set<int> high_nibbles;
    for (const ExecutionId& id : ids) {
        const auto& bytes = id.uuid.bytes;
        EXPECT_EQ(bytes[6] >> 4U, 7) << id.to_string();
        EXPECT_EQ(bytes[8] >> 6U, 2) << id.to_string();
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < 6; ++i) at = at << 8U | bytes[i];
        EXPECT_GE(at, before);
        EXPECT_LE(at, after);
        high_nibbles.insert(bytes[6] & 15);
    }
    EXPECT_GT(high_nibbles.size(), 4U) << "the bits beside the version are not random";
}

TEST_F(SqlSubmission, KeepsAGivenIdInItsCanonicalForm) {
    const std::string canonical = "{fp:7}:550e8400-e29b-41d4-a716-44665544abcd";
    EXPECT_EQ(submit("'mail', execution_id => '{fp:7}:550E8400-E29B-41D4-A716-44665544ABCD'").to_string(), canonical);
    EXPECT_EQ(submit("'mail', execution_id => '" + canonical + "'").to_string(), canonical);
    EXPECT_EQ(submissions(), "1");
    EXPECT_EQ(session().run("SELECT partition_key FROM ff_submission"), "7");
}

TEST_F(SqlSubmission, StoresWhatItWasGiven) {
    submit(
        "'mail', '\\x00ff'::bytea, 'lane-b', 'team', 42, 'key', '{\"a.b\": \"c\"}', '{\"retry_policy\": null}', "
        "1900000000000, 1900000000001, 'raw', 'me'");
    EXPECT_EQ(session().run("SELECT concat_ws('|', execution_kind, payload, lane_id, namespace, priority, "
                            "idempotency_key, tags, policy, delay_until_ms, execution_deadline_at_ms, "
                            "payload_encoding, creator_identity) FROM ff_submission"),
              "mail|\\x00ff|lane-b|team|42|key|{\"a.b\": \"c\"}|{\"retry_policy\": null}|1900000000000|1900000000001|"
              "raw|me");
}

TEST_F(SqlSubmission, TakesTextJsonAndBytesWithoutACast) {
    session().run("CREATE TABLE mine (plain text, short varchar(20), raw bytea, loose json, tight jsonb)");
    session().run("INSERT INTO mine VALUES ('a\\b', 'short', '\\x00ff', '{\"a\" : 1}', '{\"a\" : 1}')");
    const auto payload_of = [&](const std::string& payload) {
        session().run("DELETE FROM ff_submission");
        session().run("SELECT ff_create_execution('mail', payload => " + payload + ", lane_id => 'x') FROM mine");
        return session().run("SELECT encode(payload, 'hex') FROM ff_submission");
    };
    const auto hex = [&](const std::string& text) {
        return session().run("SELECT encode(convert_to(" + text + ", 'UTF8'), 'hex') FROM mine");
    };
    for (const std::string& literal :
         {std::string("''"), std::string("'plain'"), std::string("E'a\\nb'"), std::string("'a\nb'"),
          std::string("'a\\b'"), std::string("'\\x00ff'"), std::string("'{\"a\": 1}'"), std::string("'stra\u00dfe'"),
          std::string("plain"), std::string("short")}) {
        EXPECT_EQ(payload_of(literal), hex(literal)) << literal;
    }
    EXPECT_EQ(payload_of("raw"), "00ff");
    EXPECT_EQ(payload_of("'\\x00ff'::bytea"), "00ff");
    EXPECT_EQ(payload_of("loose"), hex("'{\"a\" : 1}'"));
    EXPECT_EQ(payload_of("tight"), hex("'{\"a\": 1}'"));
    EXPECT_EQ(payload_of("'{\"a\":1}'::jsonb"), hex("'{\"a\": 1}'"));
    EXPECT_EQ(payload_of("jsonb_build_object('a', 1)"), hex("'{\"a\": 1}'"));
    EXPECT_EQ(payload_of("NULLIF('x', 'y')"), hex("'x'"));
}

TEST_F(SqlSubmission, RefusesANullPayloadOfEveryType) {
    for (const char* type : {"text", "bytea", "json", "jsonb"}) {
        expect_refused("'mail', NULL::" + std::string(type), "may be null", null_value_not_allowed);
    }
}

// ---- shapes -------------------------------------------------------------------------------------------------------

TEST_F(SqlSubmission, RefusesWrongShapesAtOnceAndNamesTheField) {
    expect_refused("'mail', lane_id => ''", "lane_id");
    expect_refused("'mail', lane_id => repeat('x', 65)", "lane_id");
    expect_refused("'mail', lane_id => 'stra\u00dfe'", "lane_id");
    expect_refused("'mail', lane_id => E'a\\tb'", "lane_id");
    expect_refused("'mail', lane_id => E'a\\n'", "lane_id");
    expect_refused("'mail', namespace => ''", "namespace");
    expect_refused("'mail', namespace => repeat('x', 257)", "namespace");
    expect_refused("'mail', namespace => 'a b'", "namespace");
    expect_refused("'mail', namespace => E'a\\u0001'", "namespace");
    expect_refused("repeat('x', 257)", "execution_kind");
    expect_refused("'mail', convert_to(repeat('x', 67108865), 'UTF8')", "payload");
    expect_refused("'mail', idempotency_key => repeat('x', 1025)", "idempotency_key");
    expect_refused("'mail', tags => '[]'", "tags");
    expect_refused("'mail', tags => 'null'", "tags");
    expect_refused("'mail', policy => '\"fast\"'", "policy");
    expect_refused("'mail', policy => 'null'", "policy");
    for (const char* id :
         {"", "550e8400-e29b-41d4-a716-446655440000", "{fp:256}:550e8400-e29b-41d4-a716-446655440000",
          "{fp:99999}:550e8400-e29b-41d4-a716-446655440000", "{fp:01}:550e8400-e29b-41d4-a716-446655440000",
          "{fp:1}:550e8400e29b41d4a716446655440000", " {fp:1}:550e8400-e29b-41d4-a716-446655440000"}) {
        expect_refused("'mail', execution_id => '" + std::string(id) + "'", "execution_id");
    }
    EXPECT_EQ(submissions(), "0");
}

TEST_F(SqlSubmission, AcceptsWhatIsJustWithinTheLimits) {
    submit(
        "repeat('x', 256), lane_id => repeat('x', 64), namespace => repeat('x', 256), "
        "idempotency_key => repeat('x', 1024), execution_id => '{fp:255}:550e8400-e29b-41d4-a716-446655440000'");
    submit("'', execution_id => '{fp:0}:550e8400-e29b-41d4-a716-446655440000'");
    EXPECT_EQ(submissions(), "2");
}

TEST_F(SqlSubmission, RefusesNullWhereThereMustBeAValue) {
    expect_refused("NULL", "may be null", null_value_not_allowed);
    for (const char* field : {"payload", "lane_id", "namespace", "priority", "tags", "creator_identity"}) {
        expect_refused("'mail', " + std::string(field) + " => NULL", "may be null", null_value_not_allowed);
    }
    EXPECT_EQ(submissions(), "0");
}

// ---- transactions and wake-ups ------------------------------------------------------------------------------------

TEST_F(SqlSubmission, WakesEnginesWhenItIsCommittedAndOnlyThen) {
    Session listener = another_session();
    listener.run("LISTEN ff_work");
    listener.run("LISTEN end_of_test");
    session().run("BEGIN");
    submit("'mail'");
    session().run("ROLLBACK");
    session().run("NOTIFY end_of_test");
    EXPECT_EQ(listener.await_notification(), "end_of_test");
    EXPECT_EQ(submissions(), "0");

    submit("'mail'");
    EXPECT_EQ(listener.await_notification(), "ff_work");
    EXPECT_EQ(submissions(), "1");
}

// ---- idempotency --------------------------------------------------------------------------------------------------

TEST_F(SqlSubmission, AKeyInOneTransactionIsOneSubmission) {
    session().run("BEGIN");
    const ExecutionId first = submit("'mail', idempotency_key => 'k'");
    EXPECT_EQ(submit("'other', idempotency_key => 'k'"), first);
    session().run("COMMIT");
    EXPECT_EQ(submissions(), "1");
    EXPECT_EQ(session().run("SELECT execution_kind FROM ff_submission"), "mail");
}

TEST_F(SqlSubmission, KeysBelongToTheirNamespaceAndAnEmptyOneIsNone) {
    const ExecutionId first = submit("'mail', idempotency_key => 'k'");
    EXPECT_NE(submit("'mail', idempotency_key => 'k', namespace => 'team'"), first);
    EXPECT_NE(submit("'mail', idempotency_key => ''"), submit("'mail', idempotency_key => ''"));
    EXPECT_EQ(submissions(), "4");
}

TEST_F(SqlSubmission, ASecondSessionWaitsForTheFirstAndGetsItsId) {
    Session first = another_session();
    Session second = another_session();
    first.run("BEGIN");
    const ExecutionId original = submit(first, "'mail', idempotency_key => 'k'");
    second.start(call("'mail', idempotency_key => 'k'"));
    await_blocked(second);
    first.run("COMMIT");
    EXPECT_EQ(id_of(second.finish().value), original);
    EXPECT_EQ(submissions(), "1");
}

TEST_F(SqlSubmission, ASecondSessionGetsItsOwnWhenTheFirstRollsBack) {
    Session first = another_session();
    Session second = another_session();
    first.run("BEGIN");
    const ExecutionId undone = submit(first, "'mail', idempotency_key => 'k'");
    second.start(call("'mail', idempotency_key => 'k'"));
    await_blocked(second);
    first.run("ROLLBACK");
    EXPECT_NE(id_of(second.finish().value), undone);
    EXPECT_EQ(submissions(), "1");
}

TEST_F(SqlSubmission, AKeyThatAnExecutionHoldsGivesItsId) {
    const ExecutionId holder = *ExecutionId::parse("{fp:86}:550e8400-e29b-41d4-a716-446655440000");
    session().run(insert_key_sql(holder, "live", 60'000));
    session().run(insert_key_sql(holder, "expired", -1));
    EXPECT_EQ(submit("'mail', idempotency_key => 'live'"), holder);
    EXPECT_EQ(submissions(), "0");
    EXPECT_NE(submit("'mail', idempotency_key => 'expired'"), holder);
    EXPECT_EQ(submissions(), "1");
}

TEST_F(SqlSubmission, AKeyThatIsBeingTakenInGivesTheIdThatItWasTakenInUnder) {
    const ExecutionId original = submit("'mail', idempotency_key => 'k'");
    Session engine = another_session();
    Session second = another_session();
    engine.run("BEGIN; " + take_in_sql(original, "k"));
    second.start(call("'mail', idempotency_key => 'k'"));
    await_blocked(second);
    engine.run("COMMIT");
    EXPECT_EQ(id_of(second.finish().value), original);
    EXPECT_EQ(submissions(), "0");
}

TEST_F(SqlSubmission, UnderRepeatableReadAKeyThatCameLaterIsASerializationFailure) {
    Session second = another_session();
    second.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    second.run("SELECT count(*) FROM ff_submission");
    submit("'mail', idempotency_key => 'k'");
    EXPECT_EQ(second.try_run(call("'mail', idempotency_key => 'k'")).sqlstate, serialization_failure);
    EXPECT_EQ(submissions(), "1");
}

// ---- rights -------------------------------------------------------------------------------------------------------

TEST_F(SqlSubmission, IsAllowedToSubmittersWhoMayTouchNoTable) {
    const std::string role = create_role("ff_submitter");
    Session application = another_session();
    application.run("SET SESSION AUTHORIZATION " + role);
    submit(application, "'mail'");
    EXPECT_EQ(session().run("SELECT creator_identity FROM ff_submission"), role);
    for (const char* sql :
         {"SELECT count(*) FROM ff_submission", "DELETE FROM ff_submission", "SELECT count(*) FROM ff_exec_core",
          "SELECT count(*) FROM ff_idempotency_key", "UPDATE ff_partition_config SET lane_revision = 1",
          "INSERT INTO ff_lane_registry (lane_id) VALUES ('x')"}) {
        EXPECT_EQ(application.try_run(sql).sqlstate, insufficient_privilege) << sql;
    }
}

TEST_F(SqlSubmission, IsNotForThePublic) {
    const std::string role = create_role();
    Session stranger = another_session();
    stranger.run("SET SESSION AUTHORIZATION " + role);
    EXPECT_EQ(stranger.try_run(call("'mail'")).sqlstate, insufficient_privilege);
    EXPECT_EQ(submissions(), "0");
}

TEST_F(SqlSubmission, UsesNothingOfTheCallers) {
    const std::string role = create_role("ff_submitter");
    session().run("CREATE SCHEMA mine AUTHORIZATION " + role);
    Session attacker = another_session();
    attacker.run("SET SESSION AUTHORIZATION " + role);
    attacker.run(
        "CREATE FUNCTION mine.trap() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'ran as %', current_user; END $$;"
        "CREATE FUNCTION mine.ff_crc16(bytea) RETURNS integer LANGUAGE sql AS 'SELECT 1';"
        "CREATE FUNCTION mine.ff_uuid_v7() RETURNS uuid LANGUAGE sql AS "
        "$$ SELECT '550e8400-e29b-41d4-a716-446655440000'::uuid $$;"
        "CREATE FUNCTION mine.octet_length(text) RETURNS integer LANGUAGE sql AS 'SELECT 1';");
    for (const std::string& schema : {std::string("mine"), std::string("pg_temp")}) {
        attacker.run("CREATE TABLE " + schema + ".ff_partition_config AS SELECT 1 AS num_flow_partitions");
        attacker.run("CREATE TABLE " + schema + ".ff_idempotency_key (execution_id text)");
        attacker.run("CREATE TABLE " + schema + ".ff_submission (partition_key int, execution_id uuid)");
        attacker.run("CREATE TRIGGER trap BEFORE INSERT ON " + schema +
                     ".ff_submission FOR EACH ROW EXECUTE FUNCTION mine.trap()");
    }
    attacker.run("SET search_path = pg_temp, mine, pg_catalog, public");
    EXPECT_EQ(submit(attacker, "'mail', idempotency_key => 'k'").partition, 86);
    EXPECT_EQ(submissions(), "1");
}

TEST_F(SqlSubmission, PinsTheSearchPathWithTemporaryObjectsLast) {
    EXPECT_EQ(session().run("SELECT prosecdef::text || ' ' || array_to_string(proconfig, ',') FROM pg_proc WHERE "
                            "proname = 'ff_create_execution'"),
              "true search_path=public, pg_temp");
}

}  // namespace
}  // namespace flowfabric::test
