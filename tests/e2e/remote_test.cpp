#include <regex>

#include "e2e/http_test.hpp"
#include "e2e/server_process.hpp"

// `ff` on a server does and prints what it does straight on the store.
namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Variables = std::vector<std::string>;

std::vector<std::string> with_variables(const Variables& variables, std::vector<std::string> command) {
    command.insert(command.begin(), variables.begin(), variables.end());
    command.insert(command.begin(), "env");
    return command;
}

// The place stands behind all other options, and in front of a worker's program.
std::vector<std::string> at_place(std::vector<std::string> arguments, const std::vector<std::string>& place) {
    arguments.insert(std::ranges::find(arguments, "--"), place.begin(), place.end());
    return arguments;
}

class Remote : public HttpApi {
  protected:
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }

    std::vector<std::string> remote_command(std::vector<std::string> arguments) const {
        return ff(at_place(std::move(arguments), {"--server", url()}));
    }
    Finished run_remote(std::vector<std::string> arguments) const { return run_remote_with({}, std::move(arguments)); }
    Finished run_remote_with(const Variables& variables, std::vector<std::string> arguments) const {
        return run_program(with_variables(variables, remote_command(std::move(arguments))));
    }
    Finished run_local(std::vector<std::string> arguments) {
        return run_ff(at_place(std::move(arguments), {"--store", store().url()}));
    }
    // The secret of a new token. From the first one on the server asks for one.
    std::string create_token(const std::string& name, const std::string& scope, const Variables& as = {}) const {
        const auto created = run_remote_with(as, {"token", "create", name, "--scope", scope});
        EXPECT_EQ(created.status, 0) << created.errors;
        return created.output.substr(0, created.output.find('\n'));
    }

    void expect_same_as_on_the_store(const std::vector<std::string>& read, const Variables& variables) {
        for (const bool json : {false, true}) {
            auto arguments = read;
            if (json) arguments.emplace_back("--json");
            SCOPED_TRACE(testing::PrintToString(arguments));
            const auto remote = run_remote_with(variables, arguments);
            EXPECT_EQ(remote.status, 0) << remote.errors;
            EXPECT_EQ(remote.output, run_local(arguments).output);
        }
    }
    // The command must succeed and print one JSON value.
    boost::json::value json_of_remote(std::vector<std::string> arguments, const Variables& variables = {}) const {
        arguments.emplace_back("--json");
        const auto finished = run_remote_with(variables, std::move(arguments));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return boost::json::parse(finished.output);
    }
    // The id of a new flow of two members on the lane `reports`.
    std::string submit_flow_remote() const {
        const ScratchFile file;
        std::ofstream(file.path()) << R"({"flow_kind": "report", "tags": {"team.name": "blue"}, "nodes": [
            {"name": "fetch", "execution": {"execution_kind": "fetch", "lane_id": "reports"}},
            {"name": "sum", "execution": {"execution_kind": "sum", "lane_id": "reports"}}],
            "edges": [{"from": "fetch", "to": "sum"}]})";
        return text(json_of_remote({"flow", "submit", file.path()}).at("flow_id"));
    }
    // The id of a new execution that waits for the signal `approved`.
    std::string suspend_remote() const {
        const auto id = submit_remote();
        const auto worked = run_remote({"worker", "--max-tasks", "1", "--", FF_BINARY, "task", "suspend", "--for",
                                        "approved", "--waitpoint", "approval"});
        EXPECT_THAT(worked.output, HasSubstr("suspended")) << worked.errors;
        return id;
    }
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
    const auto flow = submit_flow_remote();
    const auto bulk = run_remote({"bulk", "cancel", "--lane", "nothing", "--wait", "--json"});
    ASSERT_EQ(bulk.status, 0) << bulk.errors;
    const auto operation = text(boost::json::parse(bulk.output).at("operation_id"));
    ASSERT_EQ(run_remote({"webhooks", "create", "hook", "http://127.0.0.1:9/", "--channel", "signal"}).status, 0);
    const std::vector<std::vector<std::string>> reads{{"get", id},
                                                      {"get", bytes},
                                                      {"attempts", id},
                                                      {"explain", id},
                                                      {"list"},
                                                      {"list", "--state", "cancelled"},
                                                      {"lanes"},
                                                      {"settings"},
                                                      {"consumers"},
                                                      {"workers"},
                                                      {"keys"},
                                                      {"waitpoints", id},
                                                      {"flow", "list"},
                                                      {"flow", "show", flow},
                                                      {"flow", "tag", flow, "team.name"},
                                                      {"bulk", "list"},
                                                      {"bulk", "show", operation},
                                                      {"bulk", "cancel", "--lane", "reports", "--preview"},
                                                      {"webhooks", "list"},
                                                      {"webhooks", "show", "hook"},
                                                      {"webhooks", "failures", "hook"},
                                                      {"call", "describe_lane", R"({"lane_id": "reports"})"},
                                                      {"token", "list"}};
    for (const auto& read : reads) expect_same_as_on_the_store(read, {});
    const Variables reader{"FF_TOKEN=" + create_token("ops", "admin")};
    expect_same_as_on_the_store({"token", "list"}, reader);
}

