#pragma once

#include "conformance/with_key.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric::test {

inline constexpr std::int64_t week = 604'800'000;

inline ResumeCondition single(std::string key, SignalMatcher matcher = Wildcard{}) {
    return {Single{std::move(key), std::move(matcher)}};
}
inline ResumeCondition all_of(std::vector<ResumeCondition> members) {
    return {AllOf{std::move(members)}};
}
inline ResumeCondition count_of(std::uint32_t n, CountKind kind, std::vector<std::string> keys,
                                std::optional<SignalMatcher> matcher = {}) {
    return {Count{n, kind, std::move(matcher), std::move(keys)}};
}
// An AllOf that is `depth` composites deep.
inline ResumeCondition nested(int depth) {
    ResumeCondition condition = single("a");
    for (int i = 0; i < depth; ++i) condition = all_of({condition});
    return condition;
}

inline WaitpointId waitpoint(std::uint8_t number) {
    return WaitpointId{Uuid{{number}}};
}
inline WaitpointBinding fresh(std::string key, std::optional<WaitpointId> id = {}) {
    return FreshWaitpoint{id, std::move(key)};
}
inline WaitpointBinding pending(const WaitpointId& id) {
    return UsePendingWaitpoint{id};
}

inline Suspend until(const LeaseRef& lease, ResumeCondition condition, std::vector<WaitpointBinding> waitpoints) {
    Suspend command;
    command.lease = lease;
    command.resume_condition = std::move(condition);
    command.waitpoints = std::move(waitpoints);
    return command;
}
inline Suspend until_signal(const LeaseRef& lease) {
    return until(lease, single("a"), {fresh("a")});
}
inline Suspend keyed(Suspend command, std::string key) {
    command.idempotency_key = std::move(key);
    return command;
}
inline Suspend with_timeout(Suspend command, std::int64_t at_ms) {
    command.timeout_at_ms = at_ms;
    return command;
}

// Without a signing key.
class Unsigned : public ApiTest {
  protected:
    Suspended suspend(Suspend command) { return std::get<Suspended>(value_of(run(std::move(command)))); }
    ConditionAlreadyMet already_met(Suspend command) {
        return std::get<ConditionAlreadyMet>(value_of(run(std::move(command))));
    }
    PendingWaitpoint create_waitpoint(const LeaseRef& lease, std::string key = "a",
                                      std::uint64_t expires_in_ms = 3'600'000) {
        return value_of(run(CreateWaitpoint{lease, std::move(key), expires_in_ms}));
    }
    Result<SignalOutcome> signal(const ExecutionId& id, const WaitpointId& to, const std::string& token,
                                 std::string name = "go", std::string source = "somebody") {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = to;
        command.waitpoint_token = token;
        command.signal_name = std::move(name);
        command.source_type = "test";
        command.source_identity = std::move(source);
        return run(std::move(command));
    }
    Result<SignalOutcome> signal(const ExecutionId& id, const SuspendedWaitpoint& to, std::string name = "go") {
        return signal(id, to.waitpoint_id, to.token, std::move(name));
    }
    static SignalEffect effect_of(Result<SignalOutcome> outcome) {
        return std::get<SignalAccepted>(value_of(std::move(outcome))).effect;
    }
    void rotate_to(std::string kid, char digit, std::int64_t grace_ms) {
        value_of(run(RotateWaitpointHmacSecret{std::move(kid), std::string(64, digit), grace_ms}));
    }
    void resume(const ExecutionId& id) { value_of(run(ResumeExecution{.execution_id = id})); }

    std::vector<std::string> satisfiers(const Handle& handle) {
        std::vector<std::string> names;
        for (const ResumeSignal& one : value_of(api().observe_signals(handle))) {
            if (one.satisfied) names.push_back(one.signal_name);
        }
        return names;
    }
    WaitpointRow waitpoint_row(const ExecutionId& id, const WaitpointId& which) {
        return snapshot().of<WaitpointRow>().at(WaitpointKey{id.partition, which});
    }
    SuspensionRow suspension_row(const ExecutionId& id) { return snapshot().of<SuspensionRow>().at(ExecutionKey{id}); }
    SuspendDedupRow remembered(const ExecutionId& id, std::string key) {
        return snapshot().of<SuspendDedupRow>().at(SuspendDedupKey{id, std::move(key)});
    }

    // Every fenced operation answers the same error and changes nothing.
    void expect_refused(const Handle& handle, ErrorKind kind) {
        expect_no_change([&] {
            expect_error(renew(handle), kind);
            expect_error(complete(handle), kind);
            expect_error(fail(handle), kind);
            expect_error(progress(handle), kind);
            expect_error(delay(handle, now() + 1000), kind);
            expect_error(release(handle), kind);
            expect_error(cancel(handle), kind);
            expect_error(run(CreateWaitpoint{handle, "later", 1000}), kind);
        });
    }
    void expect_suspend_refused(Suspend command, ErrorKind kind, std::string_view in_detail = "") {
        expect_no_change([&] { expect_error(run(std::move(command)), kind, in_detail); });
    }
};

class Suspending : public WithKey<Unsigned> {
  protected:
    // Suspends what waits until an operator resumes it: its waitpoint takes every signal and stays.
    SuspendedWaitpoint park() { return suspend(until(claim().handle, {OperatorOnly{}}, {fresh("a")})).details.primary; }
};

}  // namespace flowfabric::test
