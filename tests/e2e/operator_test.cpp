#include <csignal>

#include "e2e/e2e_test.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- what an operator does to executions and lanes --------------------------------------------------------------

class Operator : public EndToEnd {
  protected:
    std::vector<std::string> worker(const std::string& script, std::vector<std::string> lanes = {"reports"},
                                    const std::string& lease_ttl = "30s") {
        std::vector<std::string> arguments{"worker", "--json", "--lease-ttl", lease_ttl, "--instance-id", "w-1"};
        for (auto& lane : lanes) {
            arguments.insert(arguments.end(), {"--lane", std::move(lane)});
        }
        arguments.insert(arguments.end(), {"--", "sh", "-c", script});
        return command(std::move(arguments));
    }

    std::vector<std::string> predicates_of(const std::string& id) {
        const auto explained = json_of({"explain", id});
        std::vector<std::string> predicates;
        for (const auto& obstacle : explained.at("obstacles").as_array()) {
            predicates.push_back(text(obstacle.at("predicate")));
        }
        return predicates;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Operator, durable_stores(), name_of_param);

TEST_P(Operator, CancelsWhatWaits) {
    const auto id = submit();
    EXPECT_EQ(json_of({"cancel", id, "--reason", "not needed"}).at("public_state").as_string(), "cancelled");
    // Again is the same answer, and the first reason stays.
    EXPECT_EQ(run({"cancel", id, "--reason", "other"}).output, id + " cancelled\n");

    const auto shown = json_of({"get", id});
    EXPECT_EQ(shown.at("public_state").as_string(), "cancelled");
    EXPECT_EQ(shown.at("cancellation_reason").as_string(), "not needed");
    EXPECT_EQ(shown.at("cancelled_by").as_string(), "operator_override");
    const auto printed = run({"get", id}).output;
    EXPECT_THAT(printed, HasSubstr("not needed"));
    EXPECT_THAT(printed, HasSubstr("operator_override"));
}

TEST_P(Operator, CancelsWhatRunsAndItsProgramIsEnded) {
    const ScratchFile child;
    const auto id = submit({"--lane", "reports"});
    Process process(worker("echo $$ > " + child.path() + "; exec sleep 600", {"reports"}, "3s"));
    const int program = std::stoi(child.await_text());

    json_of({"cancel", id, "--reason", "runaway", "--source", "night shift"});
    EXPECT_EQ(boost::json::parse(process.await_line(id)).at("end").as_string(), "lease_lost");
    EXPECT_FALSE(is_alive(program));
    EXPECT_EQ(json_of({"get", id}).at("cancelled_by").as_string(), "night shift");
    const auto attempts = json_of({"attempts", id}).at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].at("outcome").as_string(), "ended_cancelled");
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0);
}

TEST_P(Operator, CannotCancelWhatHasEnded) {
    const auto id = submit({"--lane", "reports"});
    Process process(worker("echo done"));
    await_state(id, "completed");
    expect_typed_error(run({"cancel", "--json", id}), "execution_not_active");
    expect_typed_error(run({"cancel", "--json", submit(), "--source", ""}), "invalid_input");
}

TEST_P(Operator, PausesALaneAndResumesIt) {
    const auto paused = json_of({"lanes", "pause", "reports"});
    EXPECT_FALSE(paused.contains("previous"));
    EXPECT_EQ(paused.at("state").as_string(), "paused");
    const auto held = submit({"--lane", "reports", "--priority", "9"});
    const auto other = submit({"--lane", "other"});

    // The worker takes what is behind in age and priority, because it gets nothing else.
    Process process(worker("echo done", {"reports", "other"}));
    process.await_line(other);
    EXPECT_EQ(state_of(held), "waiting");

    EXPECT_EQ(run({"lanes", "resume", "reports"}).output, "lane reports: paused -> active\n");
    EXPECT_EQ(boost::json::parse(process.await_line(held)).at("end").as_string(), "completed");
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0);
}

