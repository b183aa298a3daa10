#include <algorithm>

#include "conformance/with_key.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;

ResumeCondition single(std::string key, SignalMatcher matcher = Wildcard{}) {
    return {Single{std::move(key), std::move(matcher)}};
}
ResumeCondition all_of(std::vector<ResumeCondition> members) {
    return {AllOf{std::move(members)}};
}
WaitpointBinding fresh(std::string key, std::optional<WaitpointId> id = {}) {
    return FreshWaitpoint{id, std::move(key)};
}
WaitpointId waitpoint(std::uint8_t number) {
    return WaitpointId{Uuid{{number}}};
}
Suspend until(const LeaseRef& lease, ResumeCondition condition, std::vector<WaitpointBinding> waitpoints) {
    Suspend command;
    command.lease = lease;
    command.resume_condition = std::move(condition);
    command.waitpoints = std::move(waitpoints);
    return command;
}

class Waitpoints : public WithKey<ApiTest> {
  protected:
    Suspended suspend(Suspend command) { return std::get<Suspended>(value_of(run(std::move(command)))); }
    Suspended suspend(const LeaseRef& lease) { return suspend(until(lease, single("a"), {fresh("a")})); }
    ExecutionId suspended() {
        const auto id = create();
        suspend(claim().handle);
        return id;
    }
    PendingWaitpoint create_waitpoint(const LeaseRef& lease, std::string key = "a",
                                      std::uint64_t expires_in_ms = 3'600'000) {
        return value_of(run(CreateWaitpoint{lease, std::move(key), expires_in_ms}));
    }
    Result<SignalOutcome> signal(const ExecutionId& id, const WaitpointId& to, const std::string& token) {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = to;
        command.waitpoint_token = token;
        command.signal_name = "go";
        return run(std::move(command));
    }
    Result<WaitpointClosed> close(const ExecutionId& id, const WaitpointId& which) {
        return run(CloseWaitpoint{.execution_id = id, .waitpoint_id = which});
    }
    void resume(const ExecutionId& id) { value_of(run(ResumeExecution{.execution_id = id})); }

