#include "e2e/e2e_test.hpp"

// `ff list` by what executions have in common, and `ff bulk`.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;

class BulkCommands : public EndToEnd {
  protected:
    std::size_t listed(std::vector<std::string> filter) {
        filter.insert(filter.begin(), "list");
        return json_of(std::move(filter)).at("executions").as_array().size();
    }
    Finished bulk(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bulk");
        arguments.insert(arguments.end(), {"--store", store().url()});
        return run_ff(std::move(arguments));
    }
    boost::json::object bulk_json(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const Finished finished = bulk(std::move(arguments));
        if (finished.status != 0) throw std::runtime_error(finished.errors);
        return boost::json::parse(finished.output).as_object();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, BulkCommands, durable_stores(), name_of_param);

TEST_P(BulkCommands, ListsWhatMatchesTheNewestFirst) {
    const std::string first = submit({"--lane", "mail", "--tag", "shop.customer=ada"});
    const std::string second = submit({"--lane", "mail"});
    submit({"--lane", "other"});
    const auto page = json_of({"list", "--lane", "mail"});
    ASSERT_EQ(page.at("executions").as_array().size(), 2U);
    EXPECT_EQ(text(page.at("executions").at(0).at("execution_id")), second);
    EXPECT_EQ(listed({"--tag", "shop.customer=ada"}), 1U);
    EXPECT_EQ(listed({"--kind", "test", "--state", "waiting", "--state", "active"}), 3U);
    EXPECT_EQ(listed({"--namespace", "nobody"}), 0U);
    EXPECT_EQ(listed({"--newer-than", "1h"}), 3U);
    EXPECT_EQ(listed({"--older-than", "1h"}), 0U);
    EXPECT_EQ(run({"list", "--tag", "nonsense"}).status, 2);
    expect_typed_error(run({"list", "--json", "--partition", "7", "--lane", "mail"}), "invalid_input");
}

TEST_P(BulkCommands, ListGoesOnBehindManyThatDoNotMatch) {
    const std::string rare = submit({"--delay", "1h"});
    const ScratchFile others;
    {
        // More than one page of a search looks at.
        std::ofstream lines(others.path());
        for (int i = 0; i < 10'500; ++i) lines << "{\"execution_kind\": \"test\"}\n";
    }
    ASSERT_EQ(run({"submit", "--many", others.path()}).status, 0);
    const auto page = json_of({"list", "--state", "delayed"});
    ASSERT_EQ(page.at("executions").as_array().size(), 1U);
    EXPECT_EQ(text(page.at("executions").at(0).at("execution_id")), rare);
    EXPECT_FALSE(page.contains("next_cursor"));
    EXPECT_EQ(run({"list", "--state", "active"}).output, "No executions.\n");
}

TEST_P(BulkCommands, CancelAllThatMatches) {
    for (int i = 0; i < 3; ++i) submit({"--lane", "mail"});
    const std::string other = submit({"--lane", "other"});
    EXPECT_EQ(bulk_json({"cancel", "--lane", "mail", "--preview"}).at("count"), 3);
    const auto done = bulk_json({"cancel", "--lane", "mail", "--reason", "not needed", "--wait"});
    EXPECT_EQ(done.at("state"), "done");
    EXPECT_EQ(done.at("done_count"), 3);
    EXPECT_EQ(state_of(other), "waiting");
    const std::string id = text(done.at("operation_id"));
    EXPECT_EQ(bulk_json({"show", id}).at("reason"), "not needed");
    EXPECT_EQ(bulk_json({"list"}).at("operations").as_array().size(), 1U);
    EXPECT_EQ(bulk_json({"stop", id}).at("state"), "done") << "it is too late";
    EXPECT_THAT(bulk({"list"}).output, HasSubstr(id));
}

TEST_P(BulkCommands, NeverMeanEverything) {
    submit();
    expect_typed_error(bulk({"cancel", "--json"}), "invalid_input");
    expect_typed_error(bulk({"show", "--json", "01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69"}), "bulk_operation_not_found");
}

}  // namespace
}  // namespace flowfabric::test
