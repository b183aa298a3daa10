#include <algorithm>
#include <limits>

#include "core/base/names.hpp"
#include "core/base/saturating.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/accepted_signals.hpp"
#include "core/suspension/remembered_suspend.hpp"
#include "core/suspension/suspension.hpp"
#include "core/suspension/waitpoint.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {
namespace {

// ---- binding ----------------------------------------------------------------------------------------------------

struct Deadline {
    std::optional<std::int64_t> at_ms;
    TimeoutBehavior behavior = TimeoutBehavior::fail;
};

// The command's own, else the execution's policy's.
Result<Deadline> deadline_of(const Suspend& command, const ExecutionRow& row, std::int64_t now) {
    Deadline deadline{.at_ms = command.timeout_at_ms};
    const auto policy = stored_policy(row);
    if (!policy) return policy.error();
    const auto own = *policy ? (*policy)->suspension_policy : std::nullopt;
    if (!deadline.at_ms && own && own->default_timeout_ms) {
        deadline.at_ms = saturating_add(now, *own->default_timeout_ms);
    }
    if (own) deadline.behavior = timeout_behavior_of(own->timeout_behavior);
    if (command.timeout_behavior) deadline.behavior = *command.timeout_behavior;
    if (deadline.at_ms) {
        if (auto checked = check_timeout_at(*deadline.at_ms, now); !checked) return checked.error();
    }
    return deadline;
}

Result<WaitpointRow> bind_pending(const WaitpointId& id, const ExecutionRow& row, const WorkingSet& set,
                                  std::int64_t now) {
    const WaitpointRow* waitpoint = set.side.of<WaitpointRow>().find({row.id.partition, id});
    if (waitpoint == nullptr) return refusal(ErrorKind::waitpoint_not_found, id.to_string());
    if (waitpoint->owner() != row.id || waitpoint->attempt_index != row.attempt_index) {
        return refusal(ErrorKind::invalid_waitpoint_for_execution, id.to_string());
    }
    if (waitpoint->state != WaitpointState::pending) return refusal(ErrorKind::waitpoint_not_pending, id.to_string());
    if (has_lapsed(*waitpoint, now)) return refusal(ErrorKind::pending_waitpoint_expired, id.to_string());
    if (waitpoint->token_kid.empty()) return refusal(ErrorKind::waitpoint_not_token_bound, id.to_string());
    return *waitpoint;
}

Result<WaitpointRow> bind_fresh(const FreshWaitpoint& fresh, const ExecutionRow& row, const WorkingSet& set,
                                const SigningKey& signer, std::int64_t now) {
    const WaitpointId& id = *fresh.waitpoint_id;
    if (set.side.of<WaitpointRow>().find({row.id.partition, id}) != nullptr) {
        return refusal(ErrorKind::waitpoint_already_exists, id.to_string());
    }
    return new_waitpoint(row, id, fresh.waitpoint_key, signer, now);
}

Result<std::vector<WaitpointRow>> bind(const Suspend& command, const ExecutionRow& row, const WorkingSet& set,
                                       const SigningKey& signer, std::int64_t now) {
    std::vector<WaitpointRow> bound;
    std::vector<BoundKey> keys;
    bound.reserve(command.waitpoints.size());
    for (const WaitpointBinding& binding : command.waitpoints) {
        const auto* fresh = std::get_if<FreshWaitpoint>(&binding);
        auto waitpoint = fresh != nullptr
                             ? bind_fresh(*fresh, row, set, signer, now)
                             : bind_pending(std::get<UsePendingWaitpoint>(binding).waitpoint_id, row, set, now);
        if (!waitpoint) return waitpoint.error();
        if (std::ranges::find(bound, waitpoint->key, &WaitpointRow::key) != bound.end()) {
            return refusal(ErrorKind::waitpoint_already_exists, waitpoint->key.waitpoint_id.to_string());
        }
        bound.push_back(std::move(*waitpoint));
        keys.push_back({.key = bound.back().waitpoint_key, .fresh = fresh != nullptr});
    }
    if (auto checked = check_bindings(command.resume_condition, keys); !checked) return checked.error();
    return bound;
}

BlockingReason blocking_reason_of(SuspensionReason reason) {
    switch (reason) {
        case SuspensionReason::waiting_for_approval:
            return BlockingReason::waiting_for_approval;
        case SuspensionReason::waiting_for_callback:
            return BlockingReason::waiting_for_callback;
        case SuspensionReason::waiting_for_tool_result:
            return BlockingReason::waiting_for_tool_result;
        case SuspensionReason::waiting_for_operator_review:
        case SuspensionReason::manual_pause:
            return BlockingReason::paused_by_operator;
        case SuspensionReason::paused_by_policy:
            return BlockingReason::paused_by_policy;
        case SuspensionReason::paused_by_budget:
            return BlockingReason::waiting_for_budget;
        case SuspensionReason::waiting_for_signal:
        case SuspensionReason::step_boundary:
            break;
    }
    return BlockingReason::waiting_for_signal;
}

std::uint64_t ttl_of_lease(const ExecutionRow& row) {
    return static_cast<std::uint64_t>(saturating_difference(*row.lease_expires_at_ms, *row.lease_last_renewed_at_ms));
}

// ---- what a repeat is told --------------------------------------------------------------------------------------

constexpr std::int64_t as_long_as_the_execution = std::numeric_limits<std::int64_t>::max();

RememberedSuspend outcome_of(const SuspensionId& suspension_id, const std::vector<WaitpointRow>& waitpoints) {
    RememberedSuspend outcome{.suspension_id = suspension_id, .waitpoints = {}};
    for (const WaitpointRow& waitpoint : waitpoints) {
        outcome.waitpoints.push_back({waitpoint.key.waitpoint_id, waitpoint.waitpoint_key, waitpoint.token_kid});
    }
    return outcome;
}

bool is_open(const RememberedSuspend& remembered, const WorkingSet& set, const ExecutionRow& row) {
    const SuspensionRow* open = open_suspension(set, row);
    return open != nullptr && open->suspension_id == remembered.suspension_id;
}

Answer already_met(SuspensionDetails details, const std::vector<std::int32_t>& seqs, const WorkingSet& set,
                   const ExecutionId& id) {
    GivenSignals given = signals_with(seqs, set, id);
    return Answer::of<SuspendOutcome>(ConditionAlreadyMet{std::move(details), std::move(given.signals), given.more});
}

Result<Answer> recall_open(const RememberedSuspend& remembered, const ExecutionRow& row, DecisionContext& context,
                           std::int64_t now) {
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    auto details = remembered.details(row.id, *keyring);
    if (!details) return details.error();
    return Answer::of<SuspendOutcome>(
        Suspended{std::move(*details), Handle{.backend = context.settings.backend,
                                              .kind = HandleKind::suspended,
                                              .opaque = remembered.handle.value_or(Bytes{})}});
}

// ---- suspending -------------------------------------------------------------------------------------------------

class SuspendBody final : public OnLease {
  public:
    // The command has the ids of its suspension and of all waitpoints. `named`: the ids that the caller chose, which
    // may be taken.
    SuspendBody(const HeldLease& lease, Suspend command, std::vector<WaitpointId> named)
        : OnLease(lease), command_(std::move(command)), named_(std::move(named)) {}