TEST_P(Operator, DrainsAndDisablesLanes) {
    const auto before = submit({"--lane", "reports"});
    EXPECT_EQ(json_of({"lanes", "drain", "reports"}).at("previous").as_string(), "active");
    expect_typed_error(run({"submit", "--json", "--kind", "test", "--lane", "reports"}), "invalid_input");
    Process process(worker("echo done", {"reports", "other"}));
    await_state(before, "completed");

    json_of({"lanes", "disable", "other"});
    expect_typed_error(run({"submit", "--json", "--kind", "test", "--lane", "other"}), "invalid_input");
    EXPECT_EQ(json_of({"lanes", "resume", "reports"}).at("previous").as_string(), "draining");
    await_state(submit({"--lane", "reports"}), "completed");
}

TEST_P(Operator, ListsLanesWithTheirStates) {
    EXPECT_EQ(run({"lanes"}).output, "No lanes.\n");
    submit({"--lane", "reports"});
    json_of({"lanes", "disable", "archive"});

    const auto lanes = json_of({"lanes"}).at("lanes").as_array();
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(lanes[0].at("lane_id").as_string(), "archive");
    EXPECT_EQ(lanes[0].at("state").as_string(), "disabled");
    EXPECT_EQ(lanes[0].at("registered_by").as_string(), "set_lane_state");
    EXPECT_EQ(lanes[0].at("state_changed_at_ms"), lanes[0].at("registered_at_ms"));
    EXPECT_EQ(lanes[1].at("lane_id").as_string(), "reports");
    EXPECT_EQ(lanes[1].at("state").as_string(), "active");
    EXPECT_EQ(lanes[1].at("registered_by").as_string(), "create_execution");
    EXPECT_THAT(run({"lanes"}).output, HasSubstr("archive  disabled"));
}

// ---- what an operator asks about an execution -------------------------------------------------------------------

TEST_P(Operator, IsToldWhatADelayedExecutionWaitsFor) {
    const auto id = submit({"--delay", "1h"});
    const auto explained = json_of({"explain", id});
    EXPECT_EQ(explained.at("execution_id").as_string(), id);
    EXPECT_EQ(explained.at("public_state").as_string(), "delayed");
    ASSERT_EQ(explained.at("obstacles").as_array().size(), 1U);
    const auto& obstacle = explained.at("obstacles").at(0);
    const auto shown = json_of({"get", id});
    EXPECT_EQ(obstacle.at("predicate").as_string(), "delay");
    EXPECT_EQ(obstacle.at("since_ms"), shown.at("created_at_ms"));
    EXPECT_EQ(obstacle.at("until_ms"), shown.at("delay_until_ms"));
    EXPECT_FALSE(text(obstacle.at("remedy")).empty());
}

TEST_P(Operator, IsToldOfAPausedLaneAndOfAMissingWorker) {
    const auto id = submit({"--lane", "reports", "--capability", "gpu"});
    EXPECT_THAT(predicates_of(id), ElementsAre("waiting_for_capable_worker"));
    json_of({"lanes", "pause", "reports"});
    EXPECT_THAT(predicates_of(id), ElementsAre("lane_paused", "waiting_for_capable_worker"));

    const auto lanes = json_of({"lanes"}).at("lanes");
    const auto obstacle = json_of({"explain", id}).at("obstacles").at(0);
    EXPECT_EQ(obstacle.at("since_ms"), lanes.at(0).at("state_changed_at_ms"));
    const auto printed = run({"explain", id}).output;
    for (const auto* part : {"lane_paused", "waiting_for_capable_worker", "gpu", "the lane is resumed"}) {
        EXPECT_THAT(printed, HasSubstr(part));
    }
}

