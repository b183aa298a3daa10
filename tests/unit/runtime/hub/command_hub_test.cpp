#include "runtime/hub/command_hub.hpp"

#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

TEST(CommandHubTest, AClaimThatMayWaitForHoursDoesNotHideTheDeadlineOfOneBehindIt) {
    SteadyMs now = 0;
    CommandHub hub({}, {}, false, [&] { return now; }, [](const auto& job) { job(); });
    std::vector<std::string> answered;
    const auto submit = [&](const std::string& worker, std::uint64_t wait_ms) {
        hub.submit(*admit(Claim{.worker_id = worker, .worker_instance_id = worker, .max_wait_ms = wait_ms}, Settings{},
                          {1, 2, 3}),
                   30'000, [&answered, worker](const Result<Answer>& answer) {
                       EXPECT_EQ(answer.error().kind, ErrorKind::timeout);
                       answered.push_back(worker);
                   });
    };
    submit("patient", 3'600'000);
    submit("hasty", 0);
    now = 29'999;
    hub.expire();
    EXPECT_TRUE(answered.empty());
    now = 31'000;
    hub.expire();
    EXPECT_EQ(answered, std::vector<std::string>{"hasty"});
}

}  // namespace
}  // namespace flowfabric::test
