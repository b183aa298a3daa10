#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// The vocabulary of flows: states of a flow, of its edges and of the groups that these form.
namespace flowfabric {

enum class FlowState : std::uint8_t { open, completed, failed, cancelled };

// The state that callers see: the flow's own end or, before that, what its members amount to.
enum class FlowPhase : std::uint8_t { open, running, blocked, completed, failed, cancelled };

// The state in lists of flows.
enum class FlowStatus : std::uint8_t { active, completed, failed, cancelled, unknown };

enum class GroupKind : std::uint8_t { all_of, any_of, quorum };
// What happens to the upstream executions that a decided group no longer needs.
enum class OnSatisfied : std::uint8_t { cancel_remaining, let_run };
enum class GroupState : std::uint8_t { pending, satisfied, impossible };
enum class DependencyState : std::uint8_t { unsatisfied, satisfied, impossible };
enum class EdgeState : std::uint8_t { pending, applied };
// What an edge asks of its upstream.
enum class DependencyKind : std::uint8_t { success_only };
enum class CancellationPolicy : std::uint8_t { cancel_flow_only, cancel_all, cancel_pending };

// Why a member does not run, as far as its flow is concerned.
enum class FlowEligibility : std::uint8_t {
    not_found,
    not_runnable,
    owned,
    terminal,
    impossible,
    blocked_by_dependencies,
    eligible,
};

template <>
inline constexpr std::array enum_names<FlowState> =
    std::to_array<std::string_view>({"open", "completed", "failed", "cancelled"});

template <>
inline constexpr std::array enum_names<FlowPhase> =
    std::to_array<std::string_view>({"open", "running", "blocked", "completed", "failed", "cancelled"});

template <>
inline constexpr std::array enum_names<FlowStatus> =
    std::to_array<std::string_view>({"Active", "Completed", "Failed", "Cancelled", "Unknown"});

template <>
inline constexpr std::array enum_names<GroupKind> = std::to_array<std::string_view>({"all_of", "any_of", "quorum"});

template <>
inline constexpr std::array enum_names<OnSatisfied> = std::to_array<std::string_view>({"cancel_remaining", "let_run"});

template <>
inline constexpr std::array enum_names<GroupState> =
    std::to_array<std::string_view>({"pending", "satisfied", "impossible"});

template <>
inline constexpr std::array enum_names<DependencyState> =
    std::to_array<std::string_view>({"unsatisfied", "satisfied", "impossible"});

template <>
inline constexpr std::array enum_names<EdgeState> = std::to_array<std::string_view>({"pending", "applied"});

template <>
inline constexpr std::array enum_names<DependencyKind> = std::to_array<std::string_view>({"success_only"});

template <>
inline constexpr std::array enum_names<CancellationPolicy> =
    std::to_array<std::string_view>({"cancel_flow_only", "cancel_all", "cancel_pending"});

template <>
inline constexpr std::array enum_names<FlowEligibility> = std::to_array<std::string_view>(
    {"not_found", "not_runnable", "owned", "terminal", "impossible", "blocked_by_dependencies", "eligible"});

struct GroupPolicy {
    static constexpr std::string_view type_name = "GroupPolicy";

    GroupKind kind = GroupKind::all_of;
    std::uint32_t k = 1;
    OnSatisfied on_satisfied = OnSatisfied::cancel_remaining;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("kind", &GroupPolicy::kind, field::required(), "How many of the upstream executions have to succeed.");
        visit("k", &GroupPolicy::k, field::between(1, max_group_edges), "With quorum: that many have to succeed.");
        visit("on_satisfied", &GroupPolicy::on_satisfied, field::optional,
              "What becomes of the upstream executions that are no longer needed.");
    }

    bool operator==(const GroupPolicy&) const = default;
};

}  // namespace flowfabric
