#include "core/search/search.hpp"

#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {
namespace {

template <class T>
bool admits(const std::optional<T>& wanted, const T& value) {
    return !wanted || *wanted == value;
}

}  // namespace

Result<void> check_criteria(const ExecutionCriteria& criteria, const std::string& prefix) {
    const auto& c = criteria;
    Checks check;
    if (c.lane_id) check(check_lane_id(*c.lane_id));
    check.require(c.states.size() <= max_states, prefix + "public_state", "has too many items");
    for (const PublicState state : c.states) {
        check.require(is_known(state), prefix + "public_state", "is not one of its values");
    }
    if (c.execution_kind) check(check_text(prefix + "execution_kind", *c.execution_kind, max_label_bytes));
    if (c.tag_key) check(check_tag_key(*c.tag_key));
    if (c.tag_value) check(check_text(prefix + "tag_value", *c.tag_value, max_tag_bytes));
    if (c.namespace_name) check(check_identity(prefix + "namespace", *c.namespace_name));
    check.require(c.tag_key || !c.tag_value, prefix + "tag_key", "is required with tag_value");
    check.require(c.tag_value || !c.tag_key, prefix + "tag_value", "is required with tag_key");
    check.require(c.created_after_ms.value_or(0) >= 0, prefix + "created_after_ms", "must not be negative");
    check.require(c.created_before_ms.value_or(0) >= 0, prefix + "created_before_ms", "must not be negative");
    if (check.fault()) return *check.fault();
    return {};
}

bool is_empty(const ExecutionCriteria& criteria) {
    return criteria == ExecutionCriteria{};
}

bool matches(const ExecutionCriteria& criteria, const ExecutionSummary& execution) {
    const auto& [lane, states, kind, tag_key, tag_value, after, before, name_space, flow] = criteria;
    return (states.empty() || std::ranges::find(states, execution.public_state) != states.end()) &&
           admits(lane, execution.lane_id) && admits(kind, execution.execution_kind) &&
           admits(name_space, execution.namespace_name) && (!flow || flow == execution.flow_id) &&
           execution.created_at_ms >= after.value_or(execution.created_at_ms) &&
           (!before || execution.created_at_ms < *before);
}

}  // namespace flowfabric
