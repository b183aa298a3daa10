#include "approvals.hpp"

#include "core/base/handle_codec.hpp"

namespace flowfabric::test {
namespace {

constexpr std::uint64_t executions = 3;

template <class T>
T take_last(std::vector<T>& from) {
    T last = std::move(from.back());
    from.pop_back();
    return last;
}

}  // namespace

std::optional<UserCommand> Approvals::next(std::int64_t now_ms) {
    if (created_ < executions && random_.chance(30)) return create();
    if (!begun_.empty() && random_.chance(60)) return ask(now_ms);
    if (!approved_.empty() && random_.chance(60)) return go_on();
    if (!requests_.empty() && random_.chance(50)) return approve();
    return Claim{.lanes = {lane},
                 .worker_id = "handler",
                 .worker_instance_id = "handler-" + std::to_string(random_.below(3)),
                 .lease_ttl_ms = random_.pick<std::uint64_t>({1000, 5000})};
}

void Approvals::learn(const UserCommand& command, const Answer& answer) {
    if (const auto* claimed = answer.get_if<Claimed>()) {
        begun_.insert(begun_.end(), claimed->executions.begin(), claimed->executions.end());
    }
    const auto* outcome = answer.get_if<SuspendOutcome>();
    if (outcome == nullptr) return;
    const LeaseRef& lease = std::get<Suspend>(command).lease;
    if (const auto* parked = std::get_if<Suspended>(outcome)) {
        const auto content = decode_handle(std::get<Handle>(lease), std::get<Handle>(lease).backend);
        requests_.push_back({content->execution_id, parked->details.primary});
    } else {
        approved_.push_back(lease);
    }
}

CreateExecution Approvals::create() {
    ++created_;
    CreateExecution command;
    command.lane_id = lane;
    command.execution_kind = "approval";
    command.policy = ExecutionPolicy{};
    command.policy->retry_policy = RetryPolicy{.max_retries = 4, .backoff = FixedBackoff{0}};
    return command;
}

Suspend Approvals::ask(std::int64_t now_ms) {
    Suspend command{.lease = take_last(begun_).handle};
    command.suspension_id = SuspensionId{uuid()};
    command.waitpoints = {FreshWaitpoint{std::nullopt, "approval"}};
    command.resume_condition.node = Single{"approval", ByName{"approved"}};
    command.reason_code = SuspensionReason::waiting_for_approval;
    if (random_.chance(30)) command.timeout_at_ms = now_ms + 4000;
    command.timeout_behavior = TimeoutBehavior::auto_resume_with_timeout_signal;
    command.idempotency_key = "approval";
    return command;
}

std::optional<UserCommand> Approvals::go_on() {
    const LeaseRef lease = take_last(approved_);
    if (random_.chance(50)) return std::nullopt;
    if (random_.chance(50))
        return Fail{.lease = lease, .reason = "failed behind its approval", .category = "transient"};
    return Complete{.lease = lease, .result = "approved"};
}

DeliverSignal Approvals::approve() {
    const Request& request = random_.pick(requests_);
    DeliverSignal command;
    command.execution_id = request.execution_id;
    command.waitpoint_id = request.waitpoint.waitpoint_id;
    command.waitpoint_token = request.waitpoint.token;
    command.signal_name = random_.chance(80) ? "approved" : "considered";
    command.signal_category = "approval";
    command.source_type = "user";
    command.source_identity = "ada";
    command.payload = random_.bytes(20);
    return command;
}

Uuid Approvals::uuid() {
    Uuid id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    return id;
}

}  // namespace flowfabric::test
