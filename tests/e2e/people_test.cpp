#include "e2e/e2e_test.hpp"

// What `ff` does for people: what they meant, what they may abbreviate, what their shells know.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class People : public EndToEnd {
  protected:
    // A worker whose program is this script, for one task.
    Finished work(const std::string& script) {
        const std::string programs = std::filesystem::path(FF_BINARY).parent_path();
        auto worker = command({"worker", "--lane", "default", "--max-tasks", "1", "--", "sh", "-c", script});
        worker.insert(worker.begin(), {"env", "PATH=" + programs + ":/usr/bin:/bin"});
        return run_program(std::move(worker));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, People, durable_stores(), name_of_param);

TEST_P(People, AreToldTheNearestCommandAndOption) {
    EXPECT_THAT(run_ff({"lst"}).errors, HasSubstr("there is no command lst; did you mean list?"));
    EXPECT_THAT(run_ff({"flow", "shw"}).errors, HasSubstr("there is no command shw; did you mean show?"));
    EXPECT_THAT(run_ff({"frobnicate"}).errors, Not(HasSubstr("did you mean")));
    const auto option = run({"list", "--limt", "3"});
    EXPECT_EQ(option.status, 2);
    EXPECT_THAT(option.errors, HasSubstr("Did you mean --limit?"));
}

TEST_P(People, MayLeaveOutThePartition) {
    const auto id = submit();
    const auto uuid = id.substr(id.find("}:") + 2);
    EXPECT_EQ(text(json_of({"get", uuid}).at("execution_id")), id);
    EXPECT_EQ(run({"cancel", uuid}).status, 0);
    EXPECT_EQ(state_of(id), "cancelled");
    expect_typed_error(run({"get", "--json", "00000000-0000-0000-0000-000000000001"}), "execution_not_found");
}

TEST_P(People, ActOnExecutionsAsOperators) {
    const auto id = submit();
    EXPECT_EQ(json_of({"priority", id, "9000"}).at("new_priority").as_int64(), 9000);
    EXPECT_EQ(work("cat > /dev/null; exit 65").status, 0);
    EXPECT_EQ(state_of(id), "failed");
    EXPECT_EQ(text(json_of({"replay", id}).at("public_state")), "waiting");
    Process worker(command({"worker", "--", "sh", "-c", "sleep 600"}));
    await_state(id, "active");
    EXPECT_THAT(run({"revoke", id, "--instance", "another"}).output, HasSubstr("is held by no such worker"));
    EXPECT_THAT(run({"revoke", id, "--reason", "stuck"}).output, HasSubstr("is free to be claimed again"));
    worker.signal(SIGKILL);
    worker.wait();
}

TEST_P(People, RotateSigningKeys) {
    ASSERT_EQ(run({"keys", "rotate", "--kid", "first"}).status, 0);
    const auto rotated = json_of({"keys", "rotate", "--grace", "1h"});
    EXPECT_EQ(text(rotated.at("previous_kid")), "first");
    EXPECT_THAT(text(rotated.at("new_kid")), StartsWith("k2"));
}

TEST_P(People, SeeColoursOnlyWhenTheyWantThem) {
    submit();
    EXPECT_THAT(run({"list"}).output, Not(HasSubstr("\x1b[")));
    EXPECT_THAT(run({"list", "--color", "always"}).output, HasSubstr("\x1b[1m"));
    EXPECT_THAT(run({"list", "--color", "never"}).output, Not(HasSubstr("\x1b[")));
}

