#include "e2e/e2e_test.hpp"
#include "support/sql_session.hpp"

// What members of the roles that `ff migrate --roles` makes can do on PostgreSQL, and what they cannot.
namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Roles : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!have_store(StoreKind::postgres)) return;
        store_ = std::make_unique<LiveStore>(StoreKind::postgres);
        owner_ = std::make_unique<SqlSession>(store_->url());
    }
    void TearDown() override {
        if (!store_) return;
        owner_.reset();
        store_.reset();
        SqlSession server(postgres_server_url());
        for (const std::string& user : users_) server.run("DROP ROLE " + user);
    }

    bool skipped() const { return store_ == nullptr; }
    SqlSession& owner() { return *owner_; }
    Finished run(std::vector<std::string> arguments) const { return run_as(store_->url(), std::move(arguments)); }
    static Finished run_as(const std::string& url, std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--store", url});
        return run_ff(std::move(arguments));
    }

    // The store's URL for a user of its own who is a member of this role, if any.
    std::string url_of_member(const std::string& role) {
        const std::string user = "ff_user_" + std::to_string(::getpid()) + "_" + std::to_string(users_.size());
        owner().run("CREATE ROLE " + user + " LOGIN");
        users_.push_back(user);
        if (!role.empty()) owner().run("GRANT " + role + " TO " + user);
        const std::string& url = store_->url();
        return url + (url.find('?') == std::string::npos ? "?" : "&") + "user=" + user;
    }

    static void expect_denied(SqlSession& session, const std::string& sql) {
        try {
            session.run(sql);
            ADD_FAILURE() << sql << " is allowed";
        } catch (const std::exception& refusal) {
            EXPECT_THAT(refusal.what(), HasSubstr("permission denied")) << sql;
        }
    }
    static void expect_reads_only(SqlSession& session) {
        for (const char* sql :
             {"DELETE FROM ff_exec_core", "UPDATE ff_exec_core SET priority = 1", "DELETE FROM ff_submission",
              "INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by) VALUES ('x', 1, 'x')",
              "UPDATE ff_partition_config SET lane_revision = 1", "SELECT nextval('ff_lease_event_event_id_seq')",
              "SELECT ff_extend_outboxes()", "SELECT ff_trim_outbox('ff_lease_event', 0, 0)",
              "SELECT ff_create_roles()", "SELECT ff_grant_roles(false)"}) {
            expect_denied(session, sql);
        }
    }

  private:
    std::unique_ptr<LiveStore> store_;
    std::unique_ptr<SqlSession> owner_;
    std::vector<std::string> users_;
};

TEST_F(Roles, AreMadeOnceAndNamed) {
    if (skipped()) return;
    for (int i = 0; i < 2; ++i) {
        const Finished finished = run({"migrate", "--roles", "--json"});
        ASSERT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(boost::json::parse(finished.output).at("roles"),
                  (boost::json::array{"ff_reader", "ff_submitter", "ff_worker"}));
    }
    EXPECT_EQ(owner().run("SELECT count(*) FROM pg_roles WHERE rolname IN ('ff_reader', 'ff_submitter', 'ff_worker') "
                          "AND NOT rolcanlogin AND NOT rolsuper"),
              "3");
}

TEST_F(Roles, AWorkerMayRunAWorkerAndNothingElse) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    const std::string worker = url_of_member("ff_worker");
    Process working(ff({"worker", "--store", worker, "--", "cat"}));
    const Finished submitted = run({"submit", "--kind", "mail", "--payload", "hello", "--json"});
    const std::string id(boost::json::parse(submitted.output).at("execution_id").as_string());
    await(id + " completed", [&] {
        return boost::json::parse(run({"get", id, "--json"}).output).at("public_state").as_string() == "completed";
    });
    const std::string from_sql = owner().run("SELECT ff_create_execution('mail', 'hello')");
    await(from_sql + " completed", [&] {
        return boost::json::parse(run({"get", from_sql, "--json"}).output).at("public_state").as_string() ==
               "completed";
    });
    working.signal(SIGTERM);
    EXPECT_EQ(working.wait(), 0) << working.errors();
    EXPECT_THAT(working.errors(), ::testing::Not(HasSubstr("permission denied")));

    SqlSession session(worker);
    session.run("SELECT ff_extend_outboxes()");
    session.run("SELECT * FROM ff_oldest_events('ff_lease_event', 10)");
    session.run("SELECT ff_trim_outbox('ff_lease_event', 0, 0)");
    EXPECT_ANY_THROW(session.run("SELECT ff_trim_outbox('ff_exec_core', 0, 0)"));
    for (const char* sql :
         {"DELETE FROM ff_migration_annotation", "UPDATE ff_partition_config SET num_flow_partitions = 1",
          "DELETE FROM ff_partition_config", "SELECT ff_create_execution('mail')", "SELECT ff_create_roles()",
          "TRUNCATE ff_exec_core"}) {
        expect_denied(session, sql);
    }
}

TEST_F(Roles, AWorkerMayGiveEveryCommandAndChangeASetting) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    const std::string worker = url_of_member("ff_worker");
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"settings", "set", "execution_retention", "30d"},
                                               {"settings"},
                                               {"lanes", "pause", "mail"},
                                               {"lanes"},
                                               {"submit", "--kind", "mail"},
                                               {"keys"},
                                               {"consumers"},
                                               {"doctor"}}) {
        const Finished finished = run_as(worker, command);
        EXPECT_EQ(finished.status, 0) << testing::PrintToString(command) << finished.errors << finished.output;
    }
    EXPECT_EQ(owner().run("SELECT setting_revision FROM ff_partition_config"), "1");
}

