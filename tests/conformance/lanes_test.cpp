#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using enum LaneState;

CreateExecution create_on(std::string lane) {
    CreateExecution command;
    command.lane_id = std::move(lane);
    return command;
}

Claim claim_on(std::vector<std::string> lanes, std::uint32_t count = 10) {
    Claim command = claim_by("w1");
    command.lanes = std::move(lanes);
    command.max_count = count;
    return command;
}

class LanesTest : public ApiTest {};

TEST_P(LanesTest, AChangeIsStoredAndTold) {
    create();
    const std::int64_t registered = now();
    advance(5);
    EXPECT_EQ(value_of(set_lane("default", paused)), (LaneChanged{"default", active, paused}));

    const LaneRow lane = snapshot().of<LaneRow>().at({"default"});
    EXPECT_EQ(lane.lane_state, paused);
    EXPECT_EQ(lane.state_changed_at_ms, now());
    EXPECT_EQ(lane.registered_at_ms, registered);
    EXPECT_EQ(lane.registered_by, "create_execution");

    const auto events = lane_events();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::lane_state_changed);
    EXPECT_EQ(events[0].subject_kind, SubjectKind::lane);
    EXPECT_EQ(events[0].partition_key, 0);
    EXPECT_FALSE(events[0].subject_id || events[0].namespace_name || events[0].instance_tag);
    EXPECT_EQ(events[0].details.text, R"({"from":"active","lane_id":"default","to":"paused"})");
    EXPECT_EQ(events[0].occurred_at_ms, now());
}

TEST_P(LanesTest, EveryStateFollowsEveryOther) {
    create();
    const std::vector<LaneState> states{active, paused, draining, disabled};
    LaneState last = active;
    for (const LaneState from : states) {
        for (const LaneState to : states) {
            value_of(set_lane("default", from));
            EXPECT_EQ(value_of(set_lane("default", to)), (LaneChanged{"default", from, to}));
            last = to;
        }
    }
    EXPECT_EQ(snapshot().of<LaneRow>().at({"default"}).lane_state, last);
}

TEST_P(LanesTest, ARepeatedStateWritesNothing) {
    create();
    for (const LaneState state : {active, paused, draining, disabled}) {
        value_of(set_lane("default", state));
        advance(5);
        expect_no_change(
            [&] { EXPECT_EQ(value_of(set_lane("default", state)), (LaneChanged{"default", state, state})); });
    }
}

TEST_P(LanesTest, AnUnknownLaneIsRegistered) {
    advance(5);
    EXPECT_EQ(value_of(set_lane("new", draining)), (LaneChanged{"new", std::nullopt, draining}));
    EXPECT_EQ(snapshot().of<LaneRow>().at({"new"}), (LaneRow{.key = {"new"},
                                                             .registered_at_ms = now(),
                                                             .registered_by = "set_lane_state",
                                                             .lane_state = draining,
                                                             .state_changed_at_ms = now()}));
    ASSERT_THAT(lane_events(), SizeIs(1));
    EXPECT_EQ(lane_events()[0].details.text, R"({"from":"active","lane_id":"new","to":"draining"})");
    expect_error(run(create_on("new")), ErrorKind::invalid_input, "lane_not_accepting");
}

TEST_P(LanesTest, ALaneThatIsRegisteredActiveHasNotChanged) {
    EXPECT_EQ(value_of(set_lane("new", active)), (LaneChanged{"new", std::nullopt, active}));
    EXPECT_TRUE(snapshot().of<LaneRow>().contains({"new"}));
    EXPECT_THAT(lane_events(), IsEmpty());
    create(create_on("new"));
}

TEST_P(LanesTest, LaneIdsAreChecked) {
    expect_no_change([&] {
        for (const std::string& lane : {std::string(), std::string(65, 'x'), std::string("a\x7f"), std::string("ü")}) {
            expect_error(set_lane(lane, paused), ErrorKind::invalid_input, "lane_id");
        }
    });
}