TEST_P(People, SeeOnATerminalHowFarLongWorkIs) {
    const auto seen = [&](const std::string& words) {
        const std::string line = std::string("'") + FF_BINARY + "' " + words + " --store '" + store().url() + "'";
        const auto finished = run_program({"script", "--quiet", "--return", "--command", line, "/dev/null"});
        EXPECT_EQ(finished.status, 0) << finished.output;
        return finished.output;
    };
    const ScratchFile file;
    {
        std::ofstream lines(file.path());
        for (int i = 0; i < 1000; ++i) lines << "{\"execution_kind\": \"test\", \"lane_id\": \"mail\"}\n";
    }
    EXPECT_THAT(seen("submit --many " + file.path()), HasSubstr("submitting  [##############################]  100 %"));
    const auto cancelled = seen("bulk cancel --lane mail --wait");
    EXPECT_THAT(cancelled, HasSubstr("cancel  0 of 0 found so far"));
    EXPECT_THAT(cancelled, HasSubstr("done          1000"));

    std::ofstream(file.path())
        << R"({"flow_kind": "k", "nodes": [{"name": "a", "execution": {"execution_kind": "k"}}]})";
    const auto flow = run_ff({"flow", "submit", file.path(), "--store", store().url()});
    ASSERT_EQ(flow.status, 0) << flow.errors;
    EXPECT_THAT(seen("flow cancel " + flow.output.substr(0, flow.output.find('\n'))),
                HasSubstr("of 1 members have ended"));
}

// ---- the shell ---------------------------------------------------------------------------------------------------

std::string completed_by_bash(const std::string& words) {
    const auto finished = run_program({"bash", "-c",
                                       "source <(\"$0\" completion bash); COMP_WORDS=(" + words +
                                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ff; echo \"${COMPREPLY[*]}\"",
                                       FF_BINARY});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    return finished.output;
}

// Only a line editor has what compadd does: it is replaced by what prints the words that fit.
std::string completed_by_zsh(const std::string& words) {
    const auto finished = run_program({"zsh", "-f", "-c",
                                       "autoload -Uz compinit && compinit -u -D && source <(\"$0\" completion zsh)\n"
                                       "[[ $_comps[ff] == _ff ]] || exit 3\n"
                                       "compadd() { shift; print -rl -- ${(M)@:#${words[CURRENT]}*} }\n"
                                       "_files() { : }\n"
                                       "words=(" +
                                           words + "); CURRENT=$#words; _ff",
                                       FF_BINARY});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors, "");
    return finished.output;
}

// A line for each word, without what fish says about it.
std::string completed_by_fish(const std::string& words) {
    const auto finished = run_program({"fish", "--no-config", "-c",
                                       "source ($argv[1] completion fish | psub)\n"
                                       "complete -C $argv[2] | string replace -r '\t.*' ''",
                                       FF_BINARY, words});
    EXPECT_EQ(finished.errors, "");
    return finished.output;
}

struct Shell {
    std::string name;
    std::string (*completed)(const std::string& words);
};

class ShellCompletion : public ::testing::TestWithParam<Shell> {
  protected:
    void SetUp() override {
        const std::string& shell = GetParam().name;
        if (run_program({"bash", "-c", "command -v " + shell}).status != 0) {
            GTEST_SKIP() << "no " << shell << ": script/setup test installs it";
        }
    }
    static std::string completed(const std::string& words) { return GetParam().completed(words); }
};
INSTANTIATE_TEST_SUITE_P(Shells, ShellCompletion,
                         ::testing::Values(Shell{"bash", completed_by_bash}, Shell{"zsh", completed_by_zsh},
                                           Shell{"fish", completed_by_fish}),
                         [](const auto& shell) { return shell.param.name; });

TEST_P(ShellCompletion, KnowsCommandsOptionsAndChoices) {
    EXPECT_EQ(completed("ff flo"), "flow\n");
    EXPECT_EQ(completed("ff flow ca"), "cancel\n");
    EXPECT_EQ(completed("ff flow cancel --pol"), "--policy\n");
    EXPECT_EQ(completed("ff flow cancel --policy cancel_p"), "cancel_pending\n");
    EXPECT_EQ(completed("ff lanes pa"), "pause\n");
    EXPECT_EQ(completed("ff get --js"), "--json\n");
}

TEST(Completion, IsPrintedForShellsThatAreKnown) {
    EXPECT_EQ(run_ff({"completion", "csh"}).status, 2);
}

