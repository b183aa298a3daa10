#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class ReleaseUnstartedBody final : public OnLease {
  public:
    using OnLease::OnLease;

    CommandTraits traits() const override { return {.name = "release_unstarted"}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::never)) {
            if (is_repeated_release(*refusal, row, lease(), "unstarted")) {
                return Answer::of<Released>({row.id, row.vector.public_state});
            }
            return *refusal;
        }
        if (row.activity_epoch == row.lease_epoch) {
            return EngineError{.kind = ErrorKind::attempt_already_started, .detail = row.id.to_string()};
        }
        transition.return_unstarted();
        return Answer::of<Released>({row.id, row.vector.public_state});
    }
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(ReleaseUnstarted command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<ReleaseUnstartedBody>(*lease);
}

}  // namespace flowfabric
