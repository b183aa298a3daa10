#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

class WorkerProcess : public EndToEnd {
  protected:
    // A lease is short only where it is to be lost.
    std::vector<std::string> worker(const std::string& script, const std::string& lease_ttl = "30s") {
        return command({"worker", "--json", "--lane", "reports", "--lease-ttl", lease_ttl, "--", "sh", "-c", script});
    }

    // Stops the process at a moment when it holds no lock that the others need.
    void freeze(const Process& process) {
        for (;;) {
            process.signal(SIGSTOP);
            Process probe(command({"submit", "--kind", "probe", "--lane", "elsewhere"}));
            if (probe.wait_for(3s)) return;
            process.signal(SIGCONT);
            probe.wait();
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, WorkerProcess, durable_stores(), name_of_param);

TEST_P(WorkerProcess, KilledInTheMiddleIsReplacedByAnother) {
    adopt_orphans();
    const ScratchFile child;
    const auto id = submit({"--lane", "reports", "--payload", "november"});
    {
        Process first(worker("echo $$ > " + child.path() + "; exec sleep 600", "1s"));
        child.await_text();
        EXPECT_EQ(state_of(id), "active");
        first.signal(SIGKILL);
        EXPECT_EQ(first.wait_for(patience), -SIGKILL);
        end_orphan(std::stoi(child.text()));
    }

    Process second(worker("sed 's/^/report for /'"));
    EXPECT_EQ(boost::json::parse(second.await_line(id)).at("end").as_string(), "completed");
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);

    const auto execution = json_of({"get", id});
    EXPECT_EQ(execution.at("state").as_string(), "completed");
    EXPECT_EQ(execution.at("result").at("data").as_string(), "report for november");
    const auto& attempts = execution.at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].at("outcome").as_string(), "interrupted_reclaimed");
    EXPECT_EQ(attempts[1].at("outcome").as_string(), "ended_success");
}

TEST_P(WorkerProcess, ThatLostItsLeaseEndsItsProgramAndReportsNothing) {
    const ScratchFile child;
    const ScratchFile farewell;
    const auto id = submit({"--lane", "reports"});
    Process stalled(worker("trap 'echo TERM > " + farewell.path() + "; exit 0' TERM; echo $$ > " + child.path() +
                               "; while :; do sleep 0.05; done",
                           "1s"));
    const int program = std::stoi(child.await_text());
    freeze(stalled);

    Process other(worker("echo taken over"));
    EXPECT_EQ(boost::json::parse(other.await_line(id)).at("end").as_string(), "completed");
    EXPECT_TRUE(is_alive(program));
    stalled.signal(SIGCONT);

    EXPECT_EQ(boost::json::parse(stalled.await_line(id)).at("end").as_string(), "lease_lost");
    EXPECT_FALSE(is_alive(program));
    EXPECT_EQ(farewell.text(), "TERM\n");
    EXPECT_EQ(json_of({"get", id}).at("result").at("data").as_string(), "taken over\n");
    for (Process* process : {&stalled, &other}) {
        process->signal(SIGTERM);
        EXPECT_EQ(process->wait(), 0);
    }
}

TEST_P(WorkerProcess, LetsItsProgramFinishWhenAskedToStop) {
    const ScratchFile go;
    const auto id = submit({"--lane", "reports"});
    const auto next = submit({"--lane", "reports"});
    Process stopping(worker("until [ -s " + go.path() + " ]; do sleep 0.02; done; echo done"));
    await("a claim", [&] { return state_of(id) == "active" || state_of(next) == "active"; });
    stopping.signal(SIGTERM);
    stopping.await_line("stopping");
    std::ofstream(go.path()) << "go";

    EXPECT_EQ(stopping.wait(), 0);
    EXPECT_EQ(state_of(id), "completed");
    EXPECT_EQ(state_of(next), "waiting");
}

TEST_P(WorkerProcess, TurnsExitStatusesIntoRetriesAndFailures) {
    const auto retried = submit({"--lane", "reports", "--max-retries", "1", "--retry-delay", "1ms"});
    const auto refused = submit({"--lane", "reports", "--max-retries", "5", "--payload", "bad"});
    Process process(worker("if grep -q bad; then exit 65; fi; [ $FF_ATTEMPT_INDEX = 1 ] || exit 7; echo $FF_LANE"));
    await_state(retried, "completed");
    await_state(refused, "failed");

    const auto execution = json_of({"get", retried});
    EXPECT_EQ(execution.at("result").at("data").as_string(), "reports\n");
    EXPECT_EQ(execution.at("attempts").at(0).at("failure_reason").as_string(), "exit status 7");
    EXPECT_EQ(json_of({"get", refused}).at("attempts").as_array().size(), 1U);
}

}  // namespace
}  // namespace flowfabric::test
