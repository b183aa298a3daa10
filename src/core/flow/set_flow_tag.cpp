#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/command/contents.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class SetFlowTagBody final : public OnFlow {
  public:
    explicit SetFlowTagBody(SetFlowTag command) : OnFlow(key_of(command.flow_id)), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "set_flow_tag", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.key, command_.value); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto flow = find_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        Tags tags = tags_of(flow->tags);
        tags.insert_or_assign(command_.key, command_.value);
        if (auto checked = check_tags(tags); !checked) return checked.error();
        flow->tags = json_of(tags);
        context.set.side.of<FlowRow>().put(std::move(*flow));
        return Answer::of<FlowTagSet>({});
    }

  private:
    SetFlowTag command_;
};

}  // namespace

template <>
Result<Command> admit(SetFlowTag command, const Settings&, const IdSource&) {
    if (auto checked = check_tag_key(command.key); !checked) return checked.error();
    if (auto checked = check_text("value", command.value, max_tag_bytes); !checked) return checked.error();
    return Command::make<SetFlowTagBody>(std::move(command));
}

}  // namespace flowfabric