TEST(Manual, DescribesEveryCommand) {
    const auto page = run_ff({"man"}).output;
    EXPECT_THAT(page, StartsWith(".TH FF 1 "));
    for (const std::string command : {"submit", "flow show", "task suspend", "settings set", "doctor"}) {
        EXPECT_THAT(page, HasSubstr(".SS \"ff " + command)) << command;
    }
}

// ---- inside a task -----------------------------------------------------------------------------------------------

TEST_P(People, ProgramsReportProgressAndCompleteWithAWord) {
    const auto id = submit();
    const auto worked = work("ff task progress 40 'two of five' && ff task complete done && echo ignored");
    EXPECT_EQ(worked.status, 0) << worked.errors;
    EXPECT_EQ(result_of(id), "done");
    const auto shown = json_of({"get", id});
    EXPECT_EQ(shown.at("progress_pct").as_int64(), 40);
    EXPECT_EQ(text(shown.at("progress_message")), "two of five");
}

TEST_P(People, ProgramsAreRunAgainAfterADelay) {
    const auto id = submit();
    EXPECT_THAT(work("ff task delay 1ms").output, HasSubstr("delayed"));
    EXPECT_THAT(work("printf '%s' \"$FF_ATTEMPT_INDEX\"").output, HasSubstr("completed"));
    EXPECT_EQ(result_of(id), "0");
    EXPECT_EQ(json_of({"attempts", id}).at("attempts").as_array().size(), 1U);
}

TEST_P(People, ProgramsFailForGoodOrAsTheirStatusSays) {
    const auto permanent = submit();
    EXPECT_THAT(work("ff task fail 'no such month' --category permanent").output, HasSubstr("failed"));
    EXPECT_EQ(text(json_of({"get", permanent}).at("failure_reason")), "no such month");
    submit({"--max-retries", "0"});
    EXPECT_THAT(work("ff task complete fine; exit 3").output, HasSubstr("failed"));
}

TEST_P(People, ProgramsWithoutFfWriteTheFileThemselves) {
    const auto id = submit();
    EXPECT_THAT(work(R"(echo '{"outcome": "suspend", "waitpoints": [{"Fresh": {"waitpoint_key": "k"}}],
                              "resume_condition": "OperatorOnly"}' > "$FF_TASK_FILE")")
                    .output,
                HasSubstr("suspended"));
    EXPECT_EQ(state_of(id), "suspended");
    EXPECT_EQ(run({"resume", id}).status, 0);
    EXPECT_THAT(work("true").output, HasSubstr("completed"));

    const auto damaged = submit();
    EXPECT_THAT(work("echo '{' > \"$FF_TASK_FILE\"").output, HasSubstr("failed"));
    EXPECT_THAT(text(json_of({"get", damaged}).at("failure_reason")), HasSubstr("FF_TASK_FILE"));
}

TEST_P(People, ASuspensionIsApprovedOnceAndRejectedByName) {
    const auto id = submit();
    ASSERT_THAT(work("ff task suspend --for approved --waitpoint approval").output, HasSubstr("suspended"));
    const auto waitpoints = json_of({"waitpoints", "--tokens", id}).at("waitpoints").as_array();
    ASSERT_EQ(waitpoints.size(), 1U);
    EXPECT_EQ(text(waitpoints.front().at("waitpoint_key")), "approval");
    EXPECT_FALSE(text(waitpoints.front().at("token")).empty());
    EXPECT_EQ(run({"approve", id, "--reject"}).output, "no_op\n");
    EXPECT_EQ(run({"approve", id}).output, "resume_condition_satisfied\n");
    EXPECT_THAT(work("ff task signals").output, HasSubstr("completed"));
    EXPECT_THAT(result_of(id), HasSubstr("rejected"));
    expect_typed_error(run({"approve", "--json", id}), "invalid_input");
}

TEST_P(People, TaskCommandsAreRefusedOutsideOfATask) {
    EXPECT_THAT(run_ff({"task", "complete", "x"}).errors, HasSubstr("FF_TASK_FILE: is not set"));
    EXPECT_THAT(run_ff({"task", "progress", "1"}).errors, HasSubstr("FF_LEASE: is not set"));
}

}  // namespace
}  // namespace flowfabric::test
