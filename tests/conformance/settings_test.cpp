#include <boost/json.hpp>

#include "conformance/flowing.hpp"

// The store's settings hold for every engine on it, and for all that comes after the answer.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;

class SettingsTest : public ApiTest {
  protected:
    void SetUp() override {
        ApiTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        obedient_ = obedient_engine();
    }
    void TearDown() override {
        obedient_.reset();
        ApiTest::TearDown();
    }

    // Another process than the one that sets, open since before.
    Simulation& obedient() { return *obedient_; }
    SettingChanged set(std::string name, std::string value) {
        return value_of(run(SetSetting{.name = std::move(name), .value = std::move(value)}));
    }
    SettingView setting(std::string_view name) {
        for (const SettingView& view : value_of(api().list_settings())) {
            if (view.name == name) return view;
        }
        throw std::runtime_error("no such setting");
    }
    Failed fail_in(Simulation& engine, const ExecutionId& id) {
        Claimed claimed = value_of(engine.run(claim_by("w1")));
        if (claimed.executions.size() != 1 || claimed.executions[0].execution_id != id) {
            throw std::runtime_error("another execution was claimed");
        }
        return value_of(engine.run(Fail{.lease = claimed.executions[0].handle, .reason = "it broke"}));
    }

  private:
    std::unique_ptr<Simulation> obedient_;
};
INSTANTIATE_TEST_SUITE_P(Stores, SettingsTest, all_stores(), name_of_param);

TEST_P(SettingsTest, AllAreListedWithTheirDefaults) {
    std::vector<std::string> names;
    for (const SettingView& view : value_of(api().list_settings())) {
        names.push_back(view.name);
        EXPECT_FALSE(view.is_set) << view.name;
        EXPECT_EQ(view.value, view.default_value) << view.name;
    }
    EXPECT_THAT(names, ElementsAre("default_retry_policy", "emit_renewed_events", "event_retention",
                                   "execution_retention", "instance_tag_key"));
    EXPECT_EQ(setting("execution_retention").value, "7d");
}

TEST_P(SettingsTest, AChangeIsListedAndToldOnce) {
    EXPECT_EQ(set("execution_retention", "48h"), (SettingChanged{"execution_retention", "7d", "2d"}));
    const SettingView view = setting("execution_retention");
    EXPECT_EQ(view.value, "2d");
    EXPECT_EQ(view.default_value, "7d");
    EXPECT_TRUE(view.is_set);
    EXPECT_EQ(view.updated_at_ms, now());

    const auto events = operator_events(SubjectKind::setting);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].event_type, OperatorEventType::setting_changed);
    EXPECT_EQ(events[0].occurred_at_ms, now());
    EXPECT_FALSE(events[0].subject_id || events[0].namespace_name || events[0].instance_tag);
    EXPECT_EQ(boost::json::parse(events[0].details.text),
              (boost::json::value{{"name", "execution_retention"}, {"from", "7d"}, {"to", "2d"}}));

    expect_no_change(
        [&] { EXPECT_EQ(set("execution_retention", "2d"), (SettingChanged{"execution_retention", "2d", "2d"})); });
    EXPECT_EQ(value_of(api().set_setting({"execution_retention", "0"})),
              (SettingChanged{"execution_retention", "2d", "0"}));
    EXPECT_EQ(operator_events(SubjectKind::setting).size(), 2U);
    EXPECT_EQ(snapshot().of<SettingRow>().at({"execution_retention"}).revision, 2);
}

TEST_P(SettingsTest, TheDefaultMayBeSetWithoutAnEvent) {
    set("event_retention", "24h");
    EXPECT_TRUE(setting("event_retention").is_set);
    EXPECT_TRUE(operator_events(SubjectKind::setting).empty());
}

TEST_P(SettingsTest, ABadNameOrValueIsRefused) {
    expect_no_change([&] {
        expect_error(run(SetSetting{"retention", "1h"}), ErrorKind::invalid_input, "name: ");
        expect_error(run(SetSetting{"", "1h"}), ErrorKind::invalid_input, "name: ");
        expect_error(run(SetSetting{"execution_retention", "soon"}), ErrorKind::invalid_input, "value: ");
        expect_error(run(SetSetting{"execution_retention", "-1s"}), ErrorKind::invalid_input, "value: ");
        expect_error(run(SetSetting{"emit_renewed_events", "1"}), ErrorKind::invalid_input, "value: ");
        expect_error(run(SetSetting{"default_retry_policy", "{}x"}), ErrorKind::invalid_input, "value: ");
        expect_error(run(SetSetting{"instance_tag_key", std::string("a\0b", 3)}), ErrorKind::invalid_input, "value: ");
    });
}

TEST_P(SettingsTest, RenewedEventsFollowInAnotherEngineWithoutARestart) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const auto renew_there = [&] { value_of(obedient().run(Renew{.lease = claimed.handle})); };
    renew_there();
    set("emit_renewed_events", "false");
    renew_there();
    set("emit_renewed_events", "true");
    renew_there();
    EXPECT_THAT(lease_event_types(id),
                ElementsAre(LeaseEventType::acquired, LeaseEventType::renewed, LeaseEventType::renewed));
}

TEST_P(SettingsTest, TheInstanceTagsKeyFollowsInAnotherEngine) {
    const CreateExecution tagged{.tags = {{"cairn.instance_id", "a"}, {"my.instance", "b"}}};
    const auto create_there = [&] { return value_of(obedient().run(tagged)).execution_id; };
    EXPECT_EQ(row(create_there()).instance_tag, "a");
    set("instance_tag_key", "my.instance");
    EXPECT_EQ(row(create_there()).instance_tag, "b");
    expect_error(api().subscribe(Channel::completion, {.instance_tag = {{"cairn.instance_id", "a"}}}),
                 ErrorKind::invalid_input, "my.instance");
}

