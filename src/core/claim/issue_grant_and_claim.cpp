#include <boost/json.hpp>

#include "core/claim/grant.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "flowfabric/claim.hpp"

namespace flowfabric {
namespace {

class IssueGrantAndClaimBody final : public OnExecution {
  public:
    IssueGrantAndClaimBody(const ExecutionId& execution_id, std::uint64_t lease_ttl_ms, const IdSource& ids)
        : OnExecution(execution_id), lease_ttl_ms_(lease_ttl_ms), ids_(ids) {}

    CommandTraits traits() const override { return {.name = "issue_grant_and_claim"}; }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override { rows.signals_of.push_back(execution_id()); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        if (row.vector.attempt_state == AttemptState::running_attempt) {
            return refused_execution(ErrorKind::active_attempt_exists, row);
        }
        if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
        const HandleKind kind = take_waiting(transition, {.lease = {.lease_id = LeaseId{ids_.at(0)},
                                                                    .worker_id = "operator",
                                                                    .worker_instance_id = "operator",
                                                                    .ttl_ms = lease_ttl_ms_},
                                                          .fresh_attempt_id = AttemptId{ids_.at(1)},
                                                          .attempt_timeout_ms = std::nullopt,
                                                          .reason = "operator"});
        const boost::json::object details{{"lease_id", row.lease_id->to_string()},
                                          {"lease_epoch", row.lease_epoch},
                                          {"attempt_index", row.attempt_index}};
        transition.tell_operators(OperatorEventType::execution_claimed, {boost::json::serialize(details)});
        return Answer::of<LeasedExecution>(leased_execution(row, kind, lease_ttl_ms_, context));
    }

  private:
    std::uint64_t lease_ttl_ms_;
    IdSource ids_;
};

}  // namespace

template <>
Result<Command> admit(IssueGrantAndClaim command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_partition(command.execution_id));
    check(check_ttl(command.lease_ttl_ms));
    if (check.fault()) return *check.fault();
    return Command::make<IssueGrantAndClaimBody>(command.execution_id, command.lease_ttl_ms, ids);
}

}  // namespace flowfabric
