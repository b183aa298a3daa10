#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConsumersCommand : public EndToEnd {
  protected:
    // Ends one execution, which is one completion event.
    std::string end_one() {
        const auto id = submit({});
        json_of({"cancel", id});
        return id;
    }
    // Follows as the consumer until all of these are shown.
    std::string follow(const std::vector<std::string>& ids) {
        Process following(command({"tail", "--json", "--consumer", "billing", "--from", "start"}));
        for (const auto& id : ids) following.await_line(id);
        following.signal(SIGTERM);
        EXPECT_EQ(following.wait(), 0) << following.errors();
        return following.output();
    }
    // Without a cursor: where it stood.
    std::string go_on(const std::vector<std::string>& ids) {
        Process following(command({"tail", "--json", "--consumer", "billing"}));
        for (const auto& id : ids) following.await_line(id);
        following.signal(SIGTERM);
        EXPECT_EQ(following.wait(), 0) << following.errors();
        return following.output();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ConsumersCommand, durable_stores(), name_of_param);

TEST_P(ConsumersCommand, ADurableTailGoesOnWhereItStood) {
    const auto first = end_one();
    follow({first});
    const auto second = end_one();
    const auto third = end_one();
    EXPECT_THAT(go_on({second, third}), Not(HasSubstr(first)));
    const auto fourth = end_one();
    EXPECT_THAT(go_on({fourth}), Not(HasSubstr(third)));
}

TEST_P(ConsumersCommand, AreListedAndRemoved) {
    const auto first = end_one();
    follow({first});
    const auto listed = json_of({"consumers"}).at("consumers").as_array();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].at("channel").as_string(), "completion");
    EXPECT_EQ(listed[0].at("consumer").as_string(), "billing");
    EXPECT_EQ(listed[0].at("cursor").as_string().size(), 18U);

    EXPECT_FALSE(json_of({"consumers", "remove", "billing", "--channel", "lease"}).at("existed").as_bool());
    EXPECT_TRUE(json_of({"consumers", "remove", "billing"}).at("existed").as_bool());
    EXPECT_EQ(json_of({"consumers"}).at("consumers").as_array().size(), 0U);
}

}  // namespace
}  // namespace flowfabric::test
