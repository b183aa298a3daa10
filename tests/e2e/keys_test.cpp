#include "e2e/e2e_test.hpp"
#include "store/sqlite/database.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string digits = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

// `ff` with a master key in its environment.
class MasterKeys : public EndToEnd {
  protected:
    using Variables = std::vector<std::string>;

    std::vector<std::string> with(const Variables& variables, std::vector<std::string> arguments) {
        auto whole = command(std::move(arguments));
        whole.insert(whole.begin(), variables.begin(), variables.end());
        whole.insert(whole.begin(), "env");
        return whole;
    }
    Finished run_with(const Variables& variables, std::vector<std::string> arguments) {
        Process process(with(variables, std::move(arguments)));
        const int status = process.wait();
        return {status, process.output(), process.errors()};
    }
    void start_and_stop_worker(const Variables& variables) {
        Process process(with(variables, {"worker", "--", "cat"}));
        process.await_line("serves");
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait(), 0);
    }
    std::string secrets_finding() {
        const Finished finished = run({"doctor", "--json"});
        const auto report = boost::json::parse(finished.output);
        for (const auto& finding : report.at("findings").as_array()) {
            if (finding.at("check").as_string() == "signing secrets") return boost::json::serialize(finding);
        }
        return finished.output;
    }
    void execute(const std::string& sql) {
        if (GetParam() == StoreKind::postgres) {
            SqlSession(store().url()).run(sql);
        } else {
            const auto path = store().url().substr(std::string_view("sqlite:").size());
            sqlite::Database(path, sqlite::OpenMode::read_write).execute(sql);
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, MasterKeys, durable_stores(), name_of_param);

TEST_P(MasterKeys, AreHonouredByAWorker) {
    start_and_stop_worker({"FF_MASTER_KEY=" + digits});
    const auto keys = json_of({"keys"}).at("keys").as_array();
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].at("state").as_string(), "active");
    EXPECT_TRUE(keys[0].at("sealed").as_bool());
    EXPECT_THAT(run({"keys"}).output, AllOf(HasSubstr("true"), Not(HasSubstr("false"))));
    EXPECT_THAT(secrets_finding(), HasSubstr("\"ok\""));
}

TEST_P(MasterKeys, AreReadFromAFile) {
    const ScratchFile file;
    std::ofstream(file.path()) << "  " << digits << "\n";
    start_and_stop_worker({"FF_MASTER_KEY_FILE=" + file.path()});
    EXPECT_TRUE(json_of({"keys"}).at("keys").at(0).at("sealed").as_bool());
    // It is the same key, wherever it came from.
    const auto resealed = run_with({"FF_MASTER_KEY=" + digits}, {"keys", "reseal", "--json"});
    EXPECT_EQ(resealed.output, "{\"resealed\":0,\"keys\":1}\n") << resealed.errors;
}

TEST_P(MasterKeys, ThatAreMalformedAreNamedAndNotShown) {
    const ScratchFile file;
    const std::string short_of_one = digits.substr(1);
    std::ofstream(file.path()) << short_of_one << "x\n";
    for (const Variables& variables :
         {Variables{"FF_MASTER_KEY=" + short_of_one}, Variables{"FF_MASTER_KEY_FILE=" + file.path()},
          Variables{"FF_MASTER_KEY_FILE=" + file.path() + "/missing"}, Variables{"FF_MASTER_KEY_FILE=/dev/zero"},
          Variables{"FF_MASTER_KEY=" + digits, "FF_MASTER_KEY_FILE=" + file.path()}}) {
        const Finished finished = run_with(variables, {"list", "--json"});
        expect_typed_error(finished, "invalid_input");
        EXPECT_THAT(finished.errors, HasSubstr(variables.back().substr(0, variables.back().find('='))));
        EXPECT_THAT(finished.errors, Not(HasSubstr(short_of_one)));
    }
    EXPECT_EQ(run({"server", "--master-key", digits}).status, 2);
}

TEST_P(MasterKeys, AreKeptFromTheProgramsOfAWorker) {
    const ScratchFile file;
    std::ofstream(file.path()) << digits << "\n";
    for (const std::string& variable : {"FF_MASTER_KEY=" + digits, "FF_MASTER_KEY_FILE=" + file.path()}) {
        const auto id = submit();
        Process process(with({variable}, {"worker", "--json", "--", "sh", "-c", "env | grep ^FF_"}));
        process.await_line(id);
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait(), 0);
        EXPECT_THAT(result_of(id), AllOf(HasSubstr("FF_EXECUTION_ID=" + id), Not(HasSubstr("FF_MASTER_KEY"))));
    }
    EXPECT_TRUE(json_of({"keys"}).at("keys").at(0).at("sealed").as_bool());
}

TEST_P(MasterKeys, SealWhatWasStoredInPlain) {
    start_and_stop_worker({});
    EXPECT_FALSE(json_of({"keys"}).at("keys").at(0).at("sealed").as_bool());
    EXPECT_THAT(secrets_finding(), AllOf(HasSubstr("advice"), HasSubstr("ff keys reseal")));
    const Finished without = run({"keys", "reseal", "--json"});
    expect_typed_error(without, "unavailable");
    EXPECT_THAT(without.errors, HasSubstr("FF_MASTER_KEY"));

    EXPECT_THAT(run_with({"FF_MASTER_KEY=" + digits}, {"keys", "reseal"}).output, HasSubstr("sealed 1 of 1"));
    EXPECT_TRUE(json_of({"keys"}).at("keys").at(0).at("sealed").as_bool());
    EXPECT_THAT(secrets_finding(), HasSubstr("\"ok\""));
}

TEST_P(MasterKeys, AreMissedWhereAPlainSecretWouldStandBesideSealedOnes) {
    start_and_stop_worker({"FF_MASTER_KEY=" + digits});
    execute("UPDATE ff_waitpoint_hmac SET active = false, expires_at_ms = 1");
    const Finished worker = run({"worker", "--json", "--", "cat"});
    expect_typed_error(worker, "unavailable");
    EXPECT_THAT(worker.errors, HasSubstr("FF_MASTER_KEY"));
    EXPECT_EQ(json_of({"keys"}).at("keys").as_array().size(), 1U);
    start_and_stop_worker({"FF_MASTER_KEY=" + digits});
}

}  // namespace
}  // namespace flowfabric::test
