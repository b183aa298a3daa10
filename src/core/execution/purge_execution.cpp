#include <boost/json.hpp>

#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/purging.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/execution.hpp"

// An ended execution goes before its time. Members of flows go with their flows.
namespace flowfabric {
namespace {

std::optional<EngineError> refuse_purge(const ExecutionRow& row) {
    if (row.vector.lifecycle_phase != LifecyclePhase::terminal) {
        return refused_in_state(ErrorKind::execution_not_terminal, row);
    }
    if (!row.flow_id) return std::nullopt;
    return EngineError{.kind = ErrorKind::execution_already_in_flow,
                       .detail = row.id.to_string() + " goes with its flow " + row.flow_id->to_string()};
}

class PurgeExecutionBody final : public OnExecution {
  public:
    using OnExecution::OnExecution;

    CommandTraits traits() const override { return {.name = "purge_execution", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        if (auto refusal = refuse_purge(entry.row)) return *refusal;
        // What others have made of it in this very batch is written first, and goes with the next.
        if (entry.change != RowChange::none) return Answer::of<MoreRows>({});
        const PublicState state = entry.row.vector.public_state;
        const boost::json::object told{{"public_state", to_string(state)}};
        Transition(entry, context.set)
            .tell_operators(OperatorEventType::execution_purged, {boost::json::serialize(told)});
        entry.change = RowChange::erase;
        return Answer::of<Purged>({entry.row.id, state});
    }
};

}  // namespace

Command purge_execution(const ExecutionId& id) {
    return Command::make<PurgeExecutionBody>(id);
}

template <>
Result<Command> admit(PurgeExecution command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    return purge_execution(command.execution_id);
}

}  // namespace flowfabric