TEST_P(Remote, StatisticsAreThoseOfTheStore) {
    const auto id = submit_remote({"--lane", "reports"});
    ASSERT_EQ(run_remote({"cancel", id}).status, 0);
    const auto remote = run_remote({"stats", "reports"});
    EXPECT_EQ(remote.status, 0) << remote.errors;
    EXPECT_EQ(remote.output, run_local({"stats", "reports"}).output);
    const auto depth = [](const Finished& told) {
        return boost::json::parse(told.output).at("lanes").at(0).at("depth");
    };
    EXPECT_EQ(depth(run_remote({"stats", "--json"})), depth(run_local({"stats", "--json"})));
    EXPECT_EQ(depth(run_remote({"stats", "--json"})).at("cancelled"), 1);
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

TEST_P(Remote, AWorkerNeedsNoMoreThanItsScopeToSignOnAndOff) {
    const Variables operators{"FF_TOKEN=" + create_token("ops", "admin")};
    const Variables workers{"FF_TOKEN=" + create_token("fleet", "worker", operators)};
    const auto listed = [&] { return run_remote_with(operators, {"workers"}).output; };
    Process worker(with_variables(workers, remote_command({"worker", "--instance-id", "far", "--", "cat"})));
    await("the registration", [&] { return listed().find("far") != std::string::npos; });
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0) << worker.errors();
    EXPECT_THAT(listed(), HasSubstr("No registered workers."));

    ASSERT_EQ(run_remote_with(operators, {"lanes", "pause", "reports"}).status, 0);
    const auto audit =
        run_remote_with(operators, {"tail", "--channel", "audit", "--from", "start", "--count", "3", "--json"});
    EXPECT_THAT(audit.output, AllOf(HasSubstr("set_lane_state"), Not(HasSubstr("mark_worker_dead"))));
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

TEST_P(Remote, PeopleActOnExecutionsOverTheServer) {
    const auto approved = suspend_remote();
    EXPECT_EQ(run_remote({"approve", approved}).output, "resume_condition_satisfied\n");
    Process worker(remote_command({"worker", "--", "sleep", "600"}));
    await_state(approved, "active");
    EXPECT_THAT(run_remote({"revoke", approved, "--reason", "stuck"}).output, HasSubstr("is free to be claimed again"));
    worker.signal(SIGKILL);
    worker.wait();

    const auto one = submit_remote({"--lane", "mail"});
    const auto two = submit_remote({"--lane", "mail"});
    const auto cancelled = json_of_remote({"bulk", "cancel", "--lane", "mail", "--reason", "not needed", "--wait"});
    EXPECT_EQ(cancelled.at("state"), "done");
    EXPECT_EQ(cancelled.at("done_count"), 2);
    EXPECT_EQ(state_of(one), "cancelled");
    EXPECT_EQ(state_of(two), "cancelled");
}

TEST_P(Remote, FlowsAreSubmittedShownAndCancelledOverTheServer) {
    const auto flow = submit_flow_remote();
    const auto shown = json_of_remote({"flow", "show", flow});
    EXPECT_EQ(shown.at("flow_kind"), "report");
    ASSERT_EQ(shown.at("members").as_array().size(), 2U);
    EXPECT_EQ(run_remote({"flow", "cancel", flow, "--reason", "not needed"}).output,
              flow + " cancelled, cancel_all: 2 members\n");
    const auto ended = json_of_remote({"flow", "show", flow});
    EXPECT_EQ(ended.at("cancellation_reason"), "not needed");
    for (const auto& member : ended.at("members").as_array()) EXPECT_EQ(member.at("public_state"), "cancelled");
}

TEST_P(Remote, OperatorsChangeTheStoreOverTheServer) {
    EXPECT_EQ(json_of_remote({"lanes", "pause", "reports"}).at("state"), "paused");
    EXPECT_EQ(run_local({"lanes", "resume", "reports"}).output, "lane reports: paused -> active\n");
    EXPECT_EQ(run_remote({"lanes", "drain", "reports"}).output, "lane reports: active -> draining\n");
    EXPECT_EQ(run_remote({"settings", "set", "execution_retention", "30d"}).output, "execution_retention: 7d -> 30d\n");
    EXPECT_THAT(run_local({"settings"}).output, HasSubstr("30d"));
    EXPECT_EQ(json_of_remote({"keys", "rotate", "--kid", "second"}).at("new_kid"), "second");
    EXPECT_THAT(run_local({"keys"}).output, HasSubstr("second"));

    const Variables operators{"FF_TOKEN=" + create_token("ops", "admin")};
    create_token("ci", "read", operators);
    EXPECT_THAT(run_remote_with(operators, {"token", "revoke", "ci"}).output, HasSubstr("ci: revoked"));
    EXPECT_THAT(run_local({"token", "list"}).output, HasSubstr("revoked"));
}

// ---- callers with tokens -----------------------------------------------------------------------------------------

TEST_P(Remote, ATokenComesFromTheEnvironmentOrFromAFile) {
    const std::string secret = create_token("reader", "read");
    const ScratchFile file;
    std::ofstream(file.path()) << secret << '\n';
    for (const auto& variable : {"FF_TOKEN=" + secret, "FF_TOKEN_FILE=" + file.path()}) {
        const auto listed = run_remote_with({variable}, {"list"});
        EXPECT_EQ(listed.status, 0) << listed.errors;
        EXPECT_EQ(listed.output, "No executions.\n");
        const auto refused = run_remote_with({variable}, {"lanes", "pause", "reports"});
        EXPECT_EQ(refused.status, 1);
        EXPECT_THAT(refused.errors, AllOf(HasSubstr("lacks the scope admin"), Not(HasSubstr(secret))));
    }
}

TEST_P(Remote, AWrongTokenOrNoneIsRefusedWithoutBeingShown) {
    const std::string secret = create_token("reader", "read");
    const std::string wrong = secret.substr(0, secret.size() - 1) + (secret.back() == '0' ? '1' : '0');
    for (const Variables& variables : {Variables{"FF_TOKEN=" + wrong}, Variables{}}) {
        const auto refused = run_remote_with(variables, {"list"});
        EXPECT_EQ(refused.status, 1);
        EXPECT_THAT(refused.errors, AllOf(HasSubstr("ff: invalid_token: "), Not(HasSubstr(wrong))));
    }
    const auto both = run_remote_with({"FF_TOKEN=" + secret, "FF_TOKEN_FILE=/nonexistent"}, {"list"});
    EXPECT_THAT(both.errors, HasSubstr("FF_TOKEN_FILE"));
    EXPECT_THAT(run_remote_with({"FF_TOKEN_FILE=/nonexistent"}, {"list"}).errors, HasSubstr("/nonexistent"));
}

TEST_P(Remote, ASignalNeedsTheWaitpointsTokenAndNoMoreThanItsScope) {
    const auto id = suspend_remote();
    const auto listed = run_remote({"waitpoints", id, "--tokens", "--json"});
    ASSERT_EQ(listed.status, 0) << listed.errors;
    const auto waitpoint = boost::json::parse(listed.output).at("waitpoints").at(0);
    const std::string sender = "FF_TOKEN=" + create_token("sender", "signal");
    const std::vector<std::string> signal{"signal", id, "approved", "--waitpoint", text(waitpoint.at("waitpoint_id"))};

    const auto refused = run_remote_with({sender}, signal);
    EXPECT_EQ(refused.status, 1) << "an operator may read the waitpoint's token, a sender may not";
    EXPECT_THAT(refused.errors, HasSubstr("lacks the scope admin"));
    const auto forged = run_remote_with({sender, "FF_WAITPOINT_TOKEN=forged"}, signal);
    EXPECT_EQ(forged.status, 1);
    EXPECT_EQ(state_of(id), "suspended");
    const auto sent = run_remote_with({sender, "FF_WAITPOINT_TOKEN=" + text(waitpoint.at("token"))}, signal);
    EXPECT_EQ(sent.output, "resume_condition_satisfied\n") << sent.errors;
    EXPECT_EQ(state_of(id), "resumable");
}

class RemoteTls : public ServerProcess {};
INSTANTIATE_TEST_SUITE_P(Stores, RemoteTls, durable_stores(), name_of_param);

TEST_P(RemoteTls, TheServersCertificateIsVerified) {
    const OwnCertificate own;
    serve(own.options());
    const auto list = ff({"list", "--server", url()});
    const auto trusted = run_program(with_variables({"SSL_CERT_FILE=" + own.certificate()}, list));
    EXPECT_EQ(trusted.status, 0) << trusted.errors;
    EXPECT_EQ(trusted.output, "No executions.\n");
    const auto unknown = run_program(with_variables({"-u", "SSL_CERT_FILE"}, list));
    EXPECT_EQ(unknown.status, 1);
    EXPECT_THAT(unknown.errors, AllOf(HasSubstr("ff: transport: "), HasSubstr("certificate")));
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
