#include "e2e/e2e_test.hpp"
#include "store/sqlite/database.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Doctor : public ::testing::TestWithParam<StoreKind> {
  protected:
    void prepare(Schema schema) {
        if (have_store(GetParam())) store_ = std::make_unique<LiveStore>(GetParam(), schema);
    }
    std::vector<std::string> on_store(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--store", store_->url()});
        return arguments;
    }
    std::string path() const { return store_->url().substr(std::string_view("sqlite:").size()); }
    void execute(const std::string& sql) const {
        if (GetParam() == StoreKind::postgres) {
            SqlSession(store_->url()).run(sql);
        } else {
            sqlite::Database(path(), sqlite::OpenMode::read_write).execute(sql);
        }
    }

    std::map<std::string, boost::json::value> examine(int expected_status) const {
        const auto finished = run_ff(on_store({"doctor", "--json"}));
        EXPECT_EQ(finished.status, expected_status) << finished.output;
        const auto answer = boost::json::parse(finished.output);
        EXPECT_EQ(answer.at("version"), boost::json::parse(run_ff({"version", "--json"}).output).at("version"));
        std::map<std::string, boost::json::value> findings;
        for (const auto& finding : answer.at("findings").as_array()) findings[text(finding.at("check"))] = finding;
        return findings;
    }

    std::unique_ptr<LiveStore> store_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Doctor, durable_stores(), name_of_param);

TEST_P(Doctor, FindsNoDangerInACleanStore) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    const auto findings = examine(0);
    EXPECT_EQ(findings.at("schema").at("level").as_string(), "ok");
    EXPECT_THAT(text(findings.at("free space").at("detail")), HasSubstr("MiB"));
    EXPECT_EQ(findings.at("schema drift").at("level").as_string(), "ok") << findings.at("schema drift");
    for (const auto& [check, finding] : findings) EXPECT_NE(finding.at("level").as_string(), "danger") << check;
    EXPECT_THAT(run_ff(on_store({"doctor"})).output, HasSubstr("as migrated"));
}

TEST_P(Doctor, NamesADroppedIndex) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    execute("DROP INDEX ff_exec_core_claim");
    const auto drift = examine(1).at("schema drift");
    EXPECT_EQ(drift.at("level").as_string(), "danger");
    EXPECT_THAT(text(drift.at("detail")), HasSubstr("index ff_exec_core_claim"));
    EXPECT_FALSE(text(drift.at("remedy")).empty());

    const auto printed = run_ff(on_store({"doctor"}));
    EXPECT_EQ(printed.status, 1);
    EXPECT_THAT(printed.output, HasSubstr("DANGER  schema drift"));
}

TEST_P(Doctor, AdvisesAboutWhatIsNotOurs) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    execute("CREATE INDEX ff_exec_core_mine ON ff_exec_core (created_at_ms)");
    const auto drift = examine(0).at("schema drift");
    EXPECT_EQ(drift.at("level").as_string(), "advice");
    EXPECT_THAT(text(drift.at("detail")), HasSubstr("ff_exec_core_mine"));
}

TEST_P(Doctor, DoesNotMigrate) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::none));
    if (!store_) return;
    const auto findings = examine(1);
    const auto& finding = findings.at(GetParam() == StoreKind::sqlite ? "file" : "schema");
    EXPECT_EQ(finding.at("level").as_string(), "danger");
    EXPECT_THAT(text(finding.at("remedy")), HasSubstr("ff migrate"));
    if (GetParam() == StoreKind::sqlite) {
        EXPECT_FALSE(std::filesystem::exists(path()));
    }
    EXPECT_EQ(run_ff(on_store({"list", "--no-migrate"})).status, 1);

    EXPECT_EQ(run_ff(on_store({"migrate"})).status, 0);
    examine(0);
}

TEST_P(Doctor, TellsWhenNobodyDoesWhatIsDue) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    CreateExecution command;
    command.delay_until_ms = std::numeric_limits<std::int64_t>::max() / 2;
    const auto id = value_of(store_->open_engine({.run_reconcilers = false})->create_execution(command)).execution_id;
    EXPECT_EQ(text(examine(0).at("delayed_promotion lag").at("detail")), "nothing is due");

    execute("UPDATE ff_exec_core SET delay_until_ms = 1000");
    const auto findings = examine(1);
    const auto& lag = findings.at("delayed_promotion lag");
    EXPECT_EQ(text(lag.at("level")), "danger");
    EXPECT_THAT(text(lag.at("detail")), HasSubstr(id.to_string()));
    EXPECT_THAT(text(lag.at("remedy")), HasSubstr("ff server"));
    EXPECT_EQ(text(findings.at("lease_expiry lag").at("level")), "ok");
}

TEST_P(Doctor, ReportsAStoreThatItCannotReach) {
    const auto* store = GetParam() == StoreKind::sqlite ? "sqlite:/nonexistent/directory/store.db"
                                                        : "postgres://postgres@127.0.0.1:1/postgres";
    const auto finished = run_ff({"doctor", "--json", "--store", store});
    EXPECT_EQ(finished.status, 1);
    EXPECT_FALSE(boost::json::parse(finished.errors).at("error").as_string().empty());
}

// ---- SQLite -----------------------------------------------------------------------------------------------------

class SqliteDoctor : public Doctor {};
INSTANTIATE_TEST_SUITE_P(Stores, SqliteDoctor, ::testing::Values(StoreKind::sqlite), name_of_param);

