#include "core/execution/failure.hpp"

#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"

namespace flowfabric {
namespace {

// Its own, or the store's as it is now.
Result<RetryPolicy> retry_policy_of(const Transition& transition) {
    auto policy = stored_policy(transition.row());
    if (!policy) return policy.error();
    if (*policy && (*policy)->retry_policy) return *std::move((*policy)->retry_policy);
    return transition.settings().default_retry_policy;
}

void end_lease(Transition& transition, const AttemptFailure& failure, bool retries) {
    if (failure.timed_out) {
        transition.end_lease_by_timeout(failure.reason);
    } else {
        transition.release_lease(retries ? "failed_retry_scheduled" : "failed_terminal");
    }
}

}  // namespace

// An execution with an unreadable policy is not retried: with an error instead, the same failure would come again with
// every claim, for ever.
Result<Failed> fail_attempt(Transition& transition, AttemptFailure failure) {
    const ExecutionRow& row = transition.row();
    const auto retry = retry_policy_of(transition);
    if (!retry) {
        failure.reason += "; not retried: " + retry.error().detail;
        failure.category = name_of(ErrorKind::corruption);
    }
    const bool retries = retry && retry_allowed(*retry, row.retry_count, failure.category);

    transition.end_attempt(failure.timed_out ? attempt_ending::time_limit : attempt_ending::failure, failure.reason,
                           failure.category);
    end_lease(transition, failure, retries);
    transition.set_failure(failure.reason, failure.category);
    if (!retries) {
        transition.finish(failure.timed_out ? TerminalOutcome::expired : TerminalOutcome::failed);
        return Failed{TerminalFailed{}};
    }
    const std::int64_t backoff = backoff_ms(*retry, row.id, row.retry_count);
    const std::int64_t until = saturating_add(transition.now(), static_cast<std::uint64_t>(backoff));
    transition.schedule_retry(until, "retry " + std::to_string(row.retry_count + 1) + " of " +
                                         std::to_string(retry->max_retries) + " after " + std::to_string(backoff) +
                                         " ms");
    return Failed{RetryScheduled{.delay_until_ms = until,
                                 .next_attempt_index = static_cast<std::uint32_t>(row.total_attempt_count)}};
}

Result<bool> end_overdue_lease(Transition& transition) {
    const ExecutionRow& row = transition.row();
    if (row.vector.ownership_state != OwnershipState::leased) return false;
    const std::int64_t lease_end = row.lease_expires_at_ms.value_or(transition.now());
    const bool timed_out = row.attempt_deadline_at_ms && *row.attempt_deadline_at_ms <= transition.now() &&
                           *row.attempt_deadline_at_ms <= lease_end;
    if (timed_out) {
        auto failed = fail_attempt(transition, {.reason = "attempt_timeout", .category = "timeout", .timed_out = true});
        if (!failed) return failed.error();
        return true;
    }
    if (lease_end > transition.now()) return false;
    transition.expire_lease("lease_ttl");
    return true;
}

}  // namespace flowfabric
