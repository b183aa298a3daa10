#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class SetExecutionTagsBody final : public OnExecution {
  public:
    explicit SetExecutionTagsBody(SetExecutionTags command)
        : OnExecution(command.execution_id), tags_(std::move(command.tags)) {}

    CommandTraits traits() const override { return {.name = "set_execution_tags", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(tags_); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Tags tags = tags_of(entry.row.tags);
        for (const auto& [key, value] : tags_) tags.insert_or_assign(key, value);
        if (auto checked = check_tags(tags); !checked) return checked.error();
        if (!tags_.empty()) Transition(entry, context.set).set_tags(tags);
        return Answer::of<TagsSet>({static_cast<std::uint32_t>(tags_.size())});
    }

  private:
    Tags tags_;
};

}  // namespace

template <>
Result<Command> admit(SetExecutionTags command, const Settings&, const IdSource&) {
    Checks check;
    check(check_partition(command.execution_id));
    check(check_tags(command.tags));
    if (check.fault()) return *check.fault();
    return Command::make<SetExecutionTagsBody>(std::move(command));
}

}  // namespace flowfabric
