#include "core/flow/edge_group.hpp"

#include <boost/json.hpp>

#include "core/command/admission.hpp"

namespace flowfabric {

namespace json = boost::json;

Json policy_json(const GroupPolicy& policy) {
    json::object object{{"kind", to_string(policy.kind)}};
    if (policy.kind == GroupKind::quorum) object["k"] = policy.k;
    if (policy.kind != GroupKind::all_of) object["on_satisfied"] = to_string(policy.on_satisfied);
    return {json::serialize(object)};
}

std::optional<std::int32_t> k_target_of(const GroupPolicy& policy) {
    return policy.kind == GroupKind::quorum ? std::optional(static_cast<std::int32_t>(policy.k)) : std::nullopt;
}

GroupPolicy group_policy(const Json& stored) {
    boost::system::error_code failure;
    const auto value = json::parse(stored.text, failure);
    if (failure || !value.is_object()) return {};
    const auto& object = value.get_object();
    const auto literal = [&]<class Enum>(std::string_view key, Enum fallback) {
        const auto* text = object.if_contains(key);
        if (text == nullptr || !text->is_string()) return fallback;
        return parse_enum<Enum>(std::string_view(text->get_string())).value_or(fallback);
    };
    GroupPolicy policy{.kind = literal("kind", GroupKind::all_of),
                       .on_satisfied = literal("on_satisfied", OnSatisfied::cancel_remaining)};
    if (const auto* k = object.if_contains("k"); k != nullptr && k->is_number()) {
        boost::system::error_code inexact;
        const auto exact = k->to_number<std::uint32_t>(inexact);
        if (!inexact && exact >= 1 && exact <= max_group_edges) policy.k = exact;
    }
    return policy;
}

bool cancels_siblings(const GroupPolicy& policy) {
    return policy.kind != GroupKind::all_of && policy.on_satisfied == OnSatisfied::cancel_remaining;
}

GroupState evaluate(const GroupPolicy& policy, const GroupCounts& counts) {
    const std::int32_t lost = counts.failed + counts.skipped;
    if (policy.kind == GroupKind::all_of) {
        if (lost > 0) return GroupState::impossible;
        return counts.n > 0 && counts.succeeded == counts.n ? GroupState::satisfied : GroupState::pending;
    }
    const auto needed = policy.kind == GroupKind::any_of ? std::int64_t{1} : std::int64_t{policy.k};
    if (counts.succeeded >= needed) return GroupState::satisfied;
    const bool impossible = counts.n_fixed && lost > counts.n - needed;
    return impossible ? GroupState::impossible : GroupState::pending;
}

GroupCounts counts_of(const EdgeGroupRow& group) {
    return {.n = group.n,
            .succeeded = group.success_count,
            .failed = group.fail_count,
            .skipped = group.skip_count,
            .n_fixed = group.n_fixed};
}

DependencyState resolution_of(TerminalOutcome outcome) {
    return outcome == TerminalOutcome::success ? DependencyState::satisfied : DependencyState::impossible;
}

void count_resolution(EdgeGroupRow& group, TerminalOutcome outcome) {
    --group.running_count;
    if (outcome == TerminalOutcome::success) {
        ++group.success_count;
    } else if (outcome == TerminalOutcome::skipped) {
        ++group.skip_count;
    } else {
        ++group.fail_count;
    }
}

std::int32_t applied_edges(const EdgeGroupRow& group) {
    return group.running_count + group.success_count + group.fail_count + group.skip_count;
}

void fix_edges(EdgeGroupRow& group) {
    group.n = applied_edges(group);
    group.n_fixed = true;
}

Result<void> check_policy(const std::string& field, const GroupPolicy& policy) {
    Checks check;
    check.require(is_known(policy.kind), field + ".kind", "no such kind");
    check.require(is_known(policy.on_satisfied), field + ".on_satisfied", "no such rule");
    check(check_range(field + ".k", policy.k, 1, max_group_edges));
    return check.fault() ? Result<void>(*check.fault()) : Result<void>();
}

void count_applied(EdgeGroupRow& group) {
    ++group.running_count;
    if (!group.n_fixed) ++group.n;
}

}  // namespace flowfabric