    CommandTraits traits() const override { return {.name = "suspend"}; }
    std::size_t bytes() const override;
    void name_rows(NamedRows& rows) const override;
    void widen(const MoreRows& more) override { recalled_ = more.signals; }
    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override;

  private:
    const SuspensionId& suspension_id() const { return *command_.suspension_id; }

    const SuspendDedupRow* earlier_outcome(const ExecutionRow& row, const WorkingSet& set) const;
    void remember(const RememberedSuspend& outcome, const Transition& transition, WorkingSet& set) const;
    bool are_at_hand(const std::vector<std::int32_t>& seqs) const { return std::ranges::includes(recalled_, seqs); }
    Result<Answer> recall_satisfied(const RememberedSuspend& remembered, Transition& transition,
                                    DecisionContext& context) const;
    std::optional<EngineError> refuse(Transition& transition, const WorkingSet& set) const;
    void open(std::vector<WaitpointRow> waitpoints, const std::vector<std::int32_t>& kept, const Deadline& deadline,
              Transition& transition, WorkingSet& set) const;

    Suspend command_;
    std::vector<WaitpointId> named_;
    std::vector<std::int32_t> recalled_;  // seqs of the signals that its answer may carry
};

std::size_t SuspendBody::bytes() const {
    std::size_t keys = 0;
    for (const WaitpointBinding& binding : command_.waitpoints) {
        if (const auto* fresh = std::get_if<FreshWaitpoint>(&binding)) keys += contents_of(fresh->waitpoint_key);
    }
    return sizeof(*this) + keys +
           contents_of(command_.waitpoints, named_, command_.resume_condition.to_json(),
                       command_.continuation_metadata_pointer, command_.idempotency_key);
}

void SuspendBody::name_rows(NamedRows& rows) const {
    SideRowsWanted& wanted = rows.side;
    wanted.of<SigningKeyRow>().all = true;
    for (const WaitpointId& id : named_) wanted.of<WaitpointRow>().keys.push_back({execution_id().partition, id});
    if (!command_.idempotency_key.empty()) {
        wanted.of<SuspendDedupRow>().keys.push_back({execution_id(), command_.idempotency_key});
    }
    for (const std::int32_t seq : recalled_) {
        wanted.of<SignalRow>().keys.push_back({execution_id(), seq});
        wanted.of<SignalPayloadRow>().keys.push_back({execution_id(), seq});
    }
}

const SuspendDedupRow* SuspendBody::earlier_outcome(const ExecutionRow& row, const WorkingSet& set) const {
    if (command_.idempotency_key.empty()) return nullptr;
    const auto* known = set.side.of<SuspendDedupRow>().find({execution_id(), command_.idempotency_key});
    return known != nullptr && known->replay_count == row.replay_count ? known : nullptr;
}

void SuspendBody::remember(const RememberedSuspend& outcome, const Transition& transition, WorkingSet& set) const {
    if (command_.idempotency_key.empty()) return;
    const std::int64_t now = transition.now();
    set.side.of<SuspendDedupRow>().put({.key = {execution_id(), command_.idempotency_key},
                                        .outcome_json = outcome.to_json(),
                                        .created_at_ms = now,
                                        .expires_at_ms = as_long_as_the_execution,
                                        .satisfied_at_ms = outcome.handle ? std::nullopt : std::optional(now),
                                        .replay_count = transition.row().replay_count});
}

std::optional<EngineError> SuspendBody::refuse(Transition& transition, const WorkingSet& set) const {
    const ExecutionRow& row = transition.row();
    if (row.vector.lifecycle_phase == LifecyclePhase::suspended) {
        return refusal(ErrorKind::already_suspended, row.id.to_string());
    }
    if (auto refused = refuse_by_fence(transition, lease(), OverrideRule::never)) return refused;
    if (open_suspension(set, row) != nullptr) return corruption(row.id.to_string() + ": active, and suspended as well");
    return std::nullopt;
}

void SuspendBody::open(std::vector<WaitpointRow> waitpoints, const std::vector<std::int32_t>& kept,
                       const Deadline& deadline, Transition& transition, WorkingSet& set) const {
    const std::int64_t now = transition.now();
    for (WaitpointRow& waitpoint : waitpoints) {
        waitpoint.suspension_id = suspension_id();
        waitpoint.state = WaitpointState::active;
        waitpoint.activated_at_ms = now;
        waitpoint.expires_at_ms = deadline.at_ms;
        waitpoint.required_signal_names = {required_signal_names(command_.resume_condition, waitpoint.waitpoint_key)};
        set.side.of<WaitpointRow>().put(std::move(waitpoint));
    }
    for (const std::int32_t seq : kept) {
        set.side.of<SignalRow>().change({transition.row().id, seq},
                                        [&](SignalRow& signal) { signal.suspension_id = suspension_id(); });
    }
    set.side.of<SuspensionRow>().put({.key = {transition.row().id},
                                      .suspension_id = suspension_id(),
                                      .attempt_index = transition.row().attempt_index,
                                      .suspended_at_ms = now,
                                      .timeout_at_ms = deadline.at_ms,
                                      .reason_code = command_.reason_code,
                                      .condition = {command_.resume_condition.to_json()},
                                      .timeout_behavior = deadline.behavior,
                                      .resume_policy = json_of(command_.resume_policy),
                                      .requested_by = command_.requested_by,
                                      .continuation_pointer = command_.continuation_metadata_pointer});
    transition.expect_signals();
}

// The lease goes on: what was asked for has come in this run, whichever attempt asked.
Result<Answer> SuspendBody::recall_satisfied(const RememberedSuspend& remembered, Transition& transition,
                                             DecisionContext& context) const {
    if (auto refused = refuse(transition, context.set)) return *refused;
    if (!are_at_hand(remembered.signals)) return Answer::of<MoreRows>({.signals = remembered.signals});
    const ExecutionId& id = execution_id();
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, transition.now());
    return already_met(remembered.details_of_ended(id, keyring ? &*keyring : nullptr), remembered.signals, context.set,
                       id);
}

