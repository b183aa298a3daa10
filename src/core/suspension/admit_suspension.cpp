#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/suspension/condition.hpp"

namespace flowfabric {
namespace {

Result<void> check_waitpoint_key(std::string_view key) {
    return check_line("waitpoint_key", key, max_label_bytes);
}

// What can be wrong with a signal, whoever sends it.
std::optional<EngineError> check_signal(const AdmittedSignal& signal) {
    Checks check;
    if (signal.payload) check(check_payload("payload", *signal.payload, max_signal_payload_bytes));
    check.require(!signal.signal_name.empty(), "signal_name", "must not be empty");
    check.require(!is_reserved_signal_name(signal.signal_name), "signal_name", "begins with __, which is reserved");
    check(check_line("signal_name", signal.signal_name, max_label_bytes));
    check(check_text("signal_category", signal.signal_category, max_label_bytes));
    check(check_text("source_type", signal.source_type, max_label_bytes));
    check(check_text("source_identity", signal.source_identity, max_label_bytes));
    check(check_text("payload_encoding", signal.payload_encoding, max_label_bytes));
    if (signal.correlation_id) check(check_text("correlation_id", *signal.correlation_id, max_label_bytes));
    check(check_text("idempotency_key", signal.idempotency_key, max_idempotency_key_bytes));
    return check.fault();
}

}  // namespace

void AdmittedSuspend::needs(SideRowsWanted& wanted) const {
    wanted.of<SigningKeyRow>().all = true;
    for (const WaitpointId& id : named) wanted.of<WaitpointRow>().keys.push_back({lease.execution_id.partition, id});
    if (!idempotency_key.empty()) {
        wanted.of<SuspendDedupRow>().keys.push_back({lease.execution_id, idempotency_key});
    }
    for (const std::int32_t seq : recalled) {
        wanted.of<SignalRow>().keys.push_back({lease.execution_id, seq});
        wanted.of<SignalPayloadRow>().keys.push_back({lease.execution_id, seq});
    }
}

void AdmittedSignal::needs(SideRowsWanted& wanted) const {
    const WaitpointKey waitpoint{execution_id.partition, waitpoint_id};
    wanted.of<SigningKeyRow>().all = true;
    wanted.of<WaitpointRow>().keys.push_back(waitpoint);
    if (remembers()) wanted.of<SignalDedupRow>().keys.push_back({waitpoint, idempotency_key});
    // Its execution says so itself, but only once it is locked.
    wanted.of<SuspensionRow>().owners.push_back(execution_id);
    wanted.of<SuspendDedupRow>().owners.push_back(execution_id);
    wanted.of<WaitpointRow>().owners.push_back(execution_id);
    wanted.of<SignalRow>().owners.push_back(execution_id);
}

Result<Command> admit(CreateWaitpoint command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_waitpoint_key(command.waitpoint_key); !checked) return checked.error();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{
        AdmittedWaitpoint{*lease, WaitpointId{ids.at(0)}, std::move(command.waitpoint_key), command.expires_in_ms}};
}

Result<Command> admit(const CloseWaitpoint& command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    const auto reason = parse_enum<WaitpointCloseReason>(command.reason);
    if (!reason) return invalid_input("reason", "no such reason to close a waitpoint");
    return Command{AdmittedWaitpointClose{command.execution_id, command.waitpoint_id, *reason}};
}

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
    return Command{AdmittedSuspend{.lease = *lease,
                                   .suspension_id = command.suspension_id.value_or(SuspensionId{ids.at(0)}),
                                   .waitpoints = std::move(command.waitpoints),
                                   .named = std::move(named),
                                   .resume_condition = std::move(command.resume_condition),
                                   .resume_policy = command.resume_policy,
                                   .reason_code = command.reason_code,
                                   .requested_by = command.requested_by,
                                   .timeout_at_ms = command.timeout_at_ms,
                                   .timeout_behavior = command.timeout_behavior,
                                   .continuation_pointer = std::move(command.continuation_metadata_pointer),
                                   .idempotency_key = std::move(command.idempotency_key)}};
}

Result<Command> admit(DeliverSignal command, const Settings&, const IdSource& ids) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    AdmittedSignal signal{.execution_id = command.execution_id,
                          .waitpoint_id = command.waitpoint_id,
                          .token = std::move(command.waitpoint_token),
                          .by_operator = false,
                          .lane_id = {},
                          .signal_id = command.signal_id.value_or(SignalId{ids.at(0)}),
                          .signal_name = std::move(command.signal_name),
                          .signal_category = std::move(command.signal_category),
                          .source_type = std::move(command.source_type),
                          .source_identity = std::move(command.source_identity),
                          .payload = std::move(command.payload),
                          .payload_encoding = std::move(command.payload_encoding),
                          .correlation_id = std::move(command.correlation_id),
                          .idempotency_key = std::move(command.idempotency_key),
                          .target_scope = command.target_scope,
                          .created_at_ms = command.created_at_ms,
                          .dedup_ttl_ms = command.dedup_ttl_ms,
                          .resume_delay_ms = command.resume_delay_ms,
                          .max_signals = command.max_signals_per_execution,
                          .refused = std::nullopt};
    signal.refused = check_signal(signal);
    // A key that no store can hold names nothing.
    if (signal.refused) signal.idempotency_key.clear();
    return Command{std::move(signal)};
}

Result<Command> admit(DeliverApprovalSignal command, const Settings&, const IdSource& ids) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    AdmittedSignal signal{.execution_id = command.execution_id,
                          .waitpoint_id = command.waitpoint_id,
                          .token = {},
                          .by_operator = true,
                          .lane_id = std::move(command.lane_id),
                          .signal_id = SignalId{ids.at(0)},
                          .signal_name = std::move(command.signal_name),
                          .signal_category = "approval",
                          .source_type = "operator",
                          .source_identity = {},
                          .payload = std::nullopt,
                          .payload_encoding = "json",
                          .correlation_id = std::nullopt,
                          .idempotency_key = {},
                          .target_scope = SignalScope::execution,
                          .created_at_ms = std::nullopt,
                          .dedup_ttl_ms = command.signal_dedup_ttl_ms,
                          .resume_delay_ms = 0,
                          .max_signals = command.max_signals_per_execution,
                          .refused = std::nullopt};
    signal.idempotency_key = "approval:" + signal.signal_name + ":" + command.idempotency_suffix;
    if (auto fault = check_signal(signal)) return *fault;
    return Command{std::move(signal)};
}

Result<Command> admit(ResumeExecution command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    if (!is_known(command.trigger)) return invalid_input("trigger_type", "no such trigger");
    return Command{AdmittedResume{command.execution_id, command.trigger, command.resume_delay_ms}};
}

}  // namespace flowfabric
