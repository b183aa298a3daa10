#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

class Program : public EndToEnd {};
INSTANTIATE_TEST_SUITE_P(Stores, Program, durable_stores(), name_of_param);

TEST_P(Program, ShowsWhatWasSubmitted) {
    const auto submitted = json_of({"submit", "--kind", "monthly", "--lane", "reports", "--payload", "november",
                                    "--priority", "7", "--tag", "team.name=blue", "--capability", "gpu"});
    EXPECT_EQ(submitted.at("public_state").as_string(), "waiting");
    EXPECT_FALSE(submitted.at("duplicate").as_bool());

    const auto shown = json_of({"get", text(submitted.at("execution_id"))});
    EXPECT_EQ(shown.at("execution_id"), submitted.at("execution_id"));
    EXPECT_EQ(shown.at("state_vector").at("eligibility_state").as_string(), "eligible_now");
    EXPECT_EQ(shown.at("execution_kind").as_string(), "monthly");
    EXPECT_EQ(shown.at("lane_id").as_string(), "reports");
    EXPECT_EQ(shown.at("priority").as_int64(), 7);
    EXPECT_EQ(shown.at("tags").at("team.name").as_string(), "blue");
    EXPECT_EQ(shown.at("required_capabilities").at(0).as_string(), "gpu");
    EXPECT_TRUE(shown.at("attempts").as_array().empty());
}

TEST_P(Program, NamesTheOriginalOfADuplicate) {
    const auto first = json_of({"submit", "--kind", "once", "--idempotency-key", "k"});
    const auto second = json_of({"submit", "--kind", "once", "--idempotency-key", "k"});
    EXPECT_EQ(second.at("execution_id"), first.at("execution_id"));
    EXPECT_TRUE(second.at("duplicate").as_bool());
}

TEST_P(Program, ListsPageByPage) {
    std::set<std::string> submitted;
    for (int i = 0; i < 3; ++i) submitted.insert(submit());
    submit({"--delay", "1h"});

    std::set<std::string> listed;
    std::vector<std::string> arguments{"list", "--state", "waiting", "--limit", "2"};
    for (int pages = 1;; ++pages) {
        const auto page = json_of(arguments);
        for (const auto& execution : page.at("executions").as_array()) {
            listed.insert(std::string(execution.at("execution_id").as_string()));
        }
        if (!page.contains("next_cursor")) {
            EXPECT_EQ(pages, 2);
            break;
        }
        arguments = {"list", "--state", "waiting", "--limit", "2", "--after", text(page.at("next_cursor"))};
    }
    EXPECT_EQ(listed, submitted);
    EXPECT_EQ(json_of({"list", "--state", "delayed"}).at("executions").as_array().size(), 1U);
}

TEST_P(Program, ListsOnePartition) {
    const std::string here = "{fp:7}:00000000-0000-0000-0000-000000000001";
    submit({"--id", here});
    submit({"--id", "{fp:8}:00000000-0000-0000-0000-000000000002"});

    const auto page = json_of({"list", "--partition", "7"});
    ASSERT_EQ(page.at("executions").as_array().size(), 1U);
    EXPECT_EQ(page.at("executions").at(0).at("execution_id").as_string(), here);
    EXPECT_TRUE(json_of({"list", "--partition", "9"}).at("executions").as_array().empty());
    expect_typed_error(run({"list", "--json", "--partition", "256"}), "invalid_input");
}

TEST_P(Program, PrintsForPeopleWithoutJson) {
    const auto submitted = run({"submit", "--kind", "test"});
    ASSERT_EQ(submitted.status, 0);
    const std::string id = submitted.output.substr(0, submitted.output.find('\n'));
    EXPECT_TRUE(ExecutionId::parse(id));
    EXPECT_THAT(run({"get", id}).output, ::testing::HasSubstr("waiting"));
    EXPECT_THAT(run({"list"}).output, ::testing::HasSubstr(id));
    EXPECT_THAT(run({"migrate"}).output, ::testing::HasSubstr("is current"));
}

