#include <algorithm>

#include "core/base/handle_codec.hpp"
#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/base/tags.hpp"
#include "core/command/admission.hpp"
#include "core/execution/retention.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t default_dedup_window_ms = 86'400'000;

std::optional<EngineError> check_create(const CreateExecution& c, const Settings& settings) {
    Checks check;
    if (c.execution_id) check(check_partition(*c.execution_id));
    check(check_identity("namespace", c.namespace_name));
    check(check_lane_id(c.lane_id));
    check(check_text("execution_kind", c.execution_kind, max_label_bytes));
    check(check_text("creator_identity", c.creator_identity, max_label_bytes));
    check(check_text("idempotency_key", c.idempotency_key, max_idempotency_key_bytes));
    if (c.payload_encoding) check(check_text("payload_encoding", *c.payload_encoding, max_label_bytes));
    check(check_tags(c.tags));
    check(check_payload("input_payload", c.input_payload, settings.max_payload_bytes));
    check.require(c.delay_until_ms.value_or(0) >= 0, "delay_until", "must not be negative");
    check.require(c.execution_deadline_at_ms.value_or(0) >= 0, "execution_deadline_at", "must not be negative");
    return check.fault();
}

}  // namespace

Result<Command> admit(CreateExecution command, const Settings& settings, const IdSource& ids) {
    if (auto fault = check_create(command, settings)) return *fault;

    AdmittedCreate create;
    ExecutionRow& row = create.row;
    std::int32_t priority = command.priority;
    row.delay_until_ms = command.delay_until_ms;
    create.dedup_window_ms = default_dedup_window_ms;
    if (command.policy) {
        // Through its own parser, so that a policy built in code meets the same rules as one that arrives as JSON.
        std::string json = command.policy->to_json();
        auto policy = ExecutionPolicy::parse(json);
        if (!policy) return policy.error();
        if (priority == 0) priority = policy->priority;
        if (!row.delay_until_ms) row.delay_until_ms = policy->delay_until_ms;
        if (policy->dedup_window_ms) create.dedup_window_ms = std::max<std::uint64_t>(*policy->dedup_window_ms, 1);
        if (policy->timeout_policy) create.execution_deadline_ms = policy->timeout_policy->execution_deadline_ms;
        if (policy->routing_requirements) {
            row.required_capabilities = policy->routing_requirements->required_capabilities;
        }
        row.own_retention_ms = own_retention_ms(*policy);
        row.policy = Json{policy->to_json()};
    }
    create.minted = !command.execution_id;
    row.id = command.execution_id ? *command.execution_id : solo_execution_id(command.lane_id, ids.at(0));
    row.namespace_name = std::move(command.namespace_name);
    row.lane_id = std::move(command.lane_id);
    row.execution_kind = std::move(command.execution_kind);
    row.creator_identity = std::move(command.creator_identity);
    row.payload_encoding = std::move(command.payload_encoding);
    row.priority = std::clamp(priority, 0, max_priority);
    row.deadline_at_ms = command.execution_deadline_at_ms;
    row.tags = json_of(command.tags);
    if (!command.idempotency_key.empty()) {
        create.idempotency = IdempotencyKey{row.namespace_name, command.idempotency_key};
        row.idempotency_key = std::move(command.idempotency_key);
    }
    create.input = std::move(command.input_payload);
    return Command{std::move(create)};
}

Result<Command> admit(Claim command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_lanes(command.lanes));
    check(check_identity("worker_id", command.worker_id));
    check(check_identity("worker_instance_id", command.worker_instance_id));
    check(check_ttl(command.lease_ttl_ms));
    check(check_range("max_count", command.max_count, 0, max_claim_count));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    command.capabilities = std::move(*capabilities);
    std::ranges::sort(command.lanes);
    command.lanes.erase(std::ranges::unique(command.lanes).begin(), command.lanes.end());
    return Command{AdmittedClaim{std::move(command), ids}};
}

Result<Command> admit(Renew command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    std::uint64_t ttl = command.lease_ttl_ms.value_or(0);
    if (!command.lease_ttl_ms) {
        const auto* handle = std::get_if<Handle>(&command.lease);
        if (handle == nullptr) return invalid_input("lease_ttl_ms", "is required without a handle");
        ttl = decode_handle(*handle, settings.backend)->lease_ttl_ms;
    }
    if (auto checked = check_ttl(ttl); !checked) return checked.error();
    return Command{AdmittedRenew{*lease, ttl}};
}

