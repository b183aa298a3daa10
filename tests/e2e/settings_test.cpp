#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;

class SettingsCommand : public EndToEnd {
  protected:
    boost::json::object setting(std::string_view name) {
        const auto listed = json_of({"settings"});
        for (const auto& one : listed.at("settings").as_array()) {
            if (one.at("name").as_string() == name) return one.as_object();
        }
        throw std::runtime_error("no such setting");
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, SettingsCommand, durable_stores(), name_of_param);

TEST_P(SettingsCommand, ListsAndSets) {
    EXPECT_EQ(setting("execution_retention").at("value").as_string(), "7d");
    EXPECT_FALSE(setting("execution_retention").at("is_set").as_bool());
    EXPECT_EQ(run({"settings", "set", "execution_retention", "48h"}).output, "execution_retention: 7d -> 2d\n");
    const auto shown = setting("execution_retention");
    EXPECT_EQ(shown.at("value").as_string(), "2d");
    EXPECT_EQ(shown.at("default_value").as_string(), "7d");
    EXPECT_TRUE(shown.at("is_set").as_bool());
    EXPECT_EQ(json_of({"settings", "set", "execution_retention", "0"}).at("previous").as_string(), "2d");

    const auto printed = run({"settings"}).output;
    EXPECT_THAT(printed, HasSubstr("execution_retention"));
    EXPECT_THAT(printed, HasSubstr("how long ended executions are kept"));
}

TEST_P(SettingsCommand, RefusesABadNameAndABadValue) {
    expect_typed_error(run({"settings", "--json", "set", "retention", "1h"}), "invalid_input");
    expect_typed_error(run({"settings", "--json", "set", "event_retention", "soon"}), "invalid_input");
    EXPECT_EQ(run({"settings", "set", "event_retention"}).status, 2);
}

// What a running worker does with a failure, from both doors of the program.
TEST_P(SettingsCommand, DefaultRetriesHoldForWhatIsSubmittedWithoutAPolicy) {
    json_of(
        {"settings", "set", "default_retry_policy", R"({"max_retries":1,"backoff":{"type":"fixed","delay_ms":1}})"});
    const auto one = submit();
    const ScratchFile lines;
    std::ofstream(lines.path()) << "{}\n";
    const Finished many = run({"submit", "--kind", "test", "--many", lines.path()});
    ASSERT_EQ(many.status, 0) << many.errors;
    const auto of_many = many.output.substr(0, many.output.find('\n'));
    const auto never = submit({"--max-retries", "0"});

    Process worker(command({"worker", "--", "sh", "-c", "[ $FF_ATTEMPT_INDEX = 1 ]"}));
    await_state(one, "completed");
    await_state(of_many, "completed");
    await_state(never, "failed");
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
}

}  // namespace
}  // namespace flowfabric::test
