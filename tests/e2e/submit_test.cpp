#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

class Submit : public EndToEnd {
  protected:
    std::vector<boost::json::object> submit_many(const std::string& lines, std::vector<std::string> options = {}) {
        const ScratchFile file;
        std::ofstream(file.path()) << lines;
        options.insert(options.begin(), {"submit", "--json", "--many", file.path()});
        const auto finished = run(std::move(options));
        status_ = finished.status;
        EXPECT_EQ(finished.errors, "");
        std::vector<boost::json::object> outcomes;
        std::istringstream output(finished.output);
        for (std::string line; std::getline(output, line);) outcomes.push_back(boost::json::parse(line).as_object());
        return outcomes;
    }
    boost::json::object submitted(const boost::json::object& outcome) {
        return json_of({"get", text(outcome.at("execution_id"))});
    }
    int status() const { return status_; }

  private:
    int status_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, Submit, durable_stores(), name_of_param);

TEST_P(Submit, TakesEveryOption) {
    const auto id = submit({"--namespace", "blue", "--lane", "reports", "--priority", "7", "--delay", "1h",
                            "--deadline", "2h", "--tag", "a.b=c", "--capability", "gpu", "--idempotency-key", "k",
                            "--policy", R"({"max_reclaim_count": 2})"});
    const auto shown = json_of({"get", id});
    EXPECT_EQ(shown.at("namespace").as_string(), "blue");
    EXPECT_EQ(shown.at("lane_id").as_string(), "reports");
    EXPECT_EQ(shown.at("priority").as_int64(), 7);
    EXPECT_EQ(shown.at("public_state").as_string(), "delayed");
    EXPECT_EQ(shown.at("execution_deadline_at_ms").as_int64() - shown.at("created_at_ms").as_int64(), 7'200'000);
    EXPECT_EQ(shown.at("tags").at("a.b").as_string(), "c");
    EXPECT_EQ(shown.at("required_capabilities").at(0).as_string(), "gpu");
    EXPECT_EQ(submit({"--namespace", "blue", "--idempotency-key", "k"}), id);
    EXPECT_NE(submit({"--idempotency-key", "k"}), id);
}

TEST_P(Submit, ManyTakesOneSubmissionFromEachLine) {
    const auto outcomes =
        submit_many(R"({"input": {"month": 11}, "lane_id": "reports", "priority": 7, "namespace": "blue"})"
                    "\n\n"
                    R"({"execution_kind": "yearly", "input": "@/etc/passwd", "delay_until_ms": 9000000000000,)"
                    R"( "tags": {"a.b": "c"}, "policy": {"timeout_policy": {"execution_deadline_ms": 7200000}}})"
                    "\n"
                    R"({"policy": {"routing_requirements": {"required_capabilities": ["gpu"]}}, "input": 1.5})"
                    "\n"
                    R"({"input_b64": "AP8="})"
                    "\n{}",
                    {"--kind", "monthly", "--tag", "x.y=z", "--payload", "usual"});
    EXPECT_EQ(status(), 0);
    ASSERT_EQ(outcomes.size(), 5U);
    EXPECT_EQ(outcomes[1].at("line").as_int64(), 3);

    const auto first = submitted(outcomes[0]);
    EXPECT_EQ(first.at("execution_kind").as_string(), "monthly");
    EXPECT_EQ(first.at("lane_id").as_string(), "reports");
    EXPECT_EQ(first.at("priority").as_int64(), 7);
    EXPECT_EQ(first.at("namespace").as_string(), "blue");
    const auto second = submitted(outcomes[1]);
    EXPECT_EQ(second.at("execution_kind").as_string(), "yearly");
    EXPECT_EQ(second.at("public_state").as_string(), "delayed");
    EXPECT_EQ(second.at("execution_deadline_at_ms").as_int64() - second.at("created_at_ms").as_int64(), 7'200'000);
    EXPECT_EQ(second.at("tags").as_object(), (boost::json::object{{"a.b", "c"}}));
    EXPECT_EQ(first.at("tags").as_object(), (boost::json::object{{"x.y", "z"}}));
    EXPECT_EQ(submitted(outcomes[2]).at("required_capabilities").at(0).as_string(), "gpu");

    const auto engine = store().open_engine();
    const auto input = [&](const auto& outcome) {
        const auto id = value_of(ExecutionId::parse(text(outcome.at("execution_id"))));
        return value_of(engine->get_execution_input(id)).value_or("");
    };
    EXPECT_EQ(input(outcomes[0]), R"({"month":11})");
    EXPECT_EQ(input(outcomes[1]), "\"@/etc/passwd\"");
    EXPECT_EQ(input(outcomes[2]), "1.5");
    EXPECT_EQ(input(outcomes[3]), std::string("\0\xFF", 2));
    EXPECT_EQ(input(outcomes[4]), "usual");
}