TEST_P(Program, RefusesWithATypedErrorAndStatusOne) {
    for (const std::string command : {"get", "attempts", "explain", "cancel"}) {
        SCOPED_TRACE(command);
        expect_typed_error(run({command, "--json", "{fp:1}:00000000-0000-0000-0000-000000000001"}),
                           "execution_not_found");
        expect_typed_error(run({command, "--json", "nonsense"}), "invalid_input");
    }
    expect_typed_error(run({"lanes", "--json", "pause", ""}), "invalid_input");
    expect_typed_error(run({"submit", "--json", "--kind", "test", "--lane", ""}), "invalid_input");
    expect_typed_error(run({"submit", "--json", "--kind", "test", "--policy", "{"}), "invalid_policy_json");
    EXPECT_THAT(run({"get", "nonsense"}).errors, ::testing::StartsWith("ff: invalid_input: "));
}

TEST_P(Program, AnswersWrongUsageWithStatusTwo) {
    EXPECT_EQ(run_ff({}).status, 2);
    EXPECT_EQ(run_ff({"nonsense"}).status, 2);
    EXPECT_EQ(run({"submit"}).status, 2);
    EXPECT_EQ(run({"list", "--state", "nonsense"}).status, 2);
    EXPECT_EQ(run({"list", "--partition", "nonsense"}).status, 2);
    EXPECT_EQ(run({"cancel"}).status, 2);
    EXPECT_EQ(run({"lanes", "pause"}).status, 2);
    EXPECT_EQ(run({"lanes", "nonsense", "reports"}).status, 2);
    EXPECT_EQ(run({"worker", "--lease-ttl", "1ms", "--", "true"}).status, 2);
    EXPECT_EQ(run_ff({"--help"}).status, 0);
    EXPECT_EQ(run_ff({"version"}).status, 0);
}

TEST_P(Program, ReportsAStoreThatIsNotThere) {
    const auto store = GetParam() == StoreKind::sqlite ? "sqlite:/nonexistent/directory/store.db"
                                                       : "postgres://postgres@127.0.0.1:1/postgres";
    const auto finished = run_ff({"list", "--store", store, "--json"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_FALSE(boost::json::parse(finished.errors).at("error").as_string().empty());
}

// ---- migrations -------------------------------------------------------------------------------------------------

class Migrations : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (have_store(GetParam())) store_ = std::make_unique<LiveStore>(GetParam(), Schema::none);
    }
    std::unique_ptr<LiveStore> store_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Migrations, durable_stores(), name_of_param);

TEST_P(Migrations, AreAppliedOnceByManyEnginesAtOnce) {
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < 3; ++i) {
        processes.push_back(std::make_unique<Process>(ff({"migrate", "--json", "--store", store_->url()})));
    }
    const auto engine = value_of(Engine::open({.store = store_->url()}));
    std::set<std::string> applied;
    for (const auto& process : processes) {
        ASSERT_EQ(process->wait(), 0) << process->errors();
        const auto answer = boost::json::parse(process->output());
        for (const auto& step : answer.at("applied").as_array()) {
            EXPECT_TRUE(applied.insert(std::string(step.as_string())).second) << step << " was applied twice";
        }
    }
    EXPECT_TRUE(engine->create_execution({}));
    EXPECT_EQ(value_of(migrate(store_->url())), std::vector<std::string>{});
}

TEST_P(Migrations, AreNotAppliedByThoseWhoMayNot) {
    const auto refused = run_ff({"list", "--no-migrate", "--json", "--store", store_->url()});
    EXPECT_EQ(refused.status, 1);
    EXPECT_EQ(boost::json::parse(refused.errors).at("error").as_string(), "unavailable");
    EXPECT_EQ(run_ff({"migrate", "--store", store_->url()}).status, 0);
    EXPECT_EQ(run_ff({"list", "--no-migrate", "--store", store_->url()}).status, 0);
}

}  // namespace
}  // namespace flowfabric::test
