#include "ledger.hpp"

#include <algorithm>

#include "core/base/handle_codec.hpp"
#include "support/complaints.hpp"

namespace flowfabric::test {
namespace {

std::optional<HandleContent> content_of(const LeaseRef& lease) {
    const auto* handle = std::get_if<Handle>(&lease);
    if (handle == nullptr) return std::nullopt;
    auto content = decode_handle(*handle, handle->backend);
    return content ? std::optional(std::move(*content)) : std::nullopt;
}

const AttemptRow* ended_attempt(const StoredExecution& stored, const AttemptId& id) {
    const auto found = std::ranges::find(stored.attempts, id, &AttemptRow::attempt_id);
    return found == stored.attempts.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Ledger::AttemptKey> Ledger::attempt_of(const LeaseRef& lease) {
    if (const auto content = content_of(lease)) return AttemptKey{content->execution_id, content->attempt_id};
    const auto* fence = std::get_if<Fence>(&lease);
    if (fence == nullptr || !fence->attempt_id) return std::nullopt;
    return AttemptKey{fence->execution_id, *fence->attempt_id};
}

std::optional<LeaseId> Ledger::lease_of(const LeaseRef& lease) {
    if (const auto content = content_of(lease)) return content->lease_id;
    const auto* fence = std::get_if<Fence>(&lease);
    return fence == nullptr ? std::nullopt : fence->lease_id;
}

bool Ledger::was_given(const LeaseRef& lease) const {
    const auto content = content_of(lease);
    const auto* fence = std::get_if<Fence>(&lease);
    const ExecutionId id = content ? content->execution_id : fence->execution_id;
    return claimed_.contains({id, content ? content->lease_epoch : fence->lease_epoch->value});
}

void Ledger::sent(const UserCommand& command) {
    if (const auto* complete = std::get_if<Complete>(&command)) {
        if (const auto attempt = attempt_of(complete->lease)) results_sent_[*attempt].insert(complete->result);
    } else if (const auto* renew = std::get_if<Renew>(&command)) {
        if (const auto lease = lease_of(renew->lease)) ++renewals_[*lease].sent;
    } else if (const auto* suspend = std::get_if<Suspend>(&command)) {
        const auto attempt = attempt_of(suspend->lease);
        const bool known = attempt && suspend->suspension_id && !suspend->idempotency_key.empty();
        if (known) asked_.emplace(*suspend->suspension_id, std::pair(attempt->execution_id, suspend->idempotency_key));
    }
}

void Ledger::told(const UserCommand& command, const Result<Answer>& answer) {
    if (!answer) return;
    if (const auto* created = answer->get_if<Created>()) {
        created_.insert(created->execution_id);
    } else if (const auto* claimed = answer->get_if<Claimed>()) {
        told_claimed(std::get<Claim>(command), *claimed);
    } else if (answer->get_if<Renewed>() != nullptr) {
        ++renewals_[*lease_of(std::get<Renew>(command).lease)].told;
    } else if (const auto* completed = answer->get_if<Completed>()) {
        const auto attempt = attempt_of(std::get<Complete>(command).lease);
        if (attempt) {
            completed_.insert(*attempt);
        } else {
            completed_by_operator_.insert(completed->execution_id);
        }
    } else if (const auto* failed = answer->get_if<Failed>()) {
        const LeaseRef& lease = std::get<Fail>(command).lease;
        const auto attempt = attempt_of(lease);
        // A made-up epoch may hit that of a lease lost to the reclaim cap: nothing is changed by it, nothing follows.
        if (!attempt || !was_given(lease)) return;
        (std::holds_alternative<RetryScheduled>(*failed) ? retried_ : failed_).insert(*attempt);
    } else if (const auto* cancelled = answer->get_if<Cancelled>()) {
        cancelled_.insert(cancelled->execution_id);
    } else if (answer->get_if<Delayed>() != nullptr) {
        told_given_back(std::get<Delay>(command).lease, "worker_delay");
    } else if (answer->get_if<Released>() != nullptr) {
        told_given_back(std::get<ReleaseUnstarted>(command).lease, "unstarted");
    }
}

void Ledger::told_given_back(const LeaseRef& lease, std::string reason) {
    if (const auto id = lease_of(lease); id && leases_.contains(*id)) given_back_.emplace(*id, std::move(reason));
}

void Ledger::told_claimed(const Claim& command, const Claimed& claimed) {
    const std::pair request(command.worker_instance_id, command.request_id);
    for (const ClaimedExecution& one : claimed.executions) {
        const Complaints complaints(complaints_, one.execution_id.to_string());
        const std::pair key(one.execution_id, one.lease_epoch.value);
        const auto [known, first] = claimed_.emplace(key, one);
        const bool again = !first && !command.request_id.empty() && requests_.at(key) == request;
        requests_.emplace(key, request);
        if (again) {
            complaints.require(known->second.lease_id == one.lease_id, "a request was given another lease");
            continue;
        }
        complaints.require(first, "epoch " + std::to_string(one.lease_epoch.value) + " was given to two claims");
        complaints.require(leases_.insert(one.lease_id).second, "a lease id was given to two claims");
    }
}

std::vector<std::string> Ledger::contradictions(const Dump& dump) const {
    std::vector<std::string> found = complaints_;
    for (const ExecutionId& id : created_) {
        Complaints(found, id.to_string()).require(dump.executions.contains(id), "was created and does not exist");
    }
    check_claims(dump, found);
    check_ends(dump, found);
    check_renewals(dump, found);
    check_given_back(dump, found);
    check_approvals(dump, found);
    check_given_signals(dump, found);
    for (const ExecutionId& id : cancelled_) {
        if (dump.executions.at(id).row.replay_count > 0) continue;
        Complaints(found, id.to_string())
            .require(dump.executions.at(id).row.vector.terminal_outcome == TerminalOutcome::cancelled,
                     "somebody was told that it is cancelled, and it is not");
    }
    return found;
}

void Ledger::check_claims(const Dump& dump, std::vector<std::string>& found) const {
    std::map<LeaseId, const LeaseEvent*> openings;
    for (const LeaseEvent& event : dump.lease_events) openings.try_emplace(event.lease_id, &event);
    for (const auto& [key, claimed] : claimed_) {
        const auto opening = openings.find(claimed.lease_id);
        const bool there = opening != openings.end() && opening->second->execution_id == key.first &&
                           opening->second->lease_epoch == key.second &&
                           opening->second->attempt_id == claimed.attempt_id;
        Complaints(found, key.first.to_string()).require(there, "a claim that was answered left no opening event");
    }
}

void Ledger::check_ends(const Dump& dump, std::vector<std::string>& found) const {
    std::map<ExecutionId, AttemptId> winners;
    for (const AttemptKey& key : completed_) {
        const Complaints complaints(found, key.execution_id.to_string());
        const StoredExecution& stored = dump.executions.at(key.execution_id);
        const AttemptRow* attempt = ended_attempt(stored, key.attempt_id);
        complaints.require(attempt != nullptr && attempt->outcome == AttemptOutcome::ended_success,
                           "another attempt completed it than the one that was told so");
        if (stored.row.replay_count > 0) continue;  // it may have ended in any way since
        complaints.require(winners.emplace(key.execution_id, key.attempt_id).first->second == key.attempt_id,
                           "two attempts were told that they completed it");
        complaints.require(stored.row.vector.terminal_outcome == TerminalOutcome::success,
                           "an attempt was told that it completed it, and it is no success");
        if (completed_by_operator_.contains(key.execution_id)) continue;
        complaints.require(results_sent_.at(key).contains(stored.result), "its result is not what its attempt sent");
    }
    for (const ExecutionId& id : completed_by_operator_) {
        if (dump.executions.at(id).row.replay_count > 0) continue;
        Complaints(found, id.to_string())
            .require(dump.executions.at(id).row.vector.terminal_outcome == TerminalOutcome::success,
                     "an operator was told that it completed, and it is no success");
    }
    const auto expect_failed = [&](const AttemptKey& key) {
        const AttemptRow* attempt = ended_attempt(dump.executions.at(key.execution_id), key.attempt_id);
        Complaints(found, key.execution_id.to_string())
            .require(attempt != nullptr && attempt->outcome == AttemptOutcome::ended_failure,
                     "an attempt was told that it failed, and it did not");
    };
    for (const AttemptKey& key : retried_) expect_failed(key);
    for (const AttemptKey& key : failed_) {
        expect_failed(key);
        if (dump.executions.at(key.execution_id).row.replay_count > 0) continue;
        Complaints(found, key.execution_id.to_string())
            .require(dump.executions.at(key.execution_id).row.vector.terminal_outcome == TerminalOutcome::failed,
                     "an attempt was told that it failed for good, and the execution did not");
    }
}

void Ledger::check_given_back(const Dump& dump, std::vector<std::string>& found) const {
    std::map<LeaseId, std::optional<std::string>> releases;
    for (const LeaseEvent& event : dump.lease_events) {
        if (event.event_type == LeaseEventType::released) releases.emplace(event.lease_id, event.reason);
    }
    for (const auto& [lease, reason] : given_back_) {
        const auto release = releases.find(lease);
        Complaints(found, "lease " + lease.to_string())
            .require(release != releases.end() && release->second == reason,
                     "its holder was told that it gave it back, and it ended otherwise");
    }
}

// Whatever became of the attempt that asked: behind an approval nothing is asked for again under the same key.
void Ledger::check_approvals(const Dump& dump, std::vector<std::string>& found) const {
    std::map<std::pair<ExecutionId, std::string>, std::map<std::int64_t, SuspensionId>> asked;
    std::map<std::pair<ExecutionId, std::string>, std::pair<std::int64_t, SuspensionId>> approved;
    for (const auto& [key, waitpoint] : dump.of<WaitpointRow>()) {
        if (!waitpoint.suspension_id || !asked_.contains(*waitpoint.suspension_id)) continue;
        asked[asked_.at(*waitpoint.suspension_id)].emplace(waitpoint.activated_at_ms.value(), *waitpoint.suspension_id);
    }
    for (const auto& [key, signal] : dump.of<SignalRow>()) {
        const auto waitpoint = dump.of<WaitpointRow>().find({key.execution_id.partition, signal.waitpoint_id});
        const auto suspension =
            waitpoint == dump.of<WaitpointRow>().end() ? std::nullopt : waitpoint->second.suspension_id;
        const bool approves = signal.observed_effect == SignalEffect::resume_condition_satisfied &&
                              signal.source_identity != "suspension_timeout";
        if (!approves || !suspension || !asked_.contains(*suspension)) continue;
        const bool only =
            approved.emplace(asked_.at(*suspension), std::pair(signal.accepted_at_ms, *suspension)).second;
        if (dump.executions.at(key.execution_id).row.replay_count > 0) continue;
        Complaints(found, key.execution_id.to_string()).require(only, "was approved twice under one key");
    }
    for (const auto& [subject, approval] : approved) {
        const auto& [at_ms, suspension] = approval;
        if (dump.executions.at(subject.first).row.replay_count > 0) continue;
        const auto& [asked_at_ms, last] = *asked.at(subject).rbegin();
        // Within one millisecond a suspension may time out and another be approved.
        Complaints(found, subject.first.to_string())
            .require(last == suspension || asked_at_ms <= at_ms, "an approval was asked for again after it was given");
    }
}

// A claim was given every signal that had been accepted before, in order.
void Ledger::check_given_signals(const Dump& dump, std::vector<std::string>& found) const {
    std::map<ExecutionId, std::vector<const SignalRow*>> accepted;
    for (const auto& [key, signal] : dump.of<SignalRow>()) accepted[key.execution_id].push_back(&signal);
    std::map<LeaseId, std::int64_t> opened;
    for (const LeaseEvent& event : dump.lease_events) opened.try_emplace(event.lease_id, event.occurred_at_ms);
    for (const auto& [key, claimed] : claimed_) {
        const bool replayed = dump.executions.at(key.first).row.replay_count > 0;
        if (replayed || claimed.more_signals || !opened.contains(claimed.lease_id)) continue;
        auto given = claimed.signals.begin();
        for (const SignalRow* signal : accepted[key.first]) {
            if (signal->accepted_at_ms >= opened.at(claimed.lease_id)) break;
            const bool told = given != claimed.signals.end() && given->signal_id == signal->signal_id;
            Complaints(found, key.first.to_string()).require(told, "a claim was not given a signal of before");
            if (!told) break;
            ++given;
        }
    }
}

// A renewal that was answered happened; one that was sent happened at most once.
void Ledger::check_renewals(const Dump& dump, std::vector<std::string>& found) const {
    std::map<LeaseId, std::size_t> happened;
    for (const LeaseEvent& event : dump.lease_events) {
        if (event.event_type == LeaseEventType::renewed) ++happened[event.lease_id];
    }
    for (const auto& [lease, count] : renewals_) {
        const std::size_t events = happened[lease];
        Complaints(found, "lease " + lease.to_string())
            .require(count.told <= events && events <= count.sent, std::to_string(events) + " renewals, " +
                                                                       std::to_string(count.sent) + " sent and " +
                                                                       std::to_string(count.told) + " answered");
    }
}

}  // namespace flowfabric::test
