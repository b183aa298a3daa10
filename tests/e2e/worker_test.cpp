#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A named pipe that a program and its children hold open for as long as one of them lives.
class Fifo {
  public:
    Fifo() {
        std::filesystem::remove(file_.path());
        if (::mkfifo(file_.path().c_str(), 0600) != 0) throw std::runtime_error("cannot create " + file_.path());
        fd_ = ::open(file_.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    ~Fifo() { ::close(fd_); }
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;

    const std::string& path() const { return file_.path(); }
    void await_text(const std::string& text) {
        while (read_.find(text) == std::string::npos && read_some()) {
        }
        EXPECT_THAT(read_, HasSubstr(text));
    }
    void await_end() {
        while (read_some()) {
        }
    }

  private:
    // False at the end: nobody has it open for writing any more. Throws when nothing happens.
    bool read_some() {
        pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
        const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
        if (::poll(&ready, 1, static_cast<int>(timeout)) != 1) throw std::runtime_error("nothing comes from the fifo");
        std::array<char, 256> buffer{};
        const auto got = ::read(fd_, buffer.data(), buffer.size());
        if (got > 0) read_.append(buffer.data(), static_cast<std::size_t>(got));
        return got > 0;
    }

    ScratchFile file_;
    int fd_ = -1;
    std::string read_;
};

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
    EXPECT_EQ(execution.at("public_state").as_string(), "completed");
    EXPECT_EQ(result_of(id), "report for november");
    const auto& attempts = execution.at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].at("outcome").as_string(), "interrupted_reclaimed");
    EXPECT_EQ(attempts[1].at("outcome").as_string(), "ended_success");
}

TEST_P(WorkerProcess, KilledTakesItsProgramAndTheChildrenOfThatAlong) {
    Fifo fifo;
    const auto id = submit({"--lane", "reports"});
    Process process(worker("exec 3> " + fifo.path() + "; sleep 600 & sh -c 'echo running >&3; sleep 600; true'; true"));
    fifo.await_text("running");
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait_for(patience), -SIGKILL);
    fifo.await_end();
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
    EXPECT_EQ(result_of(id), "taken over\n");
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
    EXPECT_EQ(result_of(retried), "reports\n");
    EXPECT_EQ(execution.at("attempts").at(0).at("failure_reason").as_string(), "exit status 7");
    EXPECT_EQ(json_of({"get", refused}).at("attempts").as_array().size(), 1U);
}

TEST_P(WorkerProcess, TellsItsProgramWhatFencesAnEffect) {
    const auto id = submit({"--lane", "reports"});
    Process process(worker("echo $FF_EXECUTION_ID $FF_ATTEMPT_INDEX $FF_LEASE_EPOCH $FF_KIND $FF_LANE"));
    process.await_line(id);
    const auto execution = json_of({"get", id});
    const auto epoch = execution.at("attempts").at(0).at("lease_epoch").to_number<std::int64_t>();
    EXPECT_EQ(result_of(id), id + " 0 " + std::to_string(epoch) + " test reports\n");
}

TEST_P(WorkerProcess, KeepsTheEndOfWhatAFailedProgramWroteToStderr) {
    const auto brief = submit({"--lane", "reports", "--max-retries", "0"});
    const auto lengthy = submit({"--lane", "reports", "--max-retries", "0", "--payload", "much"});
    Process process(
        worker("if grep -q much; then head -c 100000 /dev/zero | tr '\\0' x >&2; printf 'caf\\303\\251 \\377' >&2; "
               "kill -9 $$; fi; echo 'no such month' >&2; echo 'giving up' >&2; exit 3"));
    await_state(brief, "failed");
    await_state(lengthy, "failed");

    const std::string reason = "exit status 3: no such month\ngiving up";
    const auto execution = json_of({"get", brief});
    EXPECT_EQ(execution.at("failure_reason").as_string(), reason);
    EXPECT_EQ(execution.at("attempts").at(0).at("failure_reason").as_string(), reason);
    EXPECT_THAT(run({"attempts", brief}).output, HasSubstr("exit status 3: no such month; giving up"));
    EXPECT_THAT(run({"get", brief}).output, HasSubstr("exit status 3: no such month; giving up"));
    EXPECT_THAT(process.errors(), HasSubstr("no such month\ngiving up\n"));

    const std::string tail(json_of({"get", lengthy}).at("failure_reason").as_string());
    EXPECT_TRUE(tail.starts_with("killed by signal 9: xxx")) << tail;
    EXPECT_TRUE(tail.ends_with("xcaf\xC3\xA9 \xEF\xBF\xBD")) << tail;
    EXPECT_LE(tail.size(), std::string_view("killed by signal 9: ").size() + 2048);
}