Result<Answer> SuspendBody::decide_on(ExecutionEntry& entry, DecisionContext& context) const {
    Transition transition(entry, context.set);
    WorkingSet& set = context.set;
    const ExecutionRow& row = entry.row;
    const std::int64_t now = transition.now();
    if (auto refused = refuse_without_fence(lease())) return *refused;
    if (const auto* earlier = earlier_outcome(row, set)) {
        const auto remembered = recall(*earlier);
        if (!remembered) return remembered.error();
        if (earlier->satisfied_at_ms) return recall_satisfied(*remembered, transition, context);
        if (is_open(*remembered, set, row)) return recall_open(*remembered, row, context, now);
    }
    const auto deadline = deadline_of(command_, row, now);
    if (!deadline) return deadline.error();
    if (auto checked = check_condition(command_.resume_condition, deadline->at_ms.has_value()); !checked) {
        return checked.error();
    }
    if (auto refused = refuse(transition, set)) return *refused;
    const auto keyring = Keyring::open(set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    const auto waitpoints = bind(command_, row, set, keyring->active(), now);
    if (!waitpoints) return waitpoints.error();
    RememberedSuspend outcome = outcome_of(suspension_id(), *waitpoints);
    auto details = outcome.details(row.id, *keyring);
    if (!details) return details.error();

    const CountingSignals kept = kept_signals(*waitpoints, set, row);
    const Evaluation evaluation = evaluate(command_.resume_condition, kept.facts);
    const std::vector<std::int32_t> satisfiers = kept.satisfiers(evaluation);
    if (evaluation.satisfied) {
        outcome.signals = seqs_to_give(kept.seqs, satisfiers);
        if (!are_at_hand(outcome.signals)) return Answer::of<MoreRows>({.signals = std::move(outcome.signals)});
    }
    open(*waitpoints, kept.seqs, *deadline, transition, set);
    if (evaluation.satisfied) {
        close_suspension(transition, set,
                         {.reason = WaitpointCloseReason::resumed,
                          .closer = std::nullopt,
                          .satisfiers = satisfiers,
                          .satisfied = true});
        remember(outcome, transition, set);
        return already_met(std::move(*details), outcome.signals, set, row.id);
    }
    const Handle handle = handle_of(row, HandleKind::suspended, ttl_of_lease(row), context.settings.backend);
    transition.suspend(suspension_id(), details->primary.waitpoint_id, blocking_reason_of(command_.reason_code));
    outcome.handle = handle.opaque;
    remember(outcome, transition, set);
    return Answer::of<SuspendOutcome>(Suspended{std::move(*details), handle});
}

}  // namespace

