#include "core/suspension/suspension.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/suspension/accepted_signals.hpp"
#include "core/suspension/remembered_suspend.hpp"

namespace flowfabric {

EngineError refusal(ErrorKind kind, std::string detail) {
    return {.kind = kind, .detail = std::move(detail)};
}

const SuspensionRow* open_suspension(const WorkingSet& set, const ExecutionRow& row) {
    const SuspensionRow* suspension = set.side.of<SuspensionRow>().find({row.id});
    return suspension != nullptr && !suspension->closed_at_ms ? suspension : nullptr;
}

namespace {

bool is_kept_for_later(const WorkingSet& set, const SignalRow& signal) {
    const WaitpointRow* waitpoint =
        set.side.of<WaitpointRow>().find({signal.key.execution_id.partition, signal.waitpoint_id});
    return waitpoint != nullptr && waitpoint->state == WaitpointState::pending;
}

template <class Wanted>
CountingSignals counting_where(const WorkingSet& set, Wanted&& wanted) {
    CountingSignals found;
    for (SignalRow& signal : set.side.of<SignalRow>().where(wanted)) {
        found.seqs.push_back(signal.key.seq);
        found.facts.push_back({.waitpoint_key = std::move(signal.waitpoint_key),
                               .waitpoint_id = signal.waitpoint_id,
                               .signal_id = signal.signal_id,
                               .signal_name = std::move(signal.signal_name),
                               .source_type = std::move(signal.source_type),
                               .source_identity = std::move(signal.source_identity)});
    }
    return found;
}

template <class Wanted>
void retire_signals(WorkingSet& set, const std::vector<std::int32_t>& satisfiers, Wanted&& wanted) {
    auto& signals = set.side.of<SignalRow>();
    for (SignalRow& signal : signals.where(wanted)) {
        signal.live = false;
        signal.satisfied = std::ranges::find(satisfiers, signal.key.seq) != satisfiers.end();
        signals.put(std::move(signal));
    }
}

// The key of a suspension that was satisfied is known from now on; of any other it opens another suspension.
void settle_key(const SuspensionRow& suspension, const SuspensionEnd& end, const ExecutionRow& execution,
                WorkingSet& set, std::int64_t now_ms) {
    auto& keys = set.side.of<SuspendDedupRow>();
    for (SuspendDedupRow& row : keys.where([&](const SuspendDedupRow& candidate) {
             return candidate.owner() == execution.id && !candidate.satisfied_at_ms;
         })) {
        auto remembered = RememberedSuspend::parse(row.outcome_json);
        if (!remembered || remembered->suspension_id != suspension.suspension_id) continue;
        if (!end.satisfied) {
            keys.erase(row.key);
            continue;
        }
        remembered->handle.reset();
        remembered->signals = seqs_to_give(counting_signals(set, execution).seqs, end.satisfiers);
        row.outcome_json = remembered->to_json();
        row.satisfied_at_ms = now_ms;
        keys.put(std::move(row));
    }
}

}  // namespace

std::vector<WaitpointRow> waitpoints_in(WaitpointState state, const WorkingSet& set, const ExecutionId& id) {
    return set.side.of<WaitpointRow>().where(
        [&](const WaitpointRow& waitpoint) { return waitpoint.owner() == id && waitpoint.state == state; });
}

bool has_lapsed(const WaitpointRow& waitpoint, std::int64_t now_ms) {
    return waitpoint.expires_at_ms && *waitpoint.expires_at_ms <= now_ms;
}

CountingSignals counting_signals(const WorkingSet& set, const ExecutionRow& row) {
    return counting_where(set, [&](const SignalRow& candidate) {
        return candidate.live && candidate.owner() == row.id && !is_kept_for_later(set, candidate);
    });
}

CountingSignals kept_signals(std::span<const WaitpointRow> waitpoints, const WorkingSet& set, const ExecutionRow& row) {
    return counting_where(set, [&](const SignalRow& candidate) {
        return candidate.live && candidate.owner() == row.id &&
               std::ranges::any_of(waitpoints, [&](const WaitpointRow& waitpoint) {
                   return waitpoint.key.waitpoint_id == candidate.waitpoint_id;
               });
    });
}

std::vector<std::int32_t> CountingSignals::satisfiers(const Evaluation& evaluation) const {
    std::vector<std::int32_t> found;
    found.reserve(evaluation.contributors.size());
    for (const std::size_t position : evaluation.contributors) found.push_back(seqs[position]);
    return found;
}

void close_waitpoint(WorkingSet& set, WaitpointRow waitpoint, WaitpointCloseReason reason, std::int64_t now_ms) {
    if (waitpoint.state == WaitpointState::pending) {
        retire_signals(set, {}, [&](const SignalRow& signal) {
            return signal.live && signal.owner() == waitpoint.owner() &&
                   signal.waitpoint_id == waitpoint.key.waitpoint_id;
        });
    }
    waitpoint.state = WaitpointState::closed;
    waitpoint.closed_at_ms = now_ms;
    waitpoint.close_reason = reason;
    set.side.of<WaitpointRow>().put(std::move(waitpoint));
}

void close_suspension(Transition& transition, WorkingSet& set, const SuspensionEnd& end) {
    const SuspensionRow* open = open_suspension(set, transition.row());
    if (open == nullptr) return;
    SuspensionRow suspension = *open;
    const ExecutionId id = transition.row().id;
    settle_key(suspension, end, transition.row(), set, transition.now());
    retire_signals(set, end.satisfied ? end.satisfiers : std::vector<std::int32_t>{}, [&](const SignalRow& signal) {
        return signal.live && signal.owner() == id && !is_kept_for_later(set, signal);
    });
    for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::active, set, id)) {
        close_waitpoint(set, std::move(waitpoint), end.reason, transition.now());
    }
    suspension.timeout_at_ms.reset();
    suspension.closed_at_ms = transition.now();
    suspension.close_reason = end.reason;
    suspension.closer_signal_id = end.closer;
    suspension.satisfied_set = seqs_json(end.satisfiers);
    if (!end.satisfiers.empty()) suspension.satisfied_at_ms = transition.now();
    set.side.of<SuspensionRow>().put(std::move(suspension));
    transition.leave_suspension();
}

