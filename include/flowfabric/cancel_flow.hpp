#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/flow_state.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"

// Cancelling a flow with its members.
namespace flowfabric {

struct FlowCancelled {
    static constexpr std::string_view type_name = "FlowCancelled";

    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::optional<std::string> reason;
    std::vector<ExecutionId> members;
    bool already_terminal = false;
    bool members_pending = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cancellation_policy", &FlowCancelled::policy, field::optional, "Which members are cancelled with it.");
        visit("reason", &FlowCancelled::reason, field::optional, "Why it was cancelled.");
        visit("members", &FlowCancelled::members, field::optional,
              "The members that were to be cancelled, in order of their ids.");
        visit("already_terminal", &FlowCancelled::already_terminal, field::optional,
              "True: by an earlier call, whose policy, reason and members these are.");
        visit("members_pending", &FlowCancelled::members_pending, field::optional,
              "True: some of the members are still to be cancelled.");
    }

    bool operator==(const FlowCancelled&) const = default;
};

// Answers once the flow is cancelled, and with it up to 1,000 of its members; the others follow at once, and after a
// crash as soon as an engine runs. With a wait it answers when the last of them has ended.
struct CancelFlow {
    using Answer = FlowCancelled;
    static constexpr std::string_view type_name = "CancelFlow";
    static constexpr Operation operation{"cancel_flow", "Cancels a flow and, as its policy says, its members."};

    FlowId flow_id;
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::string reason;
    std::string requester;
    std::uint64_t grace_ms = 30'000;
    std::uint64_t max_wait_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &CancelFlow::flow_id, field::required(), "The flow's id, a UUID.");
        visit("cancellation_policy", &CancelFlow::policy, field::required(), "Which members are cancelled with it.");
        visit("reason", &CancelFlow::reason, field::required(field::text(max_reason_bytes)), "Why, for people.");
        visit("requester", &CancelFlow::requester, field::text(max_label_bytes), "Who asks for it.");
        visit("grace_ms", &CancelFlow::grace_ms, field::between(0, static_cast<std::uint64_t>(max_grace_ms)),
              "How long its members have before the reconciler of any engine takes over.");
        visit("max_wait_ms", &CancelFlow::max_wait_ms, field::between(0, max_ttl_ms),
              "How long to wait for the end of its members; by then the answer is timeout, and they end all the same.");
    }
};

struct MemberAcknowledged {
    static constexpr std::string_view type_name = "MemberAcknowledged";

    bool operator==(const MemberAcknowledged&) const = default;
};

struct AckCancelMember {
    using Answer = MemberAcknowledged;
    static constexpr std::string_view type_name = "AckCancelMember";
    static constexpr Operation operation{"ack_cancel_member", "Says that a member of a cancelled flow is dealt with."};

    FlowId flow_id;
    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &AckCancelMember::flow_id, field::required(), "The cancelled flow.");
        visit("execution_id", &AckCancelMember::execution_id, field::required(), "The member's execution id.");
    }
};

}  // namespace flowfabric