TEST_P(Operator, IsToldWhoRunsAnExecutionAndHowItEnded) {
    const ScratchFile go;
    const auto id = submit({"--lane", "reports"});
    Process process(worker("until [ -s " + go.path() + " ]; do sleep 0.02; done; echo done"));
    await_state(id, "active");
    const auto running = json_of({"explain", id}).at("obstacles").at(0);
    EXPECT_EQ(running.at("predicate").as_string(), "lease_held");
    EXPECT_THAT(text(running.at("detail")), HasSubstr("ff-worker/w-1"));
    EXPECT_EQ(running.at("since_ms"), json_of({"get", id}).at("current_lease").at("acquired_at_ms"));
    EXPECT_TRUE(running.as_object().contains("until_ms"));

    std::ofstream(go.path()) << "go";
    await_state(id, "completed");
    const auto ended = json_of({"explain", id});
    EXPECT_EQ(ended.at("public_state").as_string(), "completed");
    const auto& obstacle = ended.at("obstacles").at(0);
    EXPECT_EQ(obstacle.at("predicate").as_string(), "terminal");
    EXPECT_EQ(obstacle.at("since_ms"), json_of({"get", id}).at("terminal_at_ms"));
    EXPECT_FALSE(obstacle.as_object().contains("until_ms"));
}

TEST_P(Operator, SeesEveryAttempt) {
    const auto id = submit({"--lane", "reports", "--max-retries", "1", "--retry-delay", "1ms"});
    EXPECT_TRUE(json_of({"attempts", id}).at("attempts").as_array().empty());
    EXPECT_EQ(run({"attempts", id}).output, "No attempts.\n");

    Process process(worker("[ $FF_ATTEMPT_INDEX = 1 ] || exit 7"));
    await_state(id, "completed");
    const auto attempts = json_of({"attempts", id}).at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].at("attempt_type").as_string(), "initial");
    EXPECT_EQ(attempts[0].at("outcome").as_string(), "ended_failure");
    EXPECT_EQ(attempts[0].at("failure_reason").as_string(), "exit status 7");
    EXPECT_EQ(attempts[1].at("attempt_type").as_string(), "retry");
    EXPECT_EQ(attempts[1].at("outcome").as_string(), "ended_success");
    EXPECT_THAT(run({"attempts", id}).output, HasSubstr("exit status 7"));
}

TEST_P(Operator, SeesAResultAsJsonIfItsEncodingSaysSo) {
    const auto engine = store().open_engine();
    const auto shown_after = [&](const std::string& result, std::optional<std::string> encoding) {
        const auto id = submit();
        const auto claimed = value_of(engine->claim({.worker_id = "w", .worker_instance_id = "w-1"}));
        value_of(engine->complete(
            {.lease = claimed.executions.at(0).handle, .result = result, .result_encoding = std::move(encoding)}));
        return json_of({"get", id});
    };
    const auto document = shown_after(R"({"pages": [1, 2.50]})", "json");
    EXPECT_EQ(document.at("result"), boost::json::parse(R"({"pages": [1, 2.5]})"));
    EXPECT_EQ(document.at("result_encoding").as_string(), "json");
    EXPECT_FALSE(document.contains("result_b64"));
    for (const auto& encoding : {std::optional<std::string>("text"), std::optional<std::string>()}) {
        const auto bytes = shown_after("{}", encoding);
        EXPECT_EQ(bytes.at("result_b64").as_string(), "e30=");
        EXPECT_EQ(bytes.contains("result_encoding"), encoding.has_value());
        EXPECT_FALSE(bytes.contains("result"));
    }
    EXPECT_EQ(shown_after("no JSON", "json").at("result_b64").as_string(), "bm8gSlNPTg==");
}

TEST_P(Operator, SeesTheProgressOfAnExecution) {
    const auto id = submit();
    const auto engine = store().open_engine();
    const auto claimed = value_of(engine->claim({.worker_id = "w", .worker_instance_id = "w-1"}));
    ASSERT_EQ(claimed.executions.size(), 1U);
    EXPECT_FALSE(json_of({"get", id}).contains("progress_pct"));
    const auto recorded =
        value_of(engine->progress({.lease = claimed.executions[0].handle, .percent = 40, .message = "page 4 of 10"}));

    const auto shown = json_of({"get", id});
    EXPECT_EQ(shown.at("progress_pct").as_int64(), 40);
    EXPECT_EQ(shown.at("progress_message").as_string(), "page 4 of 10");
    EXPECT_EQ(shown.at("progress_updated_at_ms").as_int64(), recorded.progress_updated_at_ms);
    EXPECT_THAT(run({"get", id}).output, HasSubstr("page 4 of 10"));
}

}  // namespace
}  // namespace flowfabric::test
