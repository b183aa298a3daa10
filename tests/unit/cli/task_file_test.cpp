#include "cli/process/task_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/handle_codec.hpp"

namespace flowfabric::cli {
namespace {

using ::testing::HasSubstr;

Handle lease() {
    return encode_handle(BackendTag::sqlite, HandleKind::fresh,
                         HandleContent{.lane_id = "l", .worker_instance_id = "w"});
}

TEST(TaskFile, HoldsOneOutcome) {
    const auto completed = parse_task_outcome(R"({"outcome": "complete", "result": [1]})", lease());
    ASSERT_TRUE(completed);
    EXPECT_EQ(std::get<sdk::TaskSuccess>(*completed).result, "[1]");
    EXPECT_EQ(std::get<sdk::TaskSuccess>(*completed).result_encoding, "json");

    const auto failed = parse_task_outcome(R"({"outcome": "fail", "reason": "r", "category": "permanent"})", lease());
    ASSERT_TRUE(failed);
    EXPECT_EQ(std::get<sdk::TaskFailure>(*failed).category, "permanent");

    const auto delayed = parse_task_outcome(R"({"outcome": "delay", "delay_until_ms": 17})", lease());
    ASSERT_TRUE(delayed);
    EXPECT_EQ(std::get<sdk::TaskDelay>(*delayed).until_ms, 17);

    const auto suspended = parse_task_outcome(
        R"({"outcome": "suspend", "waitpoints": [{"Fresh": {"waitpoint_key": "a"}}], "resume_condition": "OperatorOnly"})",
        lease());
    ASSERT_TRUE(suspended) << suspended.error().detail;
    EXPECT_EQ(std::get<sdk::TaskSuspension>(*suspended).wait.waitpoints.size(), 1U);
}

TEST(TaskFile, RefusesWhatIsNoOutcomeByItsField) {
    for (const char* text : {"[]", "{}", R"({"outcome": 1})", R"({"outcome": "explode"})"}) {
        const auto outcome = parse_task_outcome(text, lease());
        ASSERT_FALSE(outcome) << text;
        EXPECT_THAT(outcome.error().detail, HasSubstr("outcome: ")) << text;
    }
    EXPECT_THAT(parse_task_outcome(R"({"outcome": "delay"})", lease()).error().detail, HasSubstr("delay_until_ms"));
}

TEST(TaskFile, IsEmptyAtFirstAndGoneAtTheEnd) {
    std::string path;
    {
        const TaskFile file;
        path = file.path();
        EXPECT_FALSE(file.outcome(lease()));
        std::ofstream(path) << "{";
        const auto damaged = file.outcome(lease());
        ASSERT_TRUE(damaged);
        EXPECT_EQ(std::get<sdk::TaskFailure>(*damaged).category, "permanent");
    }
    EXPECT_FALSE(std::ifstream(path));
}

}  // namespace
}  // namespace flowfabric::cli
