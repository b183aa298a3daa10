#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/cancelling.hpp"
#include "core/execution/fence.hpp"
#include "flowfabric/execution.hpp"
#include "flowfabric/lease.hpp"

// An execution is cancelled by its worker, as an operation on its lease, or by others.
namespace flowfabric {
namespace {

enum class CancelledAs : std::uint8_t { lease_operation, request };

class CancelBody final : public OnLease {
  public:
    // The lease is proof of ownership where the source is the lease's holder.
    CancelBody(const HeldLease& lease, CancelledAs as, std::string reason, std::string source)
        : OnLease(lease), as_(as), reason_(std::move(reason)), source_(std::move(source)) {}

    CommandTraits traits() const override { return {.name = "cancel_execution"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(reason_, source_); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        const auto cancelled = Answer::of<Cancelled>({.execution_id = row.id, .public_state = PublicState::cancelled});
        if (row.vector.terminal_outcome == TerminalOutcome::cancelled) return cancelled;
        if (row.vector.lifecycle_phase == LifecyclePhase::terminal) return execution_not_active(row);

        const bool fenced = needs_fence(row);
        if (fenced) {
            if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::never)) return *refusal;
        }
        cancel(transition, reason_, source_, CancellationCause::request,
               fenced ? CancelledBy::owner : CancelledBy::others);
        if (is_operators()) {
            const boost::json::object details{{"reason", reason_}, {"source", source_}};
            transition.tell_operators(OperatorEventType::execution_cancelled, {boost::json::serialize(details)});
        }
        return cancelled;
    }

  private:
    static constexpr std::string_view lease_holder = "lease_holder";

    bool by_worker() const { return as_ == CancelledAs::lease_operation; }
    bool is_operators() const { return !by_worker() && source_ != lease_holder && revoker_of(source_) == "operator"; }
    // Only the lease's holder has something to prove: that the lease runs, and, if it shows one, that it is this one.
    bool needs_fence(const ExecutionRow& row) const {
        if (by_worker()) return true;
        const bool shows_lease = lease().triple || lease().partial_triple;
        return source_ == lease_holder && (shows_lease || row.vector.lifecycle_phase == LifecyclePhase::active);
    }

    CancelledAs as_;
    std::string reason_;
    std::string source_;
};

}  // namespace

Command cancel_for_operator(const ExecutionId& id, std::string reason) {
    HeldLease none;
    none.execution_id = id;
    return Command::make<CancelBody>(none, CancelledAs::request, std::move(reason), CancelExecution{}.source);
}

template <>
Result<Command> admit(Cancel command, const Settings& settings, const IdSource&) {
    if (auto checked = check_text("reason", command.reason, max_reason_bytes); !checked) return checked.error();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<CancelBody>(*lease, CancelledAs::lease_operation, std::move(command.reason), "worker");
}

template <>
Result<Command> admit(CancelExecution command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("source", command.source, max_label_bytes));
    check.require(!command.source.empty(), "source", "must not be empty");
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.execution, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<CancelBody>(*lease, CancelledAs::request, std::move(command.reason),
                                     std::move(command.source));
}

}  // namespace flowfabric
