#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class RevokeLeaseBody final : public OnExecution {
  public:
    explicit RevokeLeaseBody(RevokeLease command) : OnExecution(command.execution_id), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "revoke_lease"}; }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(command_.worker_instance_id, command_.reason);
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        const auto satisfied = [](std::string reason) {
            return Answer::of<Revocation>(NothingToRevoke{std::move(reason)});
        };
        if (row.vector.lifecycle_phase != LifecyclePhase::active) return satisfied("no_active_lease");
        if (row.vector.ownership_state == OwnershipState::lease_revoked) return satisfied("already_revoked");
        const bool leased = row.vector.ownership_state == OwnershipState::leased;
        if (!leased || row.lease_expires_at_ms <= transition.now()) {
            if (leased) {
                if (auto ended = end_overdue_lease(transition); !ended) return ended.error();
            }
            return satisfied("already_expired");
        }
        if (!command_.worker_instance_id.empty() && row.worker_instance_id != command_.worker_instance_id) {
            return satisfied("different_worker_instance_id");
        }
        if (command_.expected_lease_id && row.lease_id != command_.expected_lease_id) {
            return satisfied("lease_id_mismatch");
        }

        const boost::json::object told{{"lease_id", row.lease_id->to_string()},
                                       {"lease_epoch", row.lease_epoch},
                                       {"worker_instance_id", row.worker_instance_id.value_or("")},
                                       {"reason", command_.reason}};
        transition.revoke_for_reclaim(command_.reason, "operator");
        transition.tell_operators(OperatorEventType::lease_revoked, {boost::json::serialize(told)});
        return Answer::of<Revocation>(Revoked{.lease_id = *row.lease_id, .lease_epoch = {row.lease_epoch}});
    }

  private:
    RevokeLease command_;
};

}  // namespace

template <>
Result<Command> admit(RevokeLease command, const Settings&, const IdSource&) {
    Checks check;
    check(check_partition(command.execution_id));
    if (!command.worker_instance_id.empty()) check(check_identity("worker_instance_id", command.worker_instance_id));
    check(check_text("reason", command.reason, max_reason_bytes));
    if (check.fault()) return *check.fault();
    return Command::make<RevokeLeaseBody>(std::move(command));
}

}  // namespace flowfabric