TEST_P(SqliteDoctor, AdvisesAboutAFileThatIsMostlyFree) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    EXPECT_EQ(text(examine(0).at("free pages").at("level")), "ok");
    execute(
        "CREATE TABLE junk AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70)"
        " SELECT zeroblob(1048576) AS filling FROM n; DROP TABLE junk");
    const auto finding = examine(0).at("free pages");
    EXPECT_EQ(text(finding.at("level")), "advice");
    EXPECT_THAT(text(finding.at("remedy")), AllOf(HasSubstr("VACUUM"), HasSubstr(path())));
}

TEST_P(SqliteDoctor, AdvisesAboutAWalThatNobodyCouldStartOver) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    const sqlite::Database reader(path(), sqlite::OpenMode::read_write);  // keeps the file from being removed
    reader.execute("CREATE TABLE junk (i)");
    EXPECT_EQ(text(examine(0).at("wal").at("level")), "ok");
    std::filesystem::resize_file(path() + "-wal", std::uintmax_t{256} << 20);
    EXPECT_EQ(text(examine(0).at("wal").at("level")), "advice");
}

TEST(DoctorAlone, DoesNotMakeTheDataDirectory) {
    const std::string directory = std::filesystem::temp_directory_path() / "ff-doctor-is-not-there";
    ASSERT_FALSE(std::filesystem::exists(directory));
    Process doctor({"env", "-u", "FF_STORE", "FF_DATA_DIR=" + directory, FF_BINARY, "doctor"});
    EXPECT_EQ(doctor.wait(), 1);
    EXPECT_THAT(doctor.errors(), HasSubstr(directory));
    EXPECT_FALSE(std::filesystem::exists(directory));
}

// ---- PostgreSQL -------------------------------------------------------------------------------------------------

class PostgresDoctor : public Doctor {
  protected:
    std::string detail_of(const std::string& check) const { return text(examine(0).at(check).at("detail")); }
};
INSTANTIATE_TEST_SUITE_P(Stores, PostgresDoctor, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(PostgresDoctor, ExaminesASchemaWhoseNameNeedsQuotes) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::none));
    if (!store_) return;
    execute(R"(CREATE SCHEMA "My-Schema")");
    const auto url = store_->url() + "?options=-csearch_path%3D%22My-Schema%22";
    ASSERT_EQ(run_ff({"migrate", "--store", url}).status, 0);
    const auto finished = run_ff({"doctor", "--store", url});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_THAT(finished.output, HasSubstr("as migrated"));
}

TEST_P(PostgresDoctor, NamesWhoKeepsTheOldestTransactionOpen) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    EXPECT_EQ(detail_of("oldest transaction"), "none is open");
    SqlSession report(store_->url());
    report.run("SET application_name = 'monthly report'");
    const auto process = report.run("SELECT pg_backend_pid()");
    report.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    report.run("SELECT count(*) FROM ff_exec_core");
    SqlSession later(store_->url());
    later.run("BEGIN");
    EXPECT_THAT(detail_of("oldest transaction"),
                AllOf(HasSubstr("pid " + process), HasSubstr("monthly report"), HasSubstr("idle in transaction")));
}

TEST_P(PostgresDoctor, NamesAPreparedTransactionThatNobodyEnds) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    SqlSession session(store_->url());
    session.run("BEGIN");
    session.run("LOCK TABLE ff_exec_core IN ACCESS SHARE MODE");
    session.run("PREPARE TRANSACTION 'left behind'");
    EXPECT_THAT(detail_of("oldest transaction"), HasSubstr("prepared transaction 'left behind'"));
    session.run("ROLLBACK PREPARED 'left behind'");
    EXPECT_EQ(detail_of("oldest transaction"), "none is open");
}

TEST_P(PostgresDoctor, AdvisesAboutDeadRowsThatVacuumDoesNotRemove) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    execute("ALTER TABLE ff_completion_event_default SET (autovacuum_enabled = off)");
    // The template's slices are not there for ids this high.
    execute(
        "INSERT INTO ff_completion_event (event_id, partition_key, execution_id, namespace, outcome, occurred_at_ms)"
        " SELECT 1::bigint << 60, 0, gen_random_uuid(), 'default', 'success', 0 FROM generate_series(1, 10000)");
    execute("DELETE FROM ff_completion_event");
    await("the statistics", [&] { return text(examine(0).at("dead rows").at("level")) == "advice"; });
    const auto finding = examine(0).at("dead rows");
    EXPECT_THAT(text(finding.at("detail")), AllOf(HasSubstr("ff_completion_event_default"), HasSubstr("10000")));
    EXPECT_THAT(text(finding.at("remedy")), HasSubstr("VACUUM ff_completion_event_default"));
    execute("VACUUM ff_completion_event_default");
    await("the statistics", [&] { return text(examine(0).at("dead rows").at("level")) == "ok"; });
}

TEST_P(PostgresDoctor, MeasuresTheNotificationQueueAndTheIndexes) {
    ASSERT_NO_FATAL_FAILURE(prepare(Schema::migrated));
    if (!store_) return;
    EXPECT_EQ(detail_of("notification queue"), "0 % full");
    EXPECT_THAT(detail_of("index size"), HasSubstr("MiB beside a table of"));
}

}  // namespace
}  // namespace flowfabric::test