TEST_P(LanesTest, AcceptsNothingWhileDrainingOrDisabled) {
    create();
    for (const LaneState closed : {draining, disabled}) {
        value_of(set_lane("default", closed));
        CreateExecution keyed;
        keyed.idempotency_key = "key";
        expect_no_change([&] {
            expect_error(run(CreateExecution{}), ErrorKind::invalid_input, "lane_not_accepting");
            expect_error(run(keyed), ErrorKind::invalid_input, "lane_not_accepting");
        });
        create(create_on("other"));
    }
    value_of(set_lane("default", active));
    create();
}

TEST_P(LanesTest, APausedLaneAccepts) {
    value_of(set_lane("default", paused));
    EXPECT_EQ(state(create()), PublicState::waiting);
}

TEST_P(LanesTest, ADuplicateIsADuplicateOnAClosedLaneToo) {
    CreateExecution keyed;
    keyed.idempotency_key = "key";
    const ExecutionId original = create(keyed);
    for (const LaneState closed : {draining, disabled}) {
        value_of(set_lane("default", closed));
        CreateExecution same_id;
        same_id.execution_id = original;
        expect_no_change([&] {
            EXPECT_EQ(value_of(run(keyed)), (Created{original, true, std::nullopt}));
            EXPECT_EQ(value_of(run(same_id)), (Created{original, true, std::nullopt}));
        });
    }
}

TEST_P(LanesTest, HandsOutNothingWhilePausedOrDisabled) {
    const ExecutionId id = create();
    for (const LaneState closed : {paused, disabled}) {
        value_of(set_lane("default", closed));
        expect_no_change([&] { EXPECT_THAT(claimed_ids(claim_on({"default"})), IsEmpty()); });
    }
    value_of(set_lane("default", active));
    EXPECT_THAT(claimed_ids(claim_on({"default"})), ElementsAre(id));
}

TEST_P(LanesTest, ADrainingLaneHandsOutWhatItHas) {
    const ExecutionId id = create();
    value_of(set_lane("default", draining));
    EXPECT_THAT(claimed_ids(claim_on({"default"})), ElementsAre(id));
}

TEST_P(LanesTest, AClaimOnSeveralLanesGetsTheWorkOfTheOpenOnes) {
    const ExecutionId open = create(create_on("open"));
    const ExecutionId stopped = create(create_on("stopped"));
    const ExecutionId draining_one = create(create_on("draining"));
    create(create_on("gone"));
    value_of(set_lane("stopped", paused));
    value_of(set_lane("draining", draining));
    value_of(set_lane("gone", disabled));
    const Claim all = claim_on({"open", "stopped", "draining", "gone"});
    EXPECT_THAT(claimed_ids(all), UnorderedElementsAre(open, draining_one));
    EXPECT_THAT(claimed_ids(all), IsEmpty());
    value_of(set_lane("stopped", active));
    EXPECT_THAT(claimed_ids(all), ElementsAre(stopped));
}