TEST_P(SettingsTest, TheDefaultRetryPolicyFollowsInAnotherEngine) {
    const ExecutionId first = value_of(obedient().run(CreateExecution{})).execution_id;
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(fail_in(obedient(), first)));
    set("default_retry_policy", R"({"max_retries":0})");
    const ExecutionId second = value_of(obedient().run(CreateExecution{})).execution_id;
    EXPECT_EQ(fail_in(obedient(), second), Failed{TerminalFailed{}});
}

TEST_P(SettingsTest, RetentionObeysAChange) {
    const ExecutionId id = create();
    value_of(complete(claim().handle));
    advance(hour);
    obedient().reconcile();
    EXPECT_TRUE(snapshot().executions.contains(id)) << "seven days have not passed";
    set("execution_retention", "0");
    advance(30 * day);
    obedient().reconcile();
    EXPECT_TRUE(snapshot().executions.contains(id)) << "it is kept for ever";
    set("execution_retention", "1h");
    for (int i = 0; i < 3; ++i) obedient().reconcile();
    EXPECT_FALSE(snapshot().executions.contains(id));
}

TEST_P(SettingsTest, RetentionIsSevenDaysUnlessSet) {
    const ExecutionId id = create();
    value_of(complete(claim().handle));
    advance(7 * day - 1);
    for (int i = 0; i < 3; ++i) obedient().reconcile();
    EXPECT_TRUE(snapshot().executions.contains(id));
    advance(1);
    for (int i = 0; i < 3; ++i) obedient().reconcile();
    EXPECT_FALSE(snapshot().executions.contains(id));
}

// Engines that were told nothing keep to the same, whoever opens them.
TEST_P(SettingsTest, EnginesThatShareAStoreRemoveAlike) {
    set("execution_retention", "0");
    const ExecutionId id = create();
    value_of(complete(claim().handle));
    advance(30 * day);
    obedient().reconcile();
    obedient_engine()->reconcile();
    EXPECT_TRUE(snapshot().executions.contains(id));
}

TEST_P(SettingsTest, AFlowGoesEarlierWhenRetentionIsShortened) {
    const FlowSubmitted flow = value_of(obedient().run(graph_of({"default"})));
    value_of(complete(claim().handle));
    engine().settle();
    advance(2 * hour);
    obedient().reconcile();
    EXPECT_TRUE(snapshot().executions.contains(flow.members[0]));
    set("execution_retention", "1h");
    for (int i = 0; i < 5; ++i) obedient().reconcile();
    EXPECT_FALSE(snapshot().executions.contains(flow.members[0]));
}

// ---- retries by default -----------------------------------------------------------------------------------------

TEST_P(SettingsTest, ACreationWithoutAPolicyIsTriedAgainThreeTimes) {
    const ExecutionId id = value_of(obedient().run(CreateExecution{})).execution_id;
    std::vector<std::int64_t> pauses;
    for (int retry = 0; retry < 3; ++retry) {
        const Failed failed = fail_in(obedient(), id);
        ASSERT_TRUE(std::holds_alternative<RetryScheduled>(failed)) << retry;
        pauses.push_back(std::get<RetryScheduled>(failed).delay_until_ms - now());
        advance(pauses.back());
        obedient().reconcile();
    }
    for (std::size_t i = 0; i < pauses.size(); ++i) {
        const std::int64_t whole = 1000LL << i;
        EXPECT_GE(pauses[i], whole / 2);
        EXPECT_LE(pauses[i], whole);
    }
    EXPECT_EQ(fail_in(obedient(), id), Failed{TerminalFailed{}});
    EXPECT_EQ(state(id), PublicState::failed);
}

TEST_P(SettingsTest, APolicyWithoutRetriesIsTriedAgainAndOneWithNoneIsNot) {
    ExecutionPolicy other;
    other.max_replay_count = 1;
    const ExecutionId silent = value_of(obedient().run(CreateExecution{.policy = other})).execution_id;
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(fail_in(obedient(), silent)));
    const ExecutionId none = value_of(obedient().run(CreateExecution{.policy = retries(0, 0)})).execution_id;
    EXPECT_EQ(fail_in(obedient(), none), Failed{TerminalFailed{}});
}

TEST_P(SettingsTest, AnAttemptThatTakesTooLongIsTriedAgain) {
    const ExecutionId id = value_of(obedient().run(CreateExecution{})).execution_id;
    Claim slow = claim_by("w1");
    slow.attempt_timeout_ms = 1000;
    value_of(obedient().run(slow));
    advance(1000);
    obedient().reconcile();
    EXPECT_EQ(row(id).vector.blocking_reason, BlockingReason::waiting_for_retry_backoff);
}

TEST_P(SettingsTest, NodesOfASubmittedFlowAreTriedAgain) {
    const FlowSubmitted flow = value_of(obedient().run(graph_of({"default"})));
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(fail_in(obedient(), flow.members[0])));
}

TEST_P(SettingsTest, AnExecutionThatJoinsAFlowIsTriedAgain) {
    const FlowId flow = value_of(obedient().run(CreateFlow{.flow_kind = "test"})).flow_id;
    CreateExecution command;
    command.execution_id = ExecutionId{flow_partition(flow), flow.uuid};
    const ExecutionId id = value_of(obedient().run(command)).execution_id;
    value_of(obedient().run(AddExecutionToFlow{.flow_id = flow, .execution_id = id}));
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(fail_in(obedient(), id)));
}

}  // namespace
}  // namespace flowfabric::test