Result<Command> admit(Complete command, const Settings& settings, const IdSource&) {
    Checks check;
    if (command.result) check(check_payload("result", *command.result, settings.max_payload_bytes));
    if (command.result_encoding) check(check_text("result_encoding", *command.result_encoding, max_label_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command{AdmittedComplete{*lease, std::move(command.result), std::move(command.result_encoding)}};
}

Result<Command> admit(Fail command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("category", command.category, max_label_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command{AdmittedFail{*lease, std::move(command.reason), std::move(command.category)}};
}

Result<Command> admit(Progress command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_range("percent", command.percent.value_or(0), 0, max_progress_percent));
    if (command.message) check(check_text("message", *command.message, max_progress_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{AdmittedProgress{*lease, command.percent, std::move(command.message)}};
}

Result<Command> admit(const Delay& command, const Settings& settings, const IdSource&) {
    if (command.delay_until_ms < 0) return invalid_input("delay_until", "must not be negative");
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command{AdmittedDelay{*lease, command.delay_until_ms}};
}

Result<Command> admit(const ReleaseUnstarted& command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{AdmittedRelease{*lease}};
}

Result<Command> admit(Cancel command, const Settings& settings, const IdSource&) {
    if (auto checked = check_text("reason", command.reason, max_reason_bytes); !checked) return checked.error();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{AdmittedCancel{*lease, std::move(command.reason), "worker", true}};
}

Result<Command> admit(CancelExecution command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("source", command.source, max_label_bytes));
    check.require(!command.source.empty(), "source", "must not be empty");
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.execution, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{AdmittedCancel{*lease, std::move(command.reason), std::move(command.source), false}};
}

Result<Command> admit(SetExecutionTags command, const Settings&, const IdSource&) {
    Checks check;
    check(check_partition(command.execution_id));
    check(check_tags(command.tags));
    if (check.fault()) return *check.fault();
    return Command{AdmittedTags{command.execution_id, std::move(command.tags)}};
}

Result<Command> admit(ChangePriority command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    return Command{AdmittedPriority{command.execution_id, std::clamp(command.new_priority, 0, max_priority)}};
}

Result<Command> admit(ReplayExecution command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    return Command{AdmittedReplay{command.execution_id, std::nullopt, {}}};
}

Result<Command> admit(RevokeLease command, const Settings&, const IdSource&) {
    Checks check;
    check(check_partition(command.execution_id));
    if (!command.worker_instance_id.empty()) check(check_identity("worker_instance_id", command.worker_instance_id));
    check(check_text("reason", command.reason, max_reason_bytes));
    if (check.fault()) return *check.fault();
    return Command{AdmittedRevoke{command.execution_id, command.expected_lease_id,
                                  std::move(command.worker_instance_id), std::move(command.reason)}};
}

Result<Command> admit(IssueGrantAndClaim command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_partition(command.execution_id));
    check(check_ttl(command.lease_ttl_ms));
    if (check.fault()) return *check.fault();
    return Command{AdmittedOperatorClaim{command.execution_id, command.lease_ttl_ms, ids}};
}

Command command_of(Timer timer, const ExecutionId& id) {
    switch (timer) {
        case Timer::lease_expiry:
            return ExpireLease{id};
        case Timer::delayed_promotion:
            return PromoteDelayed{id};
        case Timer::attempt_timeout:
            return TimeOutAttempt{id};
        case Timer::execution_deadline:
            return ExpireExecution{id};
        case Timer::grant_expiry:
            return LapseGrant{id};
        case Timer::retention:
            return RemoveEnded{id, {}};
        case Timer::suspension_timeout:
            return TimeOutSuspension{id};
        case Timer::waitpoint_expiry:
            break;
    }
    return ExpireWaitpoints{id};
}

Result<Command> admit(FireTimer command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    if (!is_known(command.timer)) return invalid_input("timer", "no such timer");
    return command_of(command.timer, command.execution_id);
}

Result<Command> admit(SetLaneState command, const Settings&, const IdSource&) {
    if (auto checked = check_lane_id(command.lane_id); !checked) return checked.error();
    if (!is_known(command.state)) return invalid_input("state", "no such lane state");
    return Command{AdmittedLaneState{std::move(command.lane_id), command.state}};
}

Result<Command> admit(const SetSetting& command, const Settings&, const IdSource&) {
    const auto spec = find_setting(command.name);
    if (!spec) return spec.error();
    auto value = normal_text(**spec, command.value);
    if (!value) return value.error();
    return Command{AdmittedSetting{command.name, std::move(*value)}};
}

namespace {

Result<ConsumerKey> consumer_key(Channel channel, std::string name) {
    if (!is_known(channel)) return invalid_input("channel", "no such channel");
    if (auto checked = check_identity("consumer", name); !checked) return checked.error();
    return ConsumerKey{channel, std::move(name)};
}

Result<std::int64_t> place_of(const Bytes& cursor) {
    const auto id = parse_cursor(cursor);
    if (!id) return id.error();
    if (!*id) return invalid_input("cursor", "is empty");
    return **id;
}

template <class Admitted>
Result<Command> admit_place(Channel channel, std::string name, const Bytes& cursor) {
    auto key = consumer_key(channel, std::move(name));
    if (!key) return key.error();
    const auto place = place_of(cursor);
    if (!place) return place.error();
    return Command{Admitted{std::move(*key), *place}};
}

}  // namespace

Result<Command> admit(RegisterConsumer command, const Settings&, const IdSource&) {
    return admit_place<AdmittedRegistration>(command.channel, std::move(command.consumer), command.cursor);
}

Result<Command> admit(AcknowledgeEvents command, const Settings&, const IdSource&) {
    return admit_place<AdmittedAcknowledgement>(command.channel, std::move(command.consumer), command.cursor);
}

Result<Command> admit(RemoveConsumer command, const Settings&, const IdSource&) {
    auto key = consumer_key(command.channel, std::move(command.consumer));
    if (!key) return key.error();
    return Command{AdmittedRemoval{std::move(*key)}};
}

}  // namespace flowfabric
