#include "e2e/server_process.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> with_environment(const std::vector<std::string>& variables, std::vector<std::string> program) {
    std::vector<std::string> words{"env", "-u", "FF_STORE"};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), program.begin(), program.end());
    return words;
}

void expect_refused(const std::vector<std::string>& variables, const std::string& name) {
    const Finished finished = run_program(with_environment(variables, ff({"server", "--listen", "127.0.0.1:0"})));
    EXPECT_EQ(finished.status, 1) << name;
    EXPECT_THAT(finished.errors, HasSubstr(name));
}

TEST(ServerConfiguration, AWrongValueEndsTheServerAndIsNamed) {
    expect_refused({"FF_CORS_ORIGINS="}, "FF_CORS_ORIGINS");
    expect_refused({"FF_WAITPOINT_HMAC_SECRET="}, "FF_WAITPOINT_HMAC_SECRET");
    expect_refused({"FF_WAITPOINT_HMAC_SECRET=abc"}, "FF_WAITPOINT_HMAC_SECRET");
    expect_refused({"FF_WAITPOINT_HMAC_SECRET=" + std::string(64, 'z')}, "FF_WAITPOINT_HMAC_SECRET");
    expect_refused({"FF_BACKEND=typo"}, "FF_BACKEND");
    expect_refused({"FF_BACKEND=valkey"}, "FF_BACKEND");
    expect_refused({"FF_BACKEND=postgres"}, "FF_POSTGRES_URL");
    const Finished flag = run_ff({"server", "--request-timeout", "soon"});
    EXPECT_EQ(flag.status, 1);
    EXPECT_THAT(flag.errors, HasSubstr("--request-timeout"));
}

TEST(ServerConfiguration, IsPrintedWithoutSecretsAndReadFromAFile) {
    const ScratchFile file;
    const Finished printed = run_program(with_environment({"FF_API_TOKEN=hush", "FF_LANES=a,b"},
                                                          ff({"server", "--log-level", "warn", "--print-config"})));
    EXPECT_EQ(printed.status, 0);
    EXPECT_THAT(printed.output,
                AllOf(HasSubstr("lanes = \"a,b\""), HasSubstr("log-level = \"warn\""), Not(HasSubstr("hush"))));
    std::ofstream(file.path()) << printed.output;
    const Finished again = run_program(with_environment(
        {"FF_LANES=c"}, ff({"server", "--config", file.path(), "--log-level", "error", "--print-config"})));
    EXPECT_THAT(again.output, AllOf(HasSubstr("lanes = \"c\""), HasSubstr("log-level = \"error\"")));
}

TEST(ServerConfiguration, TheStoreMayBeNamedByAFile) {
    const ScratchFile file;
    std::ofstream(file.path()) << "sqlite:/tmp/flows.db\n";
    const Finished printed =
        run_program(with_environment({"FF_STORE_FILE=" + file.path()}, ff({"server", "--print-config"})));
    EXPECT_THAT(printed.output, HasSubstr("store = \"sqlite:/tmp/flows.db\"\n"));
    expect_refused({"FF_STORE_FILE=/nonexistent/url"}, "FF_STORE_FILE");
}

TEST(ServerConfiguration, HelpHasExamplesAndNoSecrets) {
    const Finished help = run_ff({"server", "--help"});
    EXPECT_THAT(help.output, AllOf(HasSubstr("Examples:"), HasSubstr("--listen"), HasSubstr("FF_LISTEN_ADDR"),
                                   Not(HasSubstr("--api-token"))));
}

TEST(ServerConfiguration, NothingAtAllServesAnEmbeddedFileOnLoopback) {
    const ScratchFile name;
    const std::string directory = name.path() + ".d";
    std::filesystem::create_directory(directory);
    {
        Process server(with_environment({"FF_DATA_DIR=" + directory, "FF_LISTEN_ADDR=127.0.0.1:0", "FF_LISTEN_ADR=x"},
                                        ff({"server", "--json"})));
        const auto announced = boost::json::parse(server.await_line("url"));
        EXPECT_THAT(text(announced.at("url")), ::testing::StartsWith("http://127.0.0.1:"));
        EXPECT_EQ(text(announced.at("store")), "sqlite:" + directory + "/flowfabric.db");
        EXPECT_THAT(server.errors(), HasSubstr("FF_LISTEN_ADR is not a known variable"));
        server.signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0);
    }
    std::filesystem::remove_all(directory);
}

class ConfiguredServer : public ServerProcess {};
INSTANTIATE_TEST_SUITE_P(Stores, ConfiguredServer, durable_stores(), name_of_param);

TEST_P(ConfiguredServer, RegistersItsLanesAndInstallsTheFirstKeyOnce) {
    const ScratchFile secret;
    std::ofstream(secret.path()) << std::string(64, 'a') << '\n';
    const auto begin = [&] {
        Process server(
            with_environment({"FF_WAITPOINT_HMAC_SECRET_FILE=" + secret.path()},
                             command({"server", "--json", "--listen", "127.0.0.1:0", "--lanes", "mail,reports"})));
        server.await_line("url");
        server.signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.errors();
        EXPECT_THAT(server.errors(), Not(HasSubstr("signing key"))) << "nothing was generated";
    };
    begin();
    json_of({"lanes", "pause", "mail"});
    begin();
    EXPECT_THAT(run({"lanes", "--json"}).output, AllOf(HasSubstr("reports"), HasSubstr("paused")));
    EXPECT_THAT(run({"keys", "--json"}).output, HasSubstr("\"k1\""));
}

}  // namespace
}  // namespace flowfabric::test