template <>
Result<Command> admit(Suspend command, const Settings& settings, const IdSource& ids) {
    if (command.waitpoints.empty()) return EngineError{.kind = ErrorKind::invalid_input, .detail = "waitpoints_empty"};
    Checks check;
    check.require(command.waitpoints.size() <= max_waitpoints, "waitpoints",
                  "more than " + std::to_string(max_waitpoints));
    check.require(is_known(command.reason_code), "reason_code", "no such reason");
    check.require(is_known(command.requested_by), "requested_by", "nobody of that kind");
    check.require(is_known(command.timeout_behavior.value_or(TimeoutBehavior::fail)), "timeout_behavior",
                  "no such behaviour");
    check(check_text("idempotency_key", command.idempotency_key, max_idempotency_key_bytes));
    if (command.continuation_metadata_pointer) {
        check(check_text("continuation_metadata_pointer", *command.continuation_metadata_pointer, max_reason_bytes));
    }
    std::uint32_t minted = 1;
    std::vector<WaitpointId> named;
    for (std::size_t i = 0; i < command.waitpoints.size(); ++i) {
        auto* fresh = std::get_if<FreshWaitpoint>(&command.waitpoints[i]);
        if (fresh == nullptr && i > 0) {
            return EngineError{
                .kind = ErrorKind::invalid_input,
                .detail = "additional_waitpoint_binding_must_be_fresh at waitpoints[" + std::to_string(i) + "]"};
        }
        if (fresh == nullptr) {
            named.push_back(std::get<UsePendingWaitpoint>(command.waitpoints[i]).waitpoint_id);
            continue;
        }
        check(check_waitpoint_key(fresh->waitpoint_key));
        if (fresh->waitpoint_id) {
            named.push_back(*fresh->waitpoint_id);
        } else {
            fresh->waitpoint_id = WaitpointId{ids.at(minted++)};
        }
    }
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    if (!command.suspension_id) command.suspension_id = SuspensionId{ids.at(0)};
    return Command::make<SuspendBody>(*lease, std::move(command), std::move(named));
}

}  // namespace flowfabric
