#include <regex>

#include "e2e/http_test.hpp"

// `ff` on a server does and prints what it does straight on the store.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;

class Remote : public HttpApi {
  protected:
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }

    std::vector<std::string> remote_command(std::vector<std::string> arguments) const {
        const std::size_t words = is_group(arguments.front()) ? 2 : 1;
        arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(words), {"--server", url()});
        return ff(std::move(arguments));
    }
    Finished run_remote(std::vector<std::string> arguments) const {
        return run_program(remote_command(std::move(arguments)));
    }
    Finished run_local(std::vector<std::string> arguments) {
        const std::size_t words = is_group(arguments.front()) ? 2 : 1;
        arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(words), {"--store", store().url()});
        return run_ff(std::move(arguments));
    }
    static bool is_group(const std::string& word) { return word == "flow" || word == "task"; }

    std::string submit_remote(std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"submit", "--kind", "test"});
        const auto finished = run_remote(std::move(options));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished.output.substr(0, finished.output.find('\n'));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Remote, durable_stores(), name_of_param);

TEST_P(Remote, ReadsPrintTheSameAsOnTheStore) {
    const auto id = submit_remote({"--lane", "reports", "--payload", "november", "--tag", "team.name=blue"});
    const auto bytes = submit_remote({"--lane", "reports", "--payload", "\xff\x01"});
    ASSERT_EQ(run_remote({"cancel", bytes, "--reason", "not needed"}).status, 0);
    const std::vector<std::vector<std::string>> reads{
        {"get", id},       {"get", bytes}, {"attempts", id},
        {"explain", id},   {"list"},       {"list", "--state", "cancelled"},
        {"lanes"},         {"settings"},   {"consumers"},
        {"workers"},       {"keys"},       {"flow", "list"},
        {"waitpoints", id}};
    for (const auto& read : reads) {
        for (const bool json : {false, true}) {
            auto arguments = read;
            if (json) arguments.emplace_back("--json");
            SCOPED_TRACE(read.front() + (json ? " --json" : ""));
            const auto remote = run_remote(arguments);
            EXPECT_EQ(remote.status, 0) << remote.errors;
            EXPECT_EQ(remote.output, run_local(arguments).output);
        }
    }
}

TEST_P(Remote, RefusalsAreTheSameAsOnTheStore) {
    const std::string unknown = "{fp:1}:00000000-0000-0000-0000-000000000001";
    const auto ended = submit_remote();
    ASSERT_EQ(run_remote({"cancel", ended}).status, 0);
    const std::vector<std::vector<std::string>> refused{{"get", unknown},
                                                        {"get", "nonsense"},
                                                        {"cancel", unknown},
                                                        {"replay", submit_remote()},
                                                        {"resume", ended},
                                                        {"list", "--partition", "256"},
                                                        {"lanes", "pause", ""},
                                                        {"flow", "show", "00000000-0000-0000-0000-000000000001"},
                                                        {"submit", "--kind", "test", "--lane", ""},
                                                        {"priority", ended, "5"}};
    for (auto arguments : refused) {
        SCOPED_TRACE(arguments.front());
        arguments.emplace_back("--json");
        const auto remote = run_remote(arguments);
        const auto local = run_local(arguments);
        EXPECT_EQ(remote.status, 1) << remote.output;
        EXPECT_EQ(remote.errors, local.errors);
    }
}

TEST_P(Remote, ManySubmissionsTravelTogetherAndAreAnsweredInOrder) {
    const ScratchFile file;
    {
        std::ofstream lines(file.path());
        for (int i = 0; i < 1200; ++i)
            lines << R"({"input": )" << i << R"(, "priority": )" << (i == 700 ? "\"x\"" : "1") << "}\n";
    }
    const auto finished = run_remote({"submit", "--kind", "test", "--lane", "bulk", "--many", file.path(), "--json"});
    EXPECT_EQ(finished.status, 1);
    std::istringstream outcomes(finished.output);
    int line = 0;
    for (std::string text; std::getline(outcomes, text);) {
        const auto outcome = boost::json::parse(text);
        ASSERT_EQ(outcome.at("line").as_int64(), ++line);
        EXPECT_EQ(outcome.as_object().contains("error"), line == 701);
    }
    EXPECT_EQ(line, 1200);
}

TEST_P(Remote, AWorkerRunsProgramsAndRegistersItself) {
    const auto id = submit_remote({"--lane", "reports", "--payload", "november"});
    Process worker(remote_command({"worker", "--lane", "reports", "--instance-id", "far", "--", "sh", "-c",
                                   R"(ff_input=$(cat); printf 'report of %s' "$ff_input")"}));
    await_state(id, "completed");
    EXPECT_EQ(result_of(id), "report of november");
    await("the registration", [&] { return run_remote({"workers"}).output.find("far") != std::string::npos; });
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0) << worker.errors();
    EXPECT_THAT(run_remote({"workers"}).output, HasSubstr("No registered workers."));
}

TEST_P(Remote, EventsAreFollowedOverTheServer) {
    Process tail(remote_command({"tail", "--json", "--count", "2"}));
    tail.await_line("following completion events");
    const auto id = submit_remote();
    ASSERT_EQ(run_remote({"cancel", id}).status, 0);
    tail.await_line(id.substr(id.find(':', 4) + 1));
    const auto second = submit_remote();
    ASSERT_EQ(run_remote({"cancel", second}).status, 0);
    EXPECT_EQ(tail.wait(), 0) << tail.errors();
}

TEST_P(Remote, SaysWhichServerCannotBeReachedAndWhatToDo) {
    const auto finished = run_ff({"list", "--server", "http://127.0.0.1:1"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, HasSubstr("ff: transport: cannot reach http://127.0.0.1:1: connection refused"));
    EXPECT_THAT(finished.errors, HasSubstr("`ff server` starts one"));
    EXPECT_THAT(run_ff({"list", "--server", "nonsense"}).errors, HasSubstr("ff: invalid_input: server: "));
    EXPECT_THAT(run_ff({"list", "--server", "http://me:secret@h:1"}).errors, HasSubstr("FF_TOKEN"));
}

}  // namespace
}  // namespace flowfabric::test