TEST_P(Submit, ManyGoesOnAfterABadLineAndNamesItAndItsField) {
    const auto outcomes = submit_many(
        "{\"idempotency_key\": \"k\"}\n"
        "{\"priority\": \"high\"}\n"
        "{\"idempotency_key\": \"k\"}\n"
        "{\"lane_id\": \"\"}\n"
        "{\n"
        "{\"colour\": \"blue\"}\n"
        "{\"policy\": {\"retry_policy\": {\"max_retries\": -1}}}\n"
        "{\"delay_until_ms\": \"soon\"}\n"
        "{\"execution_kind\": \"last\"}\n",
        {"--kind", "first"});
    EXPECT_EQ(status(), 1);
    ASSERT_EQ(outcomes.size(), 9U);
    const auto expect_refused = [&](std::size_t line, std::string_view kind, const std::string& field) {
        const auto& outcome = outcomes[line - 1];
        EXPECT_EQ(outcome.at("line").as_int64(), line);
        EXPECT_EQ(outcome.at("error").as_string(), kind);
        EXPECT_THAT(std::string(outcome.at("detail").as_string()), ::testing::HasSubstr(field));
    };
    expect_refused(2, "invalid_input", "priority: ");
    expect_refused(4, "invalid_input", "lane_id: ");
    expect_refused(5, "invalid_input", "JSON: ");
    expect_refused(6, "invalid_input", "colour: ");
    expect_refused(7, "invalid_policy_json", "retry_policy.max_retries: ");
    expect_refused(8, "invalid_input", "delay_until_ms: ");
    EXPECT_EQ(outcomes[2].at("execution_id"), outcomes[0].at("execution_id"));
    EXPECT_TRUE(outcomes[2].at("duplicate").as_bool());
    EXPECT_EQ(submitted(outcomes[8]).at("execution_kind").as_string(), "last");
    EXPECT_EQ(json_of({"list"}).at("executions").as_array().size(), 2U);
}

TEST_P(Submit, ManyPrintsIdsAndErrorsForPeople) {
    const auto script = "printf '%s\\n' '{}' '{\"execution_kind\": 1}' '{\"execution_kind\": \"b\"}' | \"$@\"";
    std::vector<std::string> piped{"sh", "-c", script, "sh"};
    for (auto& part : command({"submit", "--kind", "a", "--many", "-"})) piped.push_back(std::move(part));
    Process process(std::move(piped));
    EXPECT_EQ(process.wait(), 1);
    EXPECT_EQ(process.errors(), "ff: invalid_input: line 2: execution_kind: must be a string\n");

    std::istringstream ids(process.output());
    std::vector<std::string> kinds;
    for (std::string id; std::getline(ids, id);) {
        kinds.emplace_back(json_of({"get", id}).at("execution_kind").as_string());
    }
    EXPECT_THAT(kinds, ::testing::ElementsAre("a", "b"));
}

TEST_P(Submit, ManyNeedsAKindOnEachLineAndAFileThatIsThere) {
    const auto outcomes = submit_many("{}\n");
    EXPECT_EQ(status(), 1);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].at("detail").as_string(), "execution_kind: is required");
    expect_typed_error(run({"submit", "--json", "--many", "/nonexistent"}), "invalid_input");
    expect_typed_error(run({"submit", "--json", "--many", "-", "--payload", "-"}), "invalid_input");
}

}  // namespace
}  // namespace flowfabric::test