void close_open_waitpoints(Transition& transition, WorkingSet& set, TerminalOutcome outcome) {
    const bool expired = outcome == TerminalOutcome::expired;
    close_suspension(transition, set,
                     {.reason = expired ? WaitpointCloseReason::timed_out_expire : WaitpointCloseReason::cancelled,
                      .closer = std::nullopt,
                      .satisfiers = {}});
    for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::pending, set, transition.row().id)) {
        close_waitpoint(set, std::move(waitpoint), WaitpointCloseReason::never_committed, transition.now());
    }
    transition.count_open_waitpoints();
}

void resume(Transition& transition, WorkingSet& set, const SuspensionEnd& end, std::uint64_t delay_ms) {
    close_suspension(transition, set, end);
    transition.resume_interrupted(delay_ms);
}

Json seqs_json(std::span<const std::int32_t> seqs) {
    const boost::json::array array(seqs.begin(), seqs.end());
    return {boost::json::serialize(array)};
}

std::vector<std::int32_t> seqs_of(const Json& json) {
    boost::system::error_code failure;
    const auto value = boost::json::parse(json.text, failure);
    std::vector<std::int32_t> seqs;
    if (failure || !value.is_array()) return seqs;
    for (const auto& element : value.get_array()) {
        if (element.is_int64()) seqs.push_back(static_cast<std::int32_t>(element.get_int64()));
    }
    return seqs;
}

Result<ResumeCondition> condition_of(const SuspensionRow& suspension) {
    auto condition = ResumeCondition::parse(suspension.condition.text);
    if (!condition) {
        return corruption(suspension.owner().to_string() + ": stored resume condition: " + condition.error().detail);
    }
    return condition;
}

Json json_of(const ResumePolicy& policy) {
    boost::json::object object{{"resume_target", "runnable"},
                               {"consume_matched_signals", policy.consume_matched_signals},
                               {"retain_signal_buffer_until_closed", policy.retain_signal_buffer_until_closed},
                               {"close_waitpoint_on_resume", policy.close_waitpoint_on_resume}};
    if (policy.resume_delay_ms) object["resume_delay_ms"] = *policy.resume_delay_ms;
    return {boost::json::serialize(object)};
}

ResumePolicy resume_policy_of(const Json& json) {
    ResumePolicy policy;
    boost::system::error_code failure;
    const auto value = boost::json::parse(json.text, failure);
    if (failure || !value.is_object()) return policy;
    if (const auto* delay = value.get_object().if_contains("resume_delay_ms")) {
        std::uint64_t delay_ms = delay->to_number<std::uint64_t>(failure);
        if (!failure) policy.resume_delay_ms = delay_ms;
    }
    return policy;
}

}  // namespace flowfabric