TEST_P(LanesTest, AWorkerOnAPausedLaneFinishesWhatItHolds) {
    const ExecutionId id = create_with(retries(1, 0));
    const ClaimedExecution claimed = claim();
    value_of(set_lane("default", disabled));
    value_of(renew(claimed.handle));
    value_of(progress(claimed.handle));
    fail_with_retry(claimed.handle);
    EXPECT_THAT(claimed_ids(claim_on({"default"})), IsEmpty());
    value_of(set_lane("default", draining));
    value_of(complete(claim().handle));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(LanesTest, LostResumedAndPromotedWorkWaitsForThePausedLaneToo) {
    const ExecutionId lost = create();
    claim("w1");
    const ExecutionId resumable = create();
    const ClaimedExecution interrupted = claim("w2");
    CreateExecution later;
    later.delay_until_ms = now() + 1000;
    const ExecutionId promoted = create(later);
    value_of(delay(interrupted.handle, now()));
    value_of(set_lane("default", paused));
    let_lease_lapse();
    EXPECT_EQ(state(promoted), PublicState::waiting);
    EXPECT_THAT(claimed_ids(claim_on({"default"})), IsEmpty());
    value_of(set_lane("default", active));
    EXPECT_THAT(claimed_ids(claim_on({"default"})), UnorderedElementsAre(lost, resumable, promoted));
}

TEST_P(LanesTest, AResumedLaneWakesAClaimThatWaits) {
    const ExecutionId id = create();
    value_of(set_lane("default", paused));
    Claim waiting = claim_on({"default"});
    waiting.max_wait_ms = 60'000;
    std::vector<ExecutionId> found;
    engine().submit(waiting, collect_claimed(found));
    EXPECT_THAT(claimed_ids(claim_on({"default"})), IsEmpty());
    value_of(set_lane("default", active));
    engine().settle();
    EXPECT_THAT(found, ElementsAre(id));
}

TEST_P(LanesTest, AClaimThatWaitsObeysAPauseThatComesMeanwhile) {
    create();
    claim("w1");
    const auto other = another_engine();
    Claim waiting = claim_on({"default"});
    waiting.max_wait_ms = 5000;
    std::vector<ExecutionId> found;
    for (Simulation* at : {&engine(), other.get()}) {
        EXPECT_THAT(value_of(at->run(claim_on({"default"}))).executions, IsEmpty());
        at->submit(waiting, collect_claimed(found));
    }
    value_of(set_lane("default", paused));
    const ExecutionId id = create();
    engine().settle();
    other->settle();
    EXPECT_THAT(found, IsEmpty());
    EXPECT_EQ(state(id), PublicState::waiting);
}

TEST_P(LanesTest, AnotherEngineObeysAtOnce) {
    const auto other = another_engine();
    create();
    EXPECT_THAT(value_of(other->run(claim_on({"default"}))).executions, SizeIs(1)) << "so it knows the lane as active";
    const ExecutionId id = create();

    value_of(set_lane("default", disabled));
    expect_no_change([&] {
        EXPECT_THAT(value_of(other->run(claim_on({"default"}))).executions, IsEmpty());
        expect_error(other->run(CreateExecution{}), ErrorKind::invalid_input, "lane_not_accepting");
    });
    value_of(set_lane("default", draining));
    expect_error(other->run(CreateExecution{}), ErrorKind::invalid_input, "lane_not_accepting");
    const Claimed drained = value_of(other->run(claim_on({"default"})));
    ASSERT_THAT(drained.executions, SizeIs(1));
    EXPECT_EQ(drained.executions[0].execution_id, id);
    value_of(set_lane("default", active));
    EXPECT_FALSE(value_of(other->run(CreateExecution{})).duplicate);
}

TEST_P(LanesTest, AnEngineObeysTheLanesThatAnotherClosedBeforeItBegan) {
    create();
    value_of(set_lane("default", disabled));
    const auto fresh = another_engine();
    EXPECT_THAT(value_of(fresh->run(claim_on({"default"}))).executions, IsEmpty());
    expect_error(fresh->run(CreateExecution{}), ErrorKind::invalid_input, "lane_not_accepting");
}

TEST_P(LanesTest, EnginesChangeLanesInTurn) {
    const auto other = another_engine();
    create();
    EXPECT_EQ(value_of(other->run(SetLaneState{"default", paused})), (LaneChanged{"default", active, paused}));
    EXPECT_EQ(value_of(set_lane("default", disabled)), (LaneChanged{"default", paused, disabled}));
    EXPECT_EQ(value_of(other->run(SetLaneState{"default", active})), (LaneChanged{"default", disabled, active}));
    EXPECT_THAT(lane_events(), SizeIs(3));
    EXPECT_THAT(claimed_ids(claim_on({"default"})), SizeIs(1));
}

TEST_P(LanesTest, AChangeHoldsForWhatFollowsInItsBatch) {
    create();
    std::vector<std::string> answers;
    const auto create_one = [&] {
        engine().submit(CreateExecution{}, [&](const Result<Answer>& answer) {
            answers.push_back(answer ? "created" : std::string(name_of(answer.error().kind)));
        });
    };
    const auto change = [&](LaneState state) {
        engine().submit(SetLaneState{"default", state}, [&](const Result<Answer>& answer) {
            answers.emplace_back(to_string(answer_of<LaneChanged>(answer).state));
        });
    };
    create_one();
    change(draining);
    create_one();
    change(paused);
    create_one();
    change(disabled);
    create_one();
    engine().settle();
    EXPECT_THAT(answers,
                ElementsAre("created", "draining", "invalid_input", "paused", "created", "disabled", "invalid_input"));
    EXPECT_EQ(snapshot().executions.size(), 3U);
    EXPECT_EQ(snapshot().of<LaneRow>().at({"default"}).lane_state, disabled);
    EXPECT_THAT(lane_events(), SizeIs(3));
}

TEST_P(LanesTest, AClaimBehindAPauseInItsBatchGetsNothing) {
    const ExecutionId id = create();
    const ExecutionId elsewhere = create(create_on("other"));
    std::vector<ExecutionId> found;
    engine().submit(SetLaneState{"default", paused}, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    engine().submit(claim_on({"default", "other"}), collect_claimed(found));
    engine().settle();
    EXPECT_THAT(found, ElementsAre(elsewhere));
    EXPECT_EQ(state(id), PublicState::waiting);
}

TEST_P(LanesTest, AClaimBehindAResumeInItsBatchGetsTheWork) {
    const ExecutionId id = create();
    value_of(set_lane("default", paused));
    std::vector<ExecutionId> found;
    engine().submit(SetLaneState{"default", active}, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    engine().submit(claim_on({"default"}), collect_claimed(found));
    engine().settle();
    EXPECT_THAT(found, ElementsAre(id));
}

TEST_P(LanesTest, CreateDrainAndClaimOfOneBatchOnANewLane) {
    std::vector<ExecutionId> found;
    std::optional<Result<Answer>> created;
    std::optional<Result<Answer>> refused;
    engine().submit(create_on("new"), [&](Result<Answer> answer) { created = std::move(answer); });
    engine().submit(SetLaneState{"new", draining}, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    engine().submit(create_on("new"), [&](Result<Answer> answer) { refused = std::move(answer); });
    engine().settle();
    ASSERT_TRUE(created && refused);
    expect_error(*refused, ErrorKind::invalid_input, "lane_not_accepting");
    engine().submit(claim_on({"new"}), collect_claimed(found));
    engine().settle();
    EXPECT_THAT(found, ElementsAre(answer_of<Created>(*created).execution_id));
}

TEST_P(LanesTest, AreListedWithTheirStates) {
    create(create_on("b"));
    const std::int64_t registered = now();
    advance(5);
    value_of(set_lane("c", paused));
    value_of(set_lane("a", active));
    const LanePage page = value_of(api().list_lanes());
    EXPECT_FALSE(page.next);
    EXPECT_THAT(page.lanes, ElementsAre(LaneView{"a", active, now(), now(), "set_lane_state"},
                                        LaneView{"b", active, registered, registered, "create_execution"},
                                        LaneView{"c", paused, now(), now(), "set_lane_state"}));
}

TEST_P(LanesTest, AreDescribedByName) {
    create(create_on("b"));
    value_of(set_lane("c", paused));
    EXPECT_EQ(value_of(api().describe_lane("b")), (LaneView{"b", active, now(), now(), "create_execution"}));
    EXPECT_EQ(value_of(api().describe_lane("c"))->state, paused);
    EXPECT_EQ(value_of(api().describe_lane("a")), std::nullopt);
    expect_error(api().describe_lane("\xff"), ErrorKind::invalid_input, "lane_id");
}

TEST_P(LanesTest, AreListedInPages) {
    std::vector<std::string> lanes;
    for (int i = 0; i < 10; ++i) {
        lanes.push_back("lane-" + std::to_string(i));
        create(create_on(lanes.back()));
    }
    ListLanes query{.after = std::nullopt, .limit = 3};
    std::vector<std::string> visited;
    std::vector<std::size_t> sizes;
    do {
        const LanePage page = value_of(api().list_lanes(query));
        for (const LaneView& lane : page.lanes) visited.push_back(lane.lane_id);
        sizes.push_back(page.lanes.size());
        query.after = page.next;
    } while (query.after);
    EXPECT_EQ(visited, lanes);
    EXPECT_THAT(sizes, ElementsAre(3U, 3U, 3U, 1U));
    EXPECT_THAT(value_of(api().list_lanes({.limit = 0})).lanes, IsEmpty());
    EXPECT_FALSE(value_of(api().list_lanes({.limit = 0})).next);
    EXPECT_THAT(value_of(api().list_lanes({.after = "lane-9", .limit = 3})).lanes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, LanesTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
