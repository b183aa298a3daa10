#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"

// What is written onto an execution without moving it.
namespace flowfabric {

Result<Answer> decide(const AdmittedProgress& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::never)) return *refusal;
    transition.set_progress(command.percent, command.message);
    return Answer{ProgressRecorded{transition.now()}};
}

Result<Answer> decide(const AdmittedTags& command, ExecutionEntry& entry, DecisionContext& context) {
    Tags tags = tags_of(entry.row.tags);
    for (const auto& [key, value] : command.tags) tags.insert_or_assign(key, value);
    if (auto checked = check_tags(tags); !checked) return checked.error();
    if (!command.tags.empty()) Transition(entry, context.set).set_tags(tags);
    return Answer{TagsSet{static_cast<std::uint32_t>(command.tags.size())}};
}

}  // namespace flowfabric
