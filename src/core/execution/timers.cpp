#include "core/execution/timers.hpp"

#include "core/claim/grant.hpp"
#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/retention.hpp"
#include "core/execution/transition.hpp"
#include "core/stream/stream.hpp"
#include "core/suspension/suspension.hpp"

namespace flowfabric {
namespace {

class TimerBody : public OnExecution {
  public:
    using OnExecution::OnExecution;

    std::size_t bytes() const final { return sizeof(*this); }
    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const final {
        Transition transition(entry, context.set);
        const auto changed = fire_on(transition);
        if (!changed) return changed.error();
        return Answer::of<TimerFired>({.changed = *changed});
    }

  private:
    // Whether it has changed anything that callers see.
    virtual Result<bool> fire_on(Transition& transition) const = 0;
};

class ExpireLeaseBody final : public TimerBody {
  public:
    using TimerBody::TimerBody;

    CommandTraits traits() const override {
        return {.name = "expire_lease", .urgency = Urgency::bulk, .by_timer = true};
    }

  private:
    Result<bool> fire_on(Transition& transition) const override {
        const ExecutionRow& row = transition.row();
        const bool leased = row.vector.ownership_state == OwnershipState::leased;
        if (!leased || row.lease_check_at_ms > transition.now()) return false;
        if (row.lease_expires_at_ms > transition.now()) {
            transition.rearm_lease_check();
            return false;
        }
        return end_overdue_lease(transition);
    }
};

class TimeOutAttemptBody final : public TimerBody {
  public:
    using TimerBody::TimerBody;

    CommandTraits traits() const override {
        return {.name = "time_out_attempt", .urgency = Urgency::bulk, .by_timer = true};
    }

  private:
    Result<bool> fire_on(Transition& transition) const override {
        const auto deadline = transition.row().attempt_deadline_at_ms;
        if (!deadline || *deadline > transition.now()) return false;
        return end_overdue_lease(transition);
    }
};

class ExpireExecutionBody final : public TimerBody {
  public:
    using TimerBody::TimerBody;

    CommandTraits traits() const override {
        return {.name = "expire_execution", .urgency = Urgency::bulk, .by_timer = true};
    }

  private:
    Result<bool> fire_on(Transition& transition) const override {
        const ExecutionRow& row = transition.row();
        const bool due = row.vector.lifecycle_phase != LifecyclePhase::terminal && row.deadline_check_at_ms &&
                         *row.deadline_check_at_ms <= transition.now();
        if (!due) return false;
        const std::string reason = "execution_deadline";
        const std::string category = "timeout";
        const bool leased = row.vector.ownership_state == OwnershipState::leased;
        const bool live = leased && row.lease_expires_at_ms > transition.now();
        if (leased && !live) transition.expire_lease("lease_ttl");
        if (has_open_attempt(row)) transition.end_attempt(attempt_ending::time_limit, reason, category);
        if (live) transition.end_lease_by_timeout(reason);
        transition.set_failure(reason, category);
        transition.finish(TerminalOutcome::expired);
        return true;
    }
};

class PromoteDelayedBody final : public TimerBody {
  public:
    using TimerBody::TimerBody;

    CommandTraits traits() const override {
        return {.name = "promote_delayed", .urgency = Urgency::bulk, .by_timer = true, .releases_work = true};
    }

  private:
    Result<bool> fire_on(Transition& transition) const override {
        const ExecutionRow& row = transition.row();
        const bool due = row.vector.eligibility_state == EligibilityState::not_eligible_until_time &&
                         row.delay_until_ms <= transition.now();
        if (!due) return false;
        transition.make_runnable(row.vector.attempt_state, row.vector.blocking_reason);
        return true;
    }
};

}  // namespace

Command expire_lease(const ExecutionId& id) {
    return Command::make<ExpireLeaseBody>(id);
}

Command promote_delayed(const ExecutionId& id) {
    return Command::make<PromoteDelayedBody>(id);
}

Command time_out_attempt(const ExecutionId& id) {
    return Command::make<TimeOutAttemptBody>(id);
}

Command expire_execution(const ExecutionId& id) {
    return Command::make<ExpireExecutionBody>(id);
}

Command command_of(Timer timer, const ExecutionId& id) {
    switch (timer) {
        case Timer::lease_expiry:
            return expire_lease(id);
        case Timer::delayed_promotion:
            return promote_delayed(id);
        case Timer::attempt_timeout:
            return time_out_attempt(id);
        case Timer::execution_deadline:
            return expire_execution(id);
        case Timer::grant_expiry:
            return lapse_grant(id);
        case Timer::retention:
            return remove_ended(id, {});
        case Timer::suspension_timeout:
            return time_out_suspension(id);
        case Timer::waitpoint_expiry:
            return expire_waitpoints(id);
        case Timer::stream_expiry:
            break;
    }
    return expire_streams(id);
}

template <>
Result<Command> admit(FireTimer command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    if (!is_known(command.timer)) return invalid_input("timer", "no such timer");
    return command_of(command.timer, command.execution_id);
}

}  // namespace flowfabric
