#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_retention.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class CreateFlowBody final : public OnFlow {
  public:
    explicit CreateFlowBody(FlowRow row) : OnFlow(row.key), row_(std::move(row)) {}

    CommandTraits traits() const override { return {.name = "create_flow", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(row_); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const FlowFields wanted = fields_of(row_);
        if (const FlowRow* existing = context.set.side.of<FlowRow>().find(flow())) {
            const FlowFields stored = fields_of(*existing);
            const auto repeated = is_same_request(flow(), stored, wanted);
            if (!repeated) return repeated.error();
            if (!same_flow(stored, wanted)) return flow_already_exists(flow(), stored);
            return Answer::of<FlowCreated>({flow().flow_id, !*repeated});
        }
        FlowRow row = row_;
        row.created_at_ms = context.set.now_ms;
        note_flow(row.key, context);
        touch_flow(std::move(row), wanted, context);
        return Answer::of<FlowCreated>({flow().flow_id});
    }

  private:
    FlowRow row_;  // all but its times
};

}  // namespace

template <>
Result<Command> admit(CreateFlow command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_text("flow_kind", command.flow_kind, max_label_bytes));
    check(check_identity("namespace", command.namespace_name));
    check(check_text("idempotency_key", command.idempotency_key, max_idempotency_key_bytes));
    if (command.request_digest) check(check_line("request_digest", *command.request_digest, max_label_bytes));
    if (check.fault()) return *check.fault();
    const FlowKey key = key_of(id_of_new_flow(command.flow_id, command.namespace_name, command.idempotency_key, ids));
    return Command::make<CreateFlowBody>(new_flow_row(key, {.flow_kind = std::move(command.flow_kind),
                                                            .namespace_name = std::move(command.namespace_name),
                                                            .request_digest = std::move(command.request_digest)}));
}

}  // namespace flowfabric