TEST_F(Roles, ASubmitterMaySubmitAndNothingElse) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    SqlSession session(url_of_member("ff_submitter"));
    for (const char* payload : {"", ", 'text'", ", '\\x00'::bytea", ", '{}'::jsonb", ", '{}'::json"}) {
        EXPECT_THAT(session.run("SELECT ff_create_execution('mail'" + std::string(payload) + ")"), HasSubstr("{fp:"));
    }
    expect_reads_only(session);
    for (const char* sql : {"SELECT count(*) FROM ff_submission", "SELECT count(*) FROM ff_exec_core",
                            "SELECT count(*) FROM ff_waitpoint_hmac", "SELECT count(*) FROM ff_partition_config"}) {
        expect_denied(session, sql);
    }
}

TEST_F(Roles, AReaderMayReadAndNothingElse) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    const Finished submitted = run({"submit", "--kind", "mail", "--json"});
    const std::string id(boost::json::parse(submitted.output).at("execution_id").as_string());
    const std::string reader = url_of_member("ff_reader");
    for (const std::vector<std::string>& reading : std::vector<std::vector<std::string>>{{"list"},
                                                                                         {"get", id},
                                                                                         {"explain", id},
                                                                                         {"attempts", id},
                                                                                         {"workers"},
                                                                                         {"stats"},
                                                                                         {"lanes"},
                                                                                         {"consumers"},
                                                                                         {"settings"},
                                                                                         {"flow", "list"},
                                                                                         {"doctor"}}) {
        const Finished finished = run_as(reader, reading);
        EXPECT_EQ(finished.status, 0) << reading.front() << ": " << finished.errors << finished.output;
    }
    Process tail(ff({"tail", "--from", "start", "--store", reader}));
    tail.await_line("following");
    tail.signal(SIGTERM);
    EXPECT_EQ(tail.wait(), 0) << tail.errors();

    SqlSession session(reader);
    expect_reads_only(session);
    expect_denied(session, "SELECT * FROM ff_waitpoint_hmac");
    expect_denied(session, "SELECT * FROM ff_api_token");
    expect_denied(session, "SELECT ff_create_execution('mail')");
}

TEST_F(Roles, AReadersDoctorNamesWhatItMayNotLookAt) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    const Finished finished = run_as(url_of_member("ff_reader"), {"doctor", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.errors << finished.output;
    const auto answer = boost::json::parse(finished.output);
    const auto detail_of = [&](std::string_view check) {
        for (const auto& finding : answer.at("findings").as_array()) {
            if (finding.at("check").as_string() == check) return text(finding.at("detail"));
        }
        return std::string();
    };
    EXPECT_THAT(detail_of("rows"), AllOf(HasSubstr("can be read"), HasSubstr("ff_waitpoint_hmac")));
    EXPECT_THAT(detail_of("signing secrets"), HasSubstr("not checked"));
    EXPECT_THAT(detail_of("schema drift"), HasSubstr("not checked"));
    EXPECT_EQ(detail_of("lease_expiry lag"), "nothing is due");
}

TEST_F(Roles, CoverWhatALaterMigrationAdds) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    owner().run("CREATE TABLE ff_later (number bigint GENERATED ALWAYS AS IDENTITY)");
    owner().run("SELECT ff_grant_roles(true)");  // as every migration ends
    SqlSession reader(url_of_member("ff_reader"));
    EXPECT_EQ(reader.run("SELECT count(*) FROM ff_later"), "0");
    expect_denied(reader, "INSERT INTO ff_later DEFAULT VALUES");
    SqlSession worker(url_of_member("ff_worker"));
    worker.run("INSERT INTO ff_later DEFAULT VALUES");
}

TEST_F(Roles, GetNothingWhereNobodyHasAskedForThem) {
    if (skipped()) return;
    owner().run(
        "DO $$ BEGIN CREATE ROLE ff_reader NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; "
        "END $$");
    owner().run("SELECT ff_grant_roles(true)");
    EXPECT_EQ(owner().run("SELECT has_table_privilege('ff_reader', 'ff_exec_core', 'SELECT')"), "f");
}

TEST_F(Roles, AUserWithoutRightsIsToldWhatToGrant) {
    if (skipped()) return;
    ASSERT_EQ(run({"migrate", "--roles"}).status, 0);
    const std::string stranger = url_of_member("");
    EXPECT_THAT(run_as(stranger, {"list"}).errors,
                AllOf(HasSubstr("permission denied for table ff_migration_annotation"),
                      HasSubstr("GRANT SELECT ON TABLE ff_migration_annotation TO \"ff_user_"),
                      HasSubstr("GRANT ff_reader or ff_worker TO")));
    const std::string reader = url_of_member("ff_reader");
    EXPECT_THAT(run_as(reader, {"lanes", "pause", "mail"}).errors,
                AllOf(HasSubstr("permission denied for table ff_"), HasSubstr("GRANT SELECT, INSERT ON TABLE ff_"),
                      HasSubstr("GRANT ff_worker TO")));
}

}  // namespace
}  // namespace flowfabric::test
