#pragma once

#include "conformance/with_key.hpp"
#include "support/outbox.hpp"
#include "support/parked.hpp"

namespace flowfabric::test {

inline constexpr WaitpointId nowhere{Uuid{{1}}};

inline ResumeCondition named(std::string key, std::string name) {
    return {Single{std::move(key), ByName{std::move(name)}}};
}
inline ResumeCondition all_of(ResumeCondition first, ResumeCondition second) {
    AllOf all;
    all.members.push_back(std::move(first));
    all.members.push_back(std::move(second));
    return {std::move(all)};
}
inline ResumeCondition count(std::uint32_t n, CountKind kind, std::vector<std::string> keys,
                             std::optional<SignalMatcher> matcher = {}) {
    return {Count{.n = n, .kind = kind, .matcher = std::move(matcher), .waitpoints = std::move(keys)}};
}

class Signals : public WithKey<ApiTest> {
  protected:
    static Suspend until(const Handle& handle, ResumeCondition condition,
                         const std::vector<std::string>& keys = {"k"}) {
        Suspend command{.lease = handle};
        for (const std::string& key : keys) command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, key});
        command.resume_condition = std::move(condition);
        return command;
    }
    static Suspend until_pending(const Handle& handle, const PendingWaitpoint& pending, ResumeCondition condition,
                                 const std::vector<std::string>& others = {}) {
        Suspend command = until(handle, std::move(condition), others);
        command.waitpoints.insert(command.waitpoints.begin(), UsePendingWaitpoint{pending.waitpoint_id});
        return command;
    }
    Parked park(const ClaimedExecution& claimed, Suspend command) {
        const auto outcome = std::get<Suspended>(value_of(run(std::move(command))));
        return {claimed.execution_id, claimed, outcome.details};
    }
    Parked park(ResumeCondition condition, const std::vector<std::string>& keys = {"k"}, CreateExecution command = {}) {
        create(std::move(command));
        const ClaimedExecution claimed = claim();
        return park(claimed, until(claimed.handle, std::move(condition), keys));
    }
    Parked park_until_ready() { return park(named("k", "ready")); }
    PendingWaitpoint open_waitpoint(const ClaimedExecution& claimed, std::uint64_t expires_in_ms = 3'600'000) {
        return value_of(
            run(CreateWaitpoint{.lease = claimed.handle, .waitpoint_key = "k", .expires_in_ms = expires_in_ms}));
    }

    static DeliverSignal signal(const ExecutionId& id, const WaitpointId& waitpoint, std::string token,
                                std::string name = "ready") {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = waitpoint;
        command.waitpoint_token = std::move(token);
        command.signal_name = std::move(name);
        command.signal_category = "test";
        command.source_type = "service";
        command.source_identity = "s1";
        return command;
    }
    static DeliverSignal signal(const Parked& parked, std::string name = "ready", std::size_t i = 0) {
        return signal(parked.id, parked.at(i).waitpoint_id, parked.at(i).token, std::move(name));
    }
    static DeliverSignal signal(const ExecutionId& id, const PendingWaitpoint& pending, std::string name = "ready") {
        return signal(id, pending.waitpoint_id, pending.token, std::move(name));
    }
    static DeliverSignal from(DeliverSignal command, std::string identity) {
        command.source_identity = std::move(identity);
        return command;
    }
    static DeliverSignal keyed(DeliverSignal command, std::string key, std::uint64_t ttl_ms = 1000) {
        command.idempotency_key = std::move(key);
        command.dedup_ttl_ms = ttl_ms;
        return command;
    }
    static DeliverApprovalSignal approval(const Parked& parked, std::string name = "approved",
                                          std::string suffix = "1") {
        return {.execution_id = parked.id,
                .waitpoint_id = parked.at().waitpoint_id,
                .signal_name = std::move(name),
                .idempotency_suffix = std::move(suffix)};
    }
    template <class C>
    SignalAccepted accepted(C command) {
        return std::get<SignalAccepted>(value_of(run(std::move(command))));
    }
    template <class C>
    SignalEffect effect_of(C command) {
        return accepted(std::move(command)).effect;
    }
    template <class C>
    SignalId duplicate_of(C command) {
        return std::get<DuplicateSignal>(value_of(run(std::move(command)))).existing_signal_id;
    }
    Result<Resumed> resume(const ExecutionId& id, std::uint64_t delay_ms = 0) {
        return run(ResumeExecution{.execution_id = id, .resume_delay_ms = delay_ms});
    }

    SuspensionRow suspension(const ExecutionId& id) { return snapshot().of<SuspensionRow>().at({id}); }
    WaitpointRow waitpoint(const ExecutionId& id, const WaitpointId& waitpoint_id) {
        return snapshot().of<WaitpointRow>().at({id.partition, waitpoint_id});
    }
    std::vector<SignalRow> signals(const ExecutionId& id) {
        std::vector<SignalRow> found;
        for (const auto& [key, stored] : snapshot().of<SignalRow>()) {
            if (key.execution_id == id) found.push_back(stored);
        }
        return found;
    }
    std::vector<SignalEvent> signal_events() {
        std::vector<SignalEvent> found;
        for (const Event& event : read_outbox(backend(), Channel::signal)) {
            found.push_back(std::get<SignalEvent>(event));
        }
        return found;
    }
    std::vector<std::string> told_effects() {
        std::vector<std::string> found;
        for (const SignalEvent& event : signal_events()) found.push_back(event.effect);
        return found;
    }
    std::vector<std::string> observed(const Handle& handle) {
        std::vector<std::string> names;
        for (const ResumeSignal& one : value_of(api().observe_signals(handle))) names.push_back(one.signal_name);
        return names;
    }

    static std::vector<std::string> satisfiers(const std::vector<ResumeSignal>& signals) {
        std::vector<std::string> names;
        for (const ResumeSignal& one : signals) {
            if (one.satisfied) names.push_back(one.signal_name);
        }
        return names;
    }

    // Neither a row nor a signal's event.
    template <class Action>
    void expect_nothing_new(Action action) {
        const std::size_t told = signal_events().size();
        expect_no_change(action);
        EXPECT_THAT(signal_events(), testing::SizeIs(told));
    }
    void expect_closed(const Parked& parked, WaitpointCloseReason reason) {
        const SuspensionRow stored = suspension(parked.id);
        EXPECT_EQ(stored.closed_at_ms, now());
        EXPECT_EQ(stored.close_reason, reason);
        EXPECT_EQ(stored.timeout_at_ms, std::nullopt);
        for (std::size_t i = 0; i <= parked.details.additional.size(); ++i) {
            const WaitpointRow one = waitpoint(parked.id, parked.at(i).waitpoint_id);
            EXPECT_EQ(one.state, WaitpointState::closed);
            EXPECT_EQ(one.close_reason, reason);
            EXPECT_EQ(one.closed_at_ms, now());
        }
        EXPECT_EQ(row(parked.id).current_suspension_id, std::nullopt);
        EXPECT_EQ(row(parked.id).current_waitpoint_id, std::nullopt);
        EXPECT_FALSE(row(parked.id).has_waitpoints);
    }
};

}  // namespace flowfabric::test