    std::vector<ExecutionId> listed(const ListSuspended& query = {}) {
        std::vector<ExecutionId> ids;
        for (const SuspendedExecution& one : value_of(api().list_suspended(query)).executions) {
            ids.push_back(one.execution_id);
        }
        return ids;
    }
    std::vector<WaitpointView> open(const ExecutionId& id) {
        return value_of(api().list_pending_waitpoints({.execution_id = id})).waitpoints;
    }
    std::optional<std::string> token_of(const ExecutionId& id, const WaitpointId& which) {
        return value_of(api().read_waitpoint_token(id.partition, which));
    }
    WaitpointRow waitpoint_row(const ExecutionId& id, const WaitpointId& which) {
        return snapshot().of<WaitpointRow>().at(WaitpointKey{id.partition, which});
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Waitpoints, all_stores(), name_of_param);

// ---- list_suspended -----------------------------------------------------------------------------------------------

TEST_P(Waitpoints, SuspendedExecutionsAreListedOldestFirst) {
    EXPECT_THAT(listed(), IsEmpty());
    const auto first = create();
    Suspend command = until(claim().handle, single("a"), {fresh("a")});
    command.reason_code = SuspensionReason::waiting_for_approval;
    command.timeout_at_ms = now() + 9000;
    const Suspended done = suspend(command);
    const auto since = now();
    advance(1);
    const auto second = suspended();
    advance(1);
    const auto third = suspended();
    create();

    const auto page = value_of(api().list_suspended());
    ASSERT_THAT(page.executions, SizeIs(3));
    EXPECT_EQ(page.executions[0], (SuspendedExecution{.execution_id = first,
                                                      .suspension_id = done.details.suspension_id,
                                                      .suspended_at_ms = since,
                                                      .reason = SuspensionReason::waiting_for_approval,
                                                      .timeout_at_ms = since + 9000}));
    EXPECT_EQ(page.executions[1].suspended_at_ms, since + 1);
    EXPECT_EQ(page.executions[1].timeout_at_ms, std::nullopt);
    EXPECT_EQ(page.next, std::nullopt);
    EXPECT_THAT(listed(), ElementsAre(first, second, third));
}

TEST_P(Waitpoints, OnlyOpenSuspensionsAreListed) {
    const auto resumed = suspended();
    const auto cancelled = suspended();
    const auto waits = suspended();
    resume(resumed);
    value_of(cancel_by("operator_override", cancelled));
    EXPECT_THAT(listed(), ElementsAre(waits));
    value_of(complete(claim("w2").handle));
    EXPECT_THAT(listed(), ElementsAre(waits));
}

TEST_P(Waitpoints, AnExecutionIsListedAgainAtTheTimeOfItsNewSuspension) {
    const auto again = suspended();
    advance(1);
    const auto other = suspended();
    resume(again);
    advance(1);
    suspend(claim("w2").handle);
    EXPECT_THAT(listed(), ElementsAre(other, again));
}

TEST_P(Waitpoints, SuspensionsOfOneMillisecondAreAllVisitedByPages) {
    std::vector<ExecutionId> all;
    for (int i = 0; i < 5; ++i) all.push_back(suspended());
    std::ranges::sort(all);
    advance(1);
    all.push_back(suspended());
    EXPECT_THAT(listed(), ElementsAreArray(all)) << "by time, then id";
    for (const std::uint32_t limit : {1U, 2U, 3U, 6U}) {
        std::vector<ExecutionId> visited;
        ListSuspended query{.limit = limit};
        for (;;) {
            const auto page = value_of(api().list_suspended(query));
            EXPECT_LE(page.executions.size(), limit);
            for (const SuspendedExecution& one : page.executions) visited.push_back(one.execution_id);
            if (!page.next) break;
            query.after = page.next;
        }
        EXPECT_EQ(visited, all) << limit;
    }
    EXPECT_THAT(listed({.limit = 0}), IsEmpty());
    EXPECT_EQ(value_of(api().list_suspended({.limit = 0})).next, std::nullopt);
    EXPECT_THAT(listed({.limit = 4'000'000'000}), SizeIs(6));
}

TEST_P(Waitpoints, ACursorOutlivesTheRowItWasTakenFrom) {
    std::vector<ExecutionId> all;
    for (int i = 0; i < 4; ++i) all.push_back(suspended());
    std::ranges::sort(all);
    const auto page = value_of(api().list_suspended({.limit = 2}));
    ASSERT_TRUE(page.next);
    resume(all[1]);
    EXPECT_THAT(listed({.after = page.next}), ElementsAre(all[2], all[3]));
}

TEST_P(Waitpoints, SuspensionsAreListedByPartition) {
    const auto in_partition = [&](std::uint16_t partition) {
        CreateExecution command;
        command.execution_id = ExecutionId{partition, Uuid{{1}}};
        const auto id = create(command);
        suspend(claim().handle);
        return id;
    };
    const auto nine = in_partition(9);
    const auto five = in_partition(5);
    EXPECT_THAT(listed({.partition = std::uint16_t{9}}), ElementsAre(nine));
    EXPECT_THAT(listed({.partition = std::uint16_t{5}}), ElementsAre(five));
    EXPECT_THAT(listed({.partition = std::uint16_t{6}}), IsEmpty());
    EXPECT_THAT(listed(), SizeIs(2));
    expect_error(api().list_suspended({.partition = std::uint16_t{256}}), invalid_input, "partition_mismatch");
    expect_error(api().list_suspended({.after = SuspendedPlace{1, ExecutionId{256, {}}}}), invalid_input, "cursor");
}

// ---- list_pending_waitpoints --------------------------------------------------------------------------------------

TEST_P(Waitpoints, OpenWaitpointsAreShownWithoutTheirTokens) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle, "later", 9000);
    const auto created = now();
    ASSERT_THAT(open(id), SizeIs(1));
    EXPECT_EQ(open(id)[0], (WaitpointView{.waitpoint_id = ahead.waitpoint_id,
                                          .execution_id = id,
                                          .waitpoint_key = "later",
                                          .state = WaitpointState::pending,
                                          .required_signal_names = {},
                                          .created_at_ms = created,
                                          .activated_at_ms = std::nullopt,
                                          .expires_at_ms = created + 9000,
                                          .token_kid = "k1",
                                          .token_fingerprint = ahead.token.substr(3, 16)}));
    advance(10);
    Suspend command = until(claimed.handle, all_of({single("a", ByName{"x"}), single("b"), single("a", ByName{"y"})}),
                            {fresh("a", waitpoint(2)), fresh("b", waitpoint(1))});
    command.timeout_at_ms = now() + 50'000;
    const Suspended done = suspend(command);
    const auto found = open(id);
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_TRUE(std::ranges::is_sorted(found, {}, &WaitpointView::waitpoint_id));
    for (const WaitpointView& view : found) {
        if (view.waitpoint_id == ahead.waitpoint_id) continue;
        const bool primary = view.waitpoint_id == waitpoint(2);
        EXPECT_EQ(view.waitpoint_key, primary ? "a" : "b");
        EXPECT_EQ(view.state, WaitpointState::active);
        EXPECT_EQ(view.activated_at_ms, now());
        EXPECT_EQ(view.expires_at_ms, now() + 50'000);
        EXPECT_EQ(view.required_signal_names,
                  primary ? (std::vector<std::string>{"x", "y"}) : std::vector<std::string>{});
        const std::string& token = primary ? done.details.primary.token : done.details.additional[0].token;
        EXPECT_EQ(view.token_fingerprint, fingerprint_of(token));
    }
}

TEST_P(Waitpoints, MarkersSayThatNoSignalIsWaitedFor) {
    const auto operators = create();
    suspend(until(claim().handle, {OperatorOnly{}}, {fresh("a")}));
    EXPECT_THAT(open(operators).at(0).required_signal_names, ElementsAre("__operator_only__"));
    const auto timed = create();
    Suspend command = until(claim().handle, {TimeoutOnly{}}, {fresh("a")});
    command.timeout_at_ms = now() + 1000;
    suspend(command);
    EXPECT_THAT(open(timed).at(0).required_signal_names, ElementsAre("__timeout_only__"));
    const auto counted = create();
    const Count by_name{1, CountKind::distinct_signals, ByName{"go"}, {"a"}};
    suspend(until(claim().handle, {by_name}, {fresh("a")}));
    EXPECT_THAT(open(counted).at(0).required_signal_names, ElementsAre("go"));
}

TEST_P(Waitpoints, OnlyOpenWaitpointsOfTheExecutionAreListed) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint later = create_waitpoint(claimed.handle, "later");
    const PendingWaitpoint closed = create_waitpoint(claimed.handle);
    const auto other = suspended();
    value_of(close(id, closed.waitpoint_id));
    suspend(claimed.handle);
    EXPECT_THAT(open(id), SizeIs(2));
    resume(id);
    ASSERT_THAT(open(id), SizeIs(1));
    EXPECT_EQ(open(id)[0].waitpoint_id, later.waitpoint_id);
    EXPECT_THAT(open(other), SizeIs(1));
    value_of(cancel_by("operator_override", id));
    EXPECT_THAT(open(id), IsEmpty());
    EXPECT_THAT(open(create()), IsEmpty());
}

TEST_P(Waitpoints, OpenWaitpointsAreVisitedByPages) {
    const auto id = create();
    const auto claimed = claim();
    std::vector<WaitpointId> all;
    for (int i = 0; i < 7; ++i) all.push_back(create_waitpoint(claimed.handle).waitpoint_id);
    std::ranges::sort(all);
    for (const std::uint32_t limit : {1U, 3U, 7U, 100U}) {
        std::vector<WaitpointId> visited;
        ListPendingWaitpoints query{.execution_id = id, .limit = limit};
        for (;;) {
            const auto page = value_of(api().list_pending_waitpoints(query));
            EXPECT_LE(page.waitpoints.size(), limit);
            for (const WaitpointView& view : page.waitpoints) visited.push_back(view.waitpoint_id);
            if (!page.next) break;
            EXPECT_EQ(*page.next, visited.back());
            query.after = page.next;
        }
        EXPECT_EQ(visited, all) << limit;
    }
    const auto none = value_of(api().list_pending_waitpoints({.execution_id = id, .limit = 0}));
    EXPECT_THAT(none.waitpoints, IsEmpty());
    EXPECT_EQ(none.next, std::nullopt);
}

TEST_P(Waitpoints, APageHasAHundredUnlessToldOtherwise) {
    const auto id = create();
    const auto claimed = claim();
    for (int i = 0; i < 101; ++i) create_waitpoint(claimed.handle);
    const auto page = value_of(api().list_pending_waitpoints({.execution_id = id}));
    EXPECT_THAT(page.waitpoints, SizeIs(100));
    EXPECT_TRUE(page.next);
    EXPECT_THAT(value_of(api().list_pending_waitpoints({.execution_id = id, .limit = 4'000'000'000})).waitpoints,
                SizeIs(101));
}

TEST_P(Waitpoints, AnUnknownExecutionHasNoList) {
    const ExecutionId nobody{3, Uuid{{1}}};
    expect_error(api().list_pending_waitpoints({.execution_id = nobody}), execution_not_found);
    expect_error(api().list_pending_waitpoints({.execution_id = nobody, .limit = 0}), execution_not_found);
}

// ---- read_waitpoint_token -----------------------------------------------------------------------------------------

TEST_P(Waitpoints, AnOperatorReadsTheTokenOfAnOpenWaitpoint) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle, "later");
    EXPECT_EQ(token_of(id, ahead.waitpoint_id), ahead.token);
    const auto both = all_of({single("a"), single("b")});
    const SuspensionDetails done = suspend(until(claimed.handle, both, {fresh("a"), fresh("b")})).details;
    EXPECT_EQ(token_of(id, done.primary.waitpoint_id), done.primary.token);
    EXPECT_EQ(token_of(id, done.additional.at(0).waitpoint_id), done.additional.at(0).token);

    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 10'000}));
    EXPECT_EQ(token_of(id, done.primary.waitpoint_id), done.primary.token) << "the very one that was issued";
    resume(id);
    EXPECT_EQ(token_of(id, done.primary.waitpoint_id), std::nullopt);
    EXPECT_EQ(token_of(id, done.additional[0].waitpoint_id), std::nullopt);
    EXPECT_EQ(token_of(id, ahead.waitpoint_id), ahead.token);
}

TEST_P(Waitpoints, AnUnknownWaitpointHasNoToken) {
    const auto id = create();
    const PendingWaitpoint ahead = create_waitpoint(claim().handle);
    EXPECT_EQ(token_of(id, waitpoint(9)), std::nullopt);
    ExecutionId elsewhere = id;
    elsewhere.partition = static_cast<std::uint16_t>((id.partition + 1) % 256);
    EXPECT_EQ(token_of(elsewhere, ahead.waitpoint_id), std::nullopt);
    EXPECT_EQ(value_of(api().read_waitpoint_token(id, ahead.waitpoint_id)), ahead.token);
    ExecutionId neighbour = id;
    ++neighbour.uuid.bytes[15];
    EXPECT_EQ(value_of(api().read_waitpoint_token(neighbour, ahead.waitpoint_id)), std::nullopt);
    value_of(close(id, ahead.waitpoint_id));
    EXPECT_EQ(token_of(id, ahead.waitpoint_id), std::nullopt);
}

// ---- close_waitpoint ----------------------------------------------------------------------------------------------

TEST_P(Waitpoints, AClosedWaitpointTakesNoSignals) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    value_of(signal(id, ahead.waitpoint_id, ahead.token));
    advance(5);
    EXPECT_EQ(value_of(close(id, ahead.waitpoint_id)), WaitpointClosed{.was_open = true});
    const WaitpointRow stored = waitpoint_row(id, ahead.waitpoint_id);
    EXPECT_EQ(stored.state, WaitpointState::closed);
    EXPECT_EQ(stored.close_reason, WaitpointCloseReason::proactive_close);
    EXPECT_EQ(stored.closed_at_ms, now());
    EXPECT_EQ(stored.signal_count, 1);
    EXPECT_THAT(snapshot().of<SignalRow>(), SizeIs(1));
    expect_no_change([&] {
        expect_error(signal(id, ahead.waitpoint_id, ahead.token), waitpoint_closed);
        EXPECT_EQ(value_of(close(id, ahead.waitpoint_id)), WaitpointClosed{.was_open = false});
    });
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_TRUE(renew(claimed.handle));
}

TEST_P(Waitpoints, ClosingTheActiveWaitpointLeavesTheExecutionSuspended) {
    const auto id = create();
    const SuspendedWaitpoint door = suspend(claim().handle).details.primary;
    value_of(close(id, door.waitpoint_id));
    EXPECT_EQ(state(id), PublicState::suspended);
    EXPECT_THAT(listed(), ElementsAre(id));
    EXPECT_THAT(open(id), IsEmpty());
    expect_error(signal(id, door.waitpoint_id, door.token), waitpoint_closed);
    resume(id);
    EXPECT_EQ(state(id), PublicState::resumable);
    EXPECT_EQ(waitpoint_row(id, door.waitpoint_id).close_reason, WaitpointCloseReason::proactive_close);
}

TEST_P(Waitpoints, ASuspensionWithoutAnOpenWaitpointStillTimesOut) {
    for (const TimeoutBehavior behavior : {TimeoutBehavior::fail, TimeoutBehavior::auto_resume_with_timeout_signal}) {
        const auto id = create();
        Suspend command = until(claim().handle, single("a"), {fresh("a")});
        command.timeout_at_ms = now() + 1000;
        command.timeout_behavior = behavior;
        value_of(close(id, suspend(command).details.primary.waitpoint_id));
        advance(1000);
        reconcile();
        EXPECT_EQ(state(id), behavior == TimeoutBehavior::fail ? PublicState::failed : PublicState::resumable);
    }
}

TEST_P(Waitpoints, OnlyAnExecutionsOwnWaitpointsAreClosed) {
    const auto id = create();
    const PendingWaitpoint ahead = create_waitpoint(claim().handle);
    const auto other = create();
    expect_no_change([&] {
        expect_error(close(other, ahead.waitpoint_id), waitpoint_not_found);
        expect_error(close(id, waitpoint(9)), waitpoint_not_found);
        expect_error(close(ExecutionId{id.partition, Uuid{{9}}}, ahead.waitpoint_id), execution_not_found);
        CloseWaitpoint odd{.execution_id = id, .waitpoint_id = ahead.waitpoint_id};
        odd.reason = "because";
        expect_error(run(odd), invalid_input, "reason");
        expect_error(close(ExecutionId{256, id.uuid}, ahead.waitpoint_id), invalid_input, "partition");
    });
    CloseWaitpoint named{.execution_id = id, .waitpoint_id = ahead.waitpoint_id};
    named.reason = "cancelled";
    value_of(run(named));
    EXPECT_EQ(waitpoint_row(id, ahead.waitpoint_id).close_reason, WaitpointCloseReason::cancelled);
}

// ---- expiry of what was created ahead -----------------------------------------------------------------------------

TEST_P(Waitpoints, APendingWaitpointNobodyUsedIsClosedAtItsExpiry) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint brief = create_waitpoint(claimed.handle, "a", 1000);
    const PendingWaitpoint lasting = create_waitpoint(claimed.handle, "a", 2000);
    value_of(signal(id, brief.waitpoint_id, brief.token));
    advance(999);
    expect_no_change([&] {
        reconcile();
        EXPECT_FALSE(value_of(run(FireTimer{id, Timer::waitpoint_expiry})).changed);
    });
    advance(1);
    reconcile();
    const WaitpointRow closed = waitpoint_row(id, brief.waitpoint_id);
    EXPECT_EQ(closed.state, WaitpointState::closed);
    EXPECT_EQ(closed.close_reason, WaitpointCloseReason::never_committed);
    EXPECT_EQ(closed.closed_at_ms, now());
    EXPECT_EQ(waitpoint_row(id, lasting.waitpoint_id).state, WaitpointState::pending);
    EXPECT_THAT(snapshot().of<SignalRow>(), SizeIs(1)) << "on record until retention";
    EXPECT_EQ(state(id), PublicState::active);
    expect_no_change([&] {
        reconcile();
        expect_error(signal(id, brief.waitpoint_id, brief.token), waitpoint_closed);
        EXPECT_EQ(token_of(id, brief.waitpoint_id), std::nullopt);
    });
    advance(1000);
    EXPECT_TRUE(value_of(run(FireTimer{id, Timer::waitpoint_expiry})).changed);
    EXPECT_THAT(open(id), IsEmpty());
    EXPECT_FALSE(row(id).has_waitpoints);
    EXPECT_TRUE(renew(claimed.handle));
}

TEST_P(Waitpoints, AnExpiredWaitpointTakesNoSignalsEvenBeforeTheScan) {
    const auto id = create();
    const PendingWaitpoint brief = create_waitpoint(claim().handle, "a", 1000);
    advance(1000);
    expect_error(signal(id, brief.waitpoint_id, brief.token), waitpoint_closed);
    reconcile();
    EXPECT_EQ(waitpoint_row(id, brief.waitpoint_id).close_reason, WaitpointCloseReason::never_committed);
    EXPECT_THAT(snapshot().of<SignalRow>(), IsEmpty());
    EXPECT_EQ(row(id).signal_count, 0);
}

TEST_P(Waitpoints, TheExpiryOfPendingOnesNeverTouchesActiveOnes) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint unused = create_waitpoint(claimed.handle, "later", 1000);
    const PendingWaitpoint used = create_waitpoint(claimed.handle, "a", 1000);
    const auto both = all_of({single("a"), single("b")});
    Suspend command = until(claimed.handle, both, {UsePendingWaitpoint{used.waitpoint_id}, fresh("b", waitpoint(1))});
    command.timeout_at_ms = now() + 1000;
    command.timeout_behavior = TimeoutBehavior::escalate;
    suspend(command);
    value_of(signal(id, used.waitpoint_id, used.token));
    advance(1000);
    EXPECT_TRUE(value_of(run(FireTimer{id, Timer::waitpoint_expiry})).changed);
    EXPECT_EQ(waitpoint_row(id, unused.waitpoint_id).state, WaitpointState::closed);
    EXPECT_EQ(waitpoint_row(id, used.waitpoint_id).state, WaitpointState::active);
    EXPECT_EQ(waitpoint_row(id, waitpoint(1)).state, WaitpointState::active);
    EXPECT_EQ(state(id), PublicState::suspended);
    reconcile();
    EXPECT_EQ(state(id), PublicState::suspended) << "escalated";
    const auto last = value_of(signal(id, waitpoint(1), *token_of(id, waitpoint(1))));
    EXPECT_EQ(std::get<SignalAccepted>(last).effect, SignalEffect::resume_condition_satisfied)
        << "what the other received still counts";
}

TEST_P(Waitpoints, ExpiryFindsWhatWaitsWithoutALease) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint brief = create_waitpoint(claimed.handle, "later", 1000);
    value_of(delay(claimed.handle, now() + 60'000));
    advance(1000);
    reconcile();
    EXPECT_EQ(waitpoint_row(id, brief.waitpoint_id).close_reason, WaitpointCloseReason::never_committed);
    EXPECT_EQ(state(id), PublicState::delayed);
}

}  // namespace
}  // namespace flowfabric::test
