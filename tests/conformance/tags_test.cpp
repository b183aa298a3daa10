#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class TagsTest : public StoreTest {
  protected:
    Result<TagsSet> set_tags(const ExecutionId& id, Tags tags) {
        return run(SetExecutionTags{.execution_id = id, .tags = std::move(tags)});
    }
};

TEST_P(TagsTest, AreAddedAndReplaced) {
    CreateExecution command;
    command.tags = {{"app.team", "blue"}, {"app.order", "1"}};
    const ExecutionId id = create(command);
    EXPECT_EQ(value_of(set_tags(id, {{"app.team", "red"}, {"app.step", ""}})), TagsSet{2});
    EXPECT_EQ(view(id).tags, (Tags{{"app.team", "red"}, {"app.order", "1"}, {"app.step", ""}}));
}

TEST_P(TagsTest, MoveNothingElse) {
    const ExecutionId id = create();
    const ExecutionRow before = row(id);
    advance(5);
    value_of(set_tags(id, {{"app.team", "blue"}}));
    ExecutionRow after = row(id);
    EXPECT_EQ(after.last_mutation_at_ms, now());
    after.tags = before.tags;
    after.last_mutation_at_ms = before.last_mutation_at_ms;
    EXPECT_EQ(after, before);
    EXPECT_THAT(operator_events(id), IsEmpty());
    EXPECT_THAT(lease_events(id), IsEmpty());
}

TEST_P(TagsTest, TheSameTagsAgainAreWrittenAgain) {
    const ExecutionId id = create();
    value_of(set_tags(id, {{"app.team", "blue"}}));
    advance(5);
    EXPECT_EQ(value_of(set_tags(id, {{"app.team", "blue"}})), TagsSet{1});
    EXPECT_EQ(row(id).last_mutation_at_ms, now());
}

TEST_P(TagsTest, NoTagsChangeNothing) {
    const ExecutionId id = create();
    advance(5);
    expect_no_change([&] { EXPECT_EQ(value_of(set_tags(id, {})), TagsSet{0}); });
}

TEST_P(TagsTest, KeysHaveAnOwnerAndAName) {
    const ExecutionId id = create();
    EXPECT_EQ(value_of(set_tags(id, {{"cairn.task_id", "7"}})), TagsSet{1});
    expect_no_change([&] {
        for (const std::string key : {"Cairn.x", "cairn.", "cairn..x", "cairn.foo-bar", "cairn", "", ".x", "1a.x"}) {
            expect_error(set_tags(id, {{key, "v"}}), ErrorKind::invalid_input, "tags." + key);
        }
    });
}

TEST_P(TagsTest, AreSetAllOrNone) {
    const ExecutionId id = create();
    expect_no_change([&] {
        expect_error(set_tags(id, {{"app.good", "v"}, {"bad", "v"}, {"app.too", "v"}}), ErrorKind::invalid_input,
                     "tags.bad");
    });
}

TEST_P(TagsTest, AnUnknownExecutionIsNotFound) {
    const ExecutionId unknown{86, Uuid{}};
    expect_error(set_tags(unknown, {{"app.team", "blue"}}), ErrorKind::execution_not_found);
    expect_error(set_tags(unknown, {}), ErrorKind::execution_not_found);
    expect_error(set_tags(unknown, {{"bad", "v"}}), ErrorKind::invalid_input);
    expect_error(set_tags(ExecutionId{256, Uuid{}}, {{"app.team", "blue"}}), ErrorKind::invalid_input);
}

TEST_P(TagsTest, CanBeSetInEveryState) {
    const ExecutionId id = create();
    value_of(set_tags(id, {{"app.waiting", "1"}}));
    const ClaimedExecution claimed = claim();
    value_of(set_tags(id, {{"app.active", "1"}}));
    value_of(renew(claimed.handle));
    value_of(complete(claimed.handle));
    value_of(set_tags(id, {{"app.ended", "1"}}));
    EXPECT_THAT(view(id).tags, SizeIs(3));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(TagsTest, AnyTextIsAValue) {
    const ExecutionId id = create();
    const std::string text = "a \"quoted\" \\ line\nwith ünïcode 日本 and {\"json\": [1]}";
    value_of(set_tags(id, {{"app.text", text}}));
    EXPECT_EQ(view(id).tags.at("app.text"), text);
}

TEST_P(TagsTest, ManySettersOfOneBatchAllGetTheirTag) {
    const ExecutionId id = create();
    int answered = 0;
    for (int i = 0; i < 20; ++i) {
        engine().submit(SetExecutionTags{.execution_id = id, .tags = {{"app.n" + std::to_string(i), "v"}}},
                        [&](const Result<Answer>& answer) { answered += answer ? 1 : 0; });
    }
    engine().settle();
    EXPECT_EQ(answered, 20);
    EXPECT_THAT(view(id).tags, SizeIs(20));
}

TEST_P(TagsTest, LaterEventsCarryTheInstanceTagAsItIsThen) {
    CreateExecution command;
    command.tags = {{"cairn.instance_id", "i-1"}};
    const ExecutionId id = create(command);
    const ClaimedExecution claimed = claim();
    value_of(set_tags(id, {{"cairn.instance_id", "i-2"}}));
    value_of(complete(claimed.handle));
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].instance_tag, "i-1");
    EXPECT_EQ(events[1].instance_tag, "i-2");
    EXPECT_EQ(completion_events(id).at(0).instance_tag, "i-2");
}

INSTANTIATE_TEST_SUITE_P(Stores, TagsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