TEST_P(WorkerProcess, SaysWhatItServesAndIsListedForAsLongAsItRuns) {
    const auto listed = [&] { return json_of({"workers"}).at("workers").as_array(); };
    Process process(command({"worker", "--json", "--lane", "reports", "--lane", "mail", "--instance-id", "w-1",
                             "--concurrency", "3", "--", "cat"}));
    const auto start = boost::json::parse(process.await_line("worker_instance_id"));
    EXPECT_EQ(start.at("worker_instance_id").as_string(), "w-1");
    EXPECT_EQ(start.at("lanes"), (boost::json::array{"reports", "mail"}));
    EXPECT_EQ(start.at("concurrency").to_number<int>(), 3);
    EXPECT_EQ(start.at("version"), boost::json::parse(run_ff({"version", "--json"}).output).at("version"));
    EXPECT_TRUE(start.at("store").is_string());
    await("its registration", [&] { return listed().size() == 1; });
    EXPECT_EQ(listed()[0].at("worker_instance_id").as_string(), "w-1");
    EXPECT_EQ(listed()[0].at("lanes"), (boost::json::array{"mail", "reports"}));
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0);
    EXPECT_TRUE(listed().empty());
}

TEST_P(WorkerProcess, IsQuietGoesOnAndEndsAsItIsAsked) {
    const auto listed = [&] { return json_of({"workers"}).at("workers").as_array(); };
    Process process(
        command({"worker", "--lane", "reports", "--worker-id", "mailer", "--instance-id", "w-1", "--", "cat"}));
    await("its registration", [&] { return listed().size() == 1; });
    EXPECT_EQ(run({"workers", "quiet", "w-1"}).output, "worker w-1: quiet\n");
    process.await_line("asks this worker to be quiet");
    EXPECT_EQ(text(listed()[0].at("mode")), "quiet");
    const auto held = submit({"--lane", "reports"});
    EXPECT_EQ(run({"workers", "run", "w-1"}).output, "worker w-1: run\n");
    EXPECT_THAT(process.await_line(held), HasSubstr("completed"));
    EXPECT_LT(process.errors().find("to be quiet"), process.errors().find("to run"));

    EXPECT_EQ(text(json_of({"workers", "stop", "--worker", "mailer"}).at("mode")), "stop");
    EXPECT_EQ(process.wait(), 0);
    EXPECT_EQ(run({"workers", "run", "--worker", "mailer"}).output, "worker mailer: run\n");
    expect_typed_error(run({"workers", "--json", "quiet"}), "invalid_input");
    EXPECT_EQ(run({"workers", "--worker", "mailer"}).status, 2) << "it does not say what is asked";
}

TEST_P(WorkerProcess, SaysThatALaneIsNew) {
    submit({"--lane", "reports"});
    Process process(command({"worker", "--lane", "reports", "--lane", "reprots", "--", "cat"}));
    process.await_line("completed");
    EXPECT_THAT(process.errors(), HasSubstr("lane reprots is new"));
    EXPECT_THAT(process.errors(), Not(HasSubstr("lane reports is new")));
    EXPECT_THAT(process.errors(), HasSubstr("serves lanes reports, reprots, 1 at a time"));
}

}  // namespace
}  // namespace flowfabric::test
