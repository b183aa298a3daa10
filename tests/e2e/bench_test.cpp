#include <csignal>
#include <fstream>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

// What the benchmarks do and report; how fast is not promised.
class Bench : public EndToEnd {
  protected:
    std::vector<std::string> bench(const std::string& scenario, const std::vector<std::string>& options) {
        std::vector<std::string> arguments{scenario, "--json", "--store", store().url()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return arguments;
    }
    boost::json::object report_of(const std::string& scenario, const std::vector<std::string>& options) {
        const Finished finished = run_ff_bench(bench(scenario, options));
        if (finished.status != 0) throw std::runtime_error(finished.errors);
        auto report = boost::json::parse(finished.output).as_object();
        EXPECT_EQ(report.at("scenario").as_string(), scenario);
        EXPECT_EQ(report.at("store").as_string(), name_of(GetParam()));
        return report;
    }

    static double number(const boost::json::object& report, std::string_view name) {
        return report.at(name).to_number<double>();
    }
    static void expect_ordered(const boost::json::object& report) {
        EXPECT_GT(number(report, "p50_ms"), 0);
        EXPECT_LE(number(report, "p50_ms"), number(report, "p95_ms"));
        EXPECT_LE(number(report, "p95_ms"), number(report, "p99_ms"));
    }
    // PostgreSQL alone has a log whose growth can be asked for.
    void expect_wal(const boost::json::object& report) {
        if (GetParam() == StoreKind::postgres) {
            EXPECT_GT(number(report, "wal_bytes_per_job"), 0);
        } else {
            EXPECT_TRUE(report.at("wal_bytes_per_job").is_null());
        }
    }

    // A run that goes on until it is stopped, once its other process is at work.
    std::unique_ptr<Process> start_endless(const std::string& scenario, std::vector<std::string> options = {}) {
        options.insert(options.end(), {"--samples", "1000000"});
        auto parent = std::make_unique<Process>(ff_bench(bench(scenario, options)));
        const auto engine = store().open_engine({.run_reconcilers = false});
        await("completed work", [&] {
            return !value_of(engine->list_executions({.state = PublicState::completed, .limit = 1})).executions.empty();
        });
        return parent;
    }
    static pid_t child_of(const Process& parent) {
        const std::string id = std::to_string(parent.id());
        pid_t child = 0;
        std::ifstream("/proc/" + id + "/task/" + id + "/children") >> child;
        return child;
    }
    static bool has_ended(pid_t id) {
        std::ifstream status("/proc/" + std::to_string(id) + "/stat");
        std::string pid;
        std::string name;
        std::string state;
        return !(status >> pid >> name >> state) || state == "Z";
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Bench, durable_stores(), name_of_param);

TEST_P(Bench, SubmitLeavesWhatItSubmittedWaiting) {
    const auto report = report_of("submit", {"--tasks", "300", "--in-flight", "8", "--payload-bytes", "10"});
    EXPECT_EQ(number(report, "tasks"), 300);
    EXPECT_EQ(number(report, "in_flight"), 8);
    EXPECT_EQ(number(report, "payload_bytes"), 10);
    EXPECT_GT(number(report, "per_second"), 0);
    expect_ordered(report);
    expect_wal(report);
    const Dump stored = snapshot();
    EXPECT_EQ(stored.executions.size(), 300U);
    for (const auto& [id, execution] : stored.executions) {
        EXPECT_EQ(execution.row.vector.public_state, PublicState::waiting) << id.to_string();
        EXPECT_EQ(execution.input.value_or("").size(), 10U) << id.to_string();
    }
}

TEST_P(Bench, DrainCompletesWhatItSubmitted) {
    const auto report = report_of("drain", {"--tasks", "300", "--workers", "4", "--batch", "10"});
    EXPECT_GT(number(report, "per_second"), 0);
    expect_ordered(report);
    expect_wal(report);
    EXPECT_EQ(snapshot().completion_events.size(), 300U);
}

TEST_P(Bench, FfHandsItsArgumentsOver) {
    auto arguments = bench("drain", {"--tasks", "30", "--workers", "2", "--batch", "10"});
    arguments.insert(arguments.begin(), "bench");
    const Finished finished = run_ff(arguments);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(number(boost::json::parse(finished.output).as_object(), "tasks"), 30);
    EXPECT_EQ(snapshot().completion_events.size(), 30U);
}

TEST_P(Bench, FlowEndsEveryFlowItSubmits) {
    const auto report = report_of("flow", {"--flows", "20", "--length", "3", "--workers", "4", "--batch", "10",
                                           "--width", "7", "--members", "5", "--samples", "2"});
    const auto& chains = report.at("chains").as_object();
    EXPECT_EQ(number(chains, "flows"), 20);
    EXPECT_GT(number(chains, "per_second"), 0);
    EXPECT_LE(number(chains, "submit_seconds"), number(chains, "seconds"));
    for (const auto* hop : {"hop_idle", "hop_loaded"}) EXPECT_GT(number(chains.at(hop).as_object(), "max_ms"), 0);
    const auto& fan = report.at("fan").as_object();
    EXPECT_EQ(number(fan, "width"), 7);
    for (const auto* part : {"out", "in", "flow"}) EXPECT_GT(number(fan.at(part).as_object(), "max_ms"), 0);
    EXPECT_EQ(number(report.at("cancel").as_object(), "members"), 5);
    expect_ordered(report.at("cancel").as_object());

    std::map<FlowState, double> ends;
    for (const auto& [key, flow] : snapshot().of<FlowRow>()) ++ends[flow.public_flow_state];
    EXPECT_THAT(ends, ElementsAre(Pair(FlowState::completed, number(report, "completed_flows")),
                                  Pair(FlowState::cancelled, number(report, "cancelled_flows"))));
}

TEST_P(Bench, FlowMeasuresOneShapeAlone) {
    const auto report = report_of("flow", {"--shape", "cancel", "--members", "3", "--samples", "1"});
    EXPECT_TRUE(report.at("chains").is_null());
    EXPECT_TRUE(report.at("fan").is_null());
    EXPECT_EQ(number(report, "completed_flows"), 0);
    for (const auto& [id, execution] : snapshot().executions) {
        EXPECT_EQ(execution.row.vector.public_state, PublicState::cancelled) << id.to_string();
    }
}

TEST_P(Bench, SuspendMeasuresEachWayToGoOnAndEachRefusal) {
    const auto report = report_of("suspend", {"--samples", "2"});
    for (const auto* way : {"one_engine_at_once", "one_engine", "two_engines"}) {
        const auto& parts = report.at(way).as_object();
        for (const auto* part : {"suspend", "signal", "signal_to_handler", "suspend_to_handler"}) {
            expect_ordered(parts.at(part).as_object());
        }
    }
    for (const auto& [token, latencies] : report.at("refused").as_object()) expect_ordered(latencies.as_object());
}

TEST_P(Bench, PrintsTheFieldsOfItsReportForPeople) {
    const Finished finished =
        run_ff_bench({"flow", "--store", store().url(), "--shape", "cancel", "--members", "3", "--samples", "1"});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    for (const auto* name : {"scenario", "store", "cancel.members", "completed_flows", "p50_ms"}) {
        EXPECT_THAT(finished.output, HasSubstr(name));
    }
}

TEST_P(Bench, LatencyRunsEverySampleInTheOtherProcessOnce) {
    const auto report = report_of("latency", {"--samples", "20", "--load-seconds", "1"});
    const auto& idle = report.at("idle").as_object();
    EXPECT_EQ(number(idle, "samples"), 20);
    expect_ordered(idle);
    EXPECT_LE(number(idle, "p99_ms"), number(idle, "max_ms"));
    const auto& loaded = report.at("loaded").as_object();
    expect_ordered(loaded);
    EXPECT_GT(number(loaded, "samples"), 0);
    EXPECT_GT(number(loaded, "per_second"), 0);
    EXPECT_GT(number(loaded, "peak_per_second"), 0);
    for (const auto& [id, execution] : snapshot().executions) {
        EXPECT_EQ(execution.row.vector.public_state, PublicState::completed) << id.to_string();
        EXPECT_EQ(execution.row.total_attempt_count, 1) << id.to_string();
    }
}

TEST_P(Bench, LatencyWithoutLoadReportsNone) {
    const auto report = report_of("latency", {"--samples", "3", "--load-seconds", "0"});
    EXPECT_EQ(number(report.at("idle").as_object(), "samples"), 3);
    EXPECT_TRUE(report.at("loaded").is_null());
}

TEST_P(Bench, LatencySaysThatItsWorkerHasDied) {
    const auto parent = start_endless("latency");
    const pid_t child = child_of(*parent);
    ASSERT_GT(child, 0);
    ::kill(child, SIGKILL);
    EXPECT_EQ(parent->wait(), 1);
    EXPECT_THAT(parent->errors(), HasSubstr("the worker's process has ended"));
}

TEST_P(Bench, LatencyLeavesNoWorkerBehindWhenItIsKilled) {
    adopt_orphans();
    const auto parent = start_endless("latency");
    const pid_t child = child_of(*parent);
    ASSERT_GT(child, 0);
    parent->signal(SIGKILL);
    EXPECT_EQ(parent->wait(), -SIGKILL);
    await("the worker's end", [&] { return has_ended(child); });
    end_orphan(child);
}

TEST_P(Bench, SubscribersSeeEveryEventOfTheDrains) {
    const auto report = report_of("subscribe", {"--tasks", "300", "--workers", "4", "--batch", "10", "--rounds", "2",
                                                "--samples", "5", "--idle-seconds", "1"});
    EXPECT_GT(number(report, "speed_kept"), 0);
    EXPECT_EQ(report.at("alone_rounds").as_array().size(), 2U);
    EXPECT_EQ(report.at("followed_rounds").as_array().size(), 2U);
    std::vector<std::pair<std::string, double>> seen;
    for (const auto& subscriber : report.at("subscribers").as_array()) {
        const auto& object = subscriber.as_object();
        seen.emplace_back(object.at("channel").as_string(), number(object, "events"));
        EXPECT_LE(number(object, "p50_ms"), number(object, "p99_ms"));
        EXPECT_LE(number(object, "p99_ms"), number(object, "max_ms"));
    }
    EXPECT_THAT(seen, ElementsAre(Pair("completion", 600), Pair("lease", 1200), Pair("completion", 600)));
    const auto& idle = report.at("idle").as_object();
    EXPECT_EQ(number(idle, "samples"), 5);
    EXPECT_GT(number(idle.at("wake").as_object(), "max_ms"), 0);
    EXPECT_EQ(idle.at("queries_per_second").is_null(), GetParam() != StoreKind::postgres);
}

TEST_P(Bench, StreamAppendsReadsAndAwaitsFrames) {
    const auto report = report_of("stream", {"--frames", "300", "--samples", "5", "--payload-bytes", "10"});
    for (const char* part : {"append_single", "append_64_to_one", "append_64_to_64"}) {
        EXPECT_GT(number(report.at(part).as_object(), "per_second"), 0);
        expect_ordered(report.at(part).as_object());
    }
    EXPECT_GT(number(report, "tail_per_second"), 0);
    for (const char* part : {"first_frame_one_engine", "first_frame_two_engines"}) {
        expect_ordered(report.at(part).as_object());
    }
    const auto engine = store().open_engine({.run_reconcilers = false});
    EXPECT_TRUE(value_of(engine->list_executions({.state = PublicState::active})).executions.empty());
}

TEST_P(Bench, HttpComparesAServerWithAnEngineInTheProcess) {
    const auto report = report_of("http", {"--tasks", "200", "--connections", "8", "--workers", "2", "--rounds", "1",
                                           "--idle-polls", "20", "--idle-seconds", "1"});
    for (const char* part : {"submit", "drain"}) {
        EXPECT_GT(number(report.at(part).as_object(), "per_second"), 0);
        EXPECT_GT(number(report.at(part).as_object(), "in_process"), 0);
    }
    EXPECT_EQ(number(report.at("idle").as_object(), "polls"), 20);
    const auto engine = store().open_engine({.run_reconcilers = false});
    EXPECT_TRUE(value_of(engine->list_executions({.state = PublicState::active})).executions.empty());
}

TEST_P(Bench, SubscribeSaysThatItsSubscribersHaveDied) {
    const auto parent = start_endless("subscribe", {"--idle-seconds", "0"});
    const pid_t child = child_of(*parent);
    ASSERT_GT(child, 0);
    ::kill(child, SIGKILL);
    EXPECT_EQ(parent->wait(), 1);
    EXPECT_THAT(parent->errors(), HasSubstr("the subscribers' process has ended"));
}

TEST(BenchWithTwoProcesses, RefusesAStoreThatNoOtherProcessSees) {
    for (const std::string scenario : {"latency", "subscribe"}) {
        const Finished finished = run_ff_bench({scenario, "--store", "memory:"});
        EXPECT_EQ(finished.status, 1) << scenario;
        EXPECT_THAT(finished.errors, AllOf(StartsWith("ff-bench: "), HasSubstr("another process"))) << scenario;
    }
}

TEST(BenchOfFf, HandsOverTheQuestionForHelpAndWrongUsage) {
    const Finished help = run_ff({"bench", "drain", "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output, run_ff_bench({"drain", "--help"}).output);
    EXPECT_THAT(help.output, HasSubstr("--capability-sets"));
    EXPECT_EQ(run_ff({"bench"}).status, 2);
    EXPECT_EQ(run_ff({"bench", "nothing"}).status, 2);
}

TEST(BenchOfFf, SaysThatThereIsNoFfBench) {
    std::string folder = std::filesystem::temp_directory_path() / "ff-alone.XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string alone = folder + "/ff";
    std::filesystem::copy_file(FF_BINARY, alone);
    const Finished finished = run_program({alone, "bench", "drain"});
    std::filesystem::remove_all(folder);
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(finished.output, "");
    EXPECT_THAT(finished.errors, StartsWith("ff bench: no ff-bench beside " + alone));
}

}  // namespace
}  // namespace flowfabric::test
