#include "sdk/worker.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric::sdk {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds quiet_interval{1'000};

bool means_lease_lost(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::stale_lease:
        case ErrorKind::lease_expired:
        case ErrorKind::lease_revoked:
        case ErrorKind::execution_not_active:
        case ErrorKind::execution_not_found:
            return true;
        default:
            return false;
    }
}

// Reports are recognised when repeated, so that a lost answer is no reason to give up.
bool worth_repeating(const EngineError& error) {
    return is_retryable(error) || error.kind == ErrorKind::transport || family_of(error.kind) == ErrorFamily::timeout;
}

bool is_validation(const EngineError& error) {
    return family_of(error.kind) == ErrorFamily::validation;
}

// Nothing when none has come within five seconds; the command may still be carried out.
template <CommandType C>
std::optional<Result<typename C::Answer>> answer_in_time(Client& client, C command) {
    const auto promise = std::make_shared<std::promise<Result<typename C::Answer>>>();
    client.submit_past_executor(
        std::move(command), [promise](Result<typename C::Answer> answer) { promise->set_value(std::move(answer)); });
    auto answer = promise->get_future();
    if (answer.wait_for(std::chrono::seconds(5)) != std::future_status::ready) return std::nullopt;
    return answer.get();
}

std::int64_t now_ms() {
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Observers are the caller's code: what one throws costs no task.
template <class News>
void tell(const std::function<void(const News&)>& observer, const News& news) {
    if (observer) contain("an observer of the worker threw", [&] { observer(news); });
}

}  // namespace

class Worker::Backoff {
  public:
    milliseconds next() { return std::exchange(delay_, std::min(delay_ * 2, limit)); }
    void reset() { delay_ = initial; }

  private:
    static constexpr milliseconds initial{50};
    static constexpr milliseconds limit{1'000};
    milliseconds delay_ = initial;
};

Worker::Worker(Client& client, WorkerOptions options, TaskHandler handler)
    : client_(client),
      options_(std::move(options)),
      handler_(std::move(handler)),
      renew_interval_(std::max(options_.lease_ttl / 3, milliseconds(1))),
      tasks_left_(options_.max_tasks) {
    threads_.emplace_back([this] { claim_loop(); });
    threads_.emplace_back([this] { renew_loop(); });
    threads_.emplace_back([this] { registry_loop(); });
    for (std::uint32_t i = 0; i < options_.concurrency; ++i) threads_.emplace_back([this] { handle_loop(); });
}

Worker::~Worker() {
    stop();
}

void Worker::drain() {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    state_changed_.notify_all();
}

void Worker::cancel_running() {
    std::vector<std::stop_source> stops;
    {
        const std::scoped_lock lock(mutex_);
        cancelled_ = true;
        state_changed_.notify_all();
        for (const auto& lease : leases_) stops.push_back(lease->stop);
    }
    for (auto& stop : stops) stop.request_stop();
}

Result<void> Worker::wait() {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [this] { return idle(); });
    if (claim_error_) return *claim_error_;
    return {};
}

std::optional<Result<void>> Worker::wait_for(std::chrono::milliseconds at_most) {
    {
        std::unique_lock lock(mutex_);
        if (!state_changed_.wait_for(lock, at_most, [this] { return idle(); })) return std::nullopt;
    }
    return wait();
}

bool Worker::handling() const {
    const std::scoped_lock lock(mutex_);
    return handling_ > 0;
}

void Worker::stop() {
    drain();
    {
        std::unique_lock lock(mutex_);
        state_changed_.wait_for(lock, options_.stop_grace, [this] { return idle(); });
    }
    cancel_running();
    threads_.clear();
}

// ---- claiming ---------------------------------------------------------------------------------------------------

void Worker::claim_loop() {
    Backoff backoff;
    std::unique_lock lock(mutex_);
    for (bool goes_on = true; goes_on;) {
        lock.unlock();
        const bool sound = contain("a claim broke and is made again", [&] { goes_on = claim_once(backoff); });
        lock.lock();
        if (!sound) state_changed_.wait_for(lock, backoff.next(), [this] { return draining_; });
    }
    claiming_ = false;
    task_ready_.notify_all();
    state_changed_.notify_all();
    renewals_changed_.notify_all();
}

// False: no further claim is to be made.
bool Worker::claim_once(Backoff& backoff) {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock,
                        [this] { return draining_ || (has_namespace_ && leases_.size() < options_.concurrency); });
    state_changed_.wait_until(lock, next_claim_at_, [this] { return draining_; });
    if (draining_ || tasks_left_ == 0) return false;
    const auto free_slots = std::min<std::uint64_t>(options_.concurrency - leases_.size(), tasks_left_);
    const Claim command = claim_command(free_slots);
    lock.unlock();
    auto claimed = client_.call(command);
    const bool refused = !claimed && is_validation(claimed.error());
    if (!claimed && !refused) tell(options_.on_claim_error, claimed.error());
    lock.lock();
    if (claimed) {
        backoff.reset();
        ++claims_answered_;
        if (draining_) {
            lock.unlock();
            give_back(claimed->executions);
            return false;
        }
        tasks_left_ -= std::min<std::uint64_t>(claimed->executions.size(), tasks_left_);
        admit(std::move(claimed->executions));
        obey(claimed->worker, lock);
    } else if (refused) {
        claim_error_ = claimed.error();
    } else {
        state_changed_.wait_for(lock, backoff.next(), [this] { return draining_; });
    }
    return !refused;
}

// The observer runs without the lock. A worker that is to be quiet asks from time to time whether it still is.
void Worker::obey(WorkerMode asked, std::unique_lock<std::mutex>& lock) {
    if (std::exchange(mode_, asked) != asked) {
        lock.unlock();
        tell(options_.on_mode, asked);
        lock.lock();
    }
    if (asked == WorkerMode::stop) draining_ = true;
    if (asked == WorkerMode::quiet) state_changed_.wait_for(lock, quiet_interval, [this] { return draining_; });
}

// With mutex_ held.
Claim Worker::claim_command(std::size_t free_slots) const {
    return {.lanes = options_.lanes,
            .capabilities = options_.capabilities,
            .worker_id = options_.worker_id,
            .worker_instance_id = options_.worker_instance_id,
            .lease_ttl_ms = static_cast<std::uint64_t>(options_.lease_ttl.count()),
            .attempt_timeout_ms = std::nullopt,
            .max_count = static_cast<std::uint32_t>(std::min<std::size_t>(free_slots, max_claim_count)),
            .max_wait_ms = static_cast<std::uint64_t>(options_.claim_wait.count()),
            .request_id = options_.repeats_claims ? std::to_string(claims_answered_) : std::string(),
            .namespace_name = *has_namespace_ ? std::optional(options_.namespace_name) : std::nullopt,
            .withdrawn = nullptr};
}

// Of a claim that was under way when the worker was asked to drain. What cannot be given back comes free with its
// lease.
void Worker::give_back(const std::vector<ClaimedExecution>& executions) {
    std::vector<ReleaseUnstarted> commands;
    commands.reserve(executions.size());
    for (const ClaimedExecution& execution : executions) commands.push_back({.lease = execution.handle});
    client_.run_all(std::move(commands));
}

// With mutex_ held. Executions that were claimed before drain() still run, for their leases are held already.
void Worker::admit(std::vector<ClaimedExecution> executions) {
    const auto now = Clock::now();
    for (auto& execution : executions) {
        auto lease = std::make_shared<Lease>();
        lease->execution = std::move(execution);
        lease->renew_at = now + renew_interval_;
        lease->expires_at = now + options_.lease_ttl;
        if (cancelled_) lease->stop.request_stop();
        ready_.push_back(lease);
        leases_.insert(std::move(lease));
        task_ready_.notify_one();
    }
}

// ---- renewing ---------------------------------------------------------------------------------------------------

void Worker::renew_loop() {
    for (bool goes_on = true; goes_on;) {
        if (contain("renewing leases broke and goes on", [&] { goes_on = renew_due(); })) continue;
        std::unique_lock lock(mutex_);
        renewals_changed_.wait_for(lock, renew_interval_ / 10);
    }
    std::unique_lock lock(mutex_);
    renewals_changed_.wait(lock, [this] { return renewals_in_flight_ == 0; });
}

// False: there is no lease any more, and none is to come.
bool Worker::renew_due() {
    std::unique_lock lock(mutex_);
    if (idle()) return false;
    const auto now = Clock::now();
    // A lease that is claimed or renewed from now on is due no earlier than this, so neither needs a wake-up.
    auto next = now + renew_interval_;
    std::vector<LeasePtr> due;
    std::vector<LeasePtr> lost;
    for (const auto& lease : leases_) {
        if (lease->lost && lease->stop.stop_requested()) continue;
        if (lease->lost || lease->expires_at <= now) {
            lost.push_back(lease);
        } else if (!lease->renewing && lease->renew_at <= now) {
            due.push_back(lease);
        } else {
            next = std::min(next, lease->renewing ? lease->expires_at : lease->renew_at);
        }
    }
    if (due.empty() && lost.empty()) {
        renewals_changed_.wait_until(lock, next);
        return true;
    }
    for (const auto& lease : lost) lease->lost = true;
    for (const auto& lease : due) lease->renewing = true;
    renewals_in_flight_ += due.size();
    lock.unlock();
    // Stop callbacks are the handler's code and must not run under the lock.
    for (const auto& lease : lost) lease->stop.request_stop();
    for (const auto& lease : due) {
        if (contain("a renewal broke and is made again", [&] { renew(lease); })) continue;
        on_renewed(lease, now, EngineError{.kind = ErrorKind::internal});
    }
    return true;
}

// The answer comes past the executor: one that stalls must not let leases lapse which the store has prolonged.
void Worker::renew(const LeasePtr& lease) {
    const auto sent_at = Clock::now();
    client_.submit_past_executor(
        Renew{.lease = lease->execution.handle, .lease_ttl_ms = std::nullopt},
        [this, lease, sent_at](const Result<Renewed>& answer) { on_renewed(lease, sent_at, answer); });
}

// On a thread of the engine's, which must not run a handler's code: stop is requested by the thread that renews.
void Worker::on_renewed(const LeasePtr& lease, Clock::time_point sent_at, const Result<Renewed>& answer) {
    const std::scoped_lock lock(mutex_);
    lease->renewing = false;
    lease->renew_at = sent_at + renew_interval_;
    if (answer) lease->expires_at = sent_at + options_.lease_ttl;
    if (!answer && means_lease_lost(answer.error().kind)) lease->lost = true;
    --renewals_in_flight_;
    renewals_changed_.notify_all();
}

// ---- registering ------------------------------------------------------------------------------------------------

RegisterWorker Worker::registration() const {
    return {.namespace_name = options_.namespace_name,
            .worker_id = options_.worker_id,
            .worker_instance_id = options_.worker_instance_id,
            .lanes = options_.lanes,
            .capabilities = options_.capabilities,
            .liveness_ttl_ms = static_cast<std::uint64_t>(options_.liveness_ttl.count())};
}

// Nothing depends on the registry, so a store that does not answer delays no stop for long: what is missed is said
// again with the next heartbeat, or is known once the registration has lapsed.
void Worker::registry_loop() {
    bool refused = false;
    // Repeated, it is a heartbeat, and it brings back what has lapsed meanwhile.
    const auto sign_on = [&] {
        const auto answer = answer_in_time(client_, registration());
        refused = answer && !*answer && is_validation(answer->error());
        {
            const std::scoped_lock known(mutex_);
            has_namespace_ = !refused;
        }
        state_changed_.notify_all();
        if (refused) tell(options_.on_registration_refused, answer->error());
    };
    const auto sign_off = [&] {
        answer_in_time(client_, MarkWorkerDead{.namespace_name = options_.namespace_name,
                                               .worker_instance_id = options_.worker_instance_id,
                                               .reason = "stopped"});
    };
    std::unique_lock lock(mutex_);
    while (!idle()) {
        lock.unlock();
        contain("registering the worker broke and is tried again", sign_on);
        if (refused) return;
        lock.lock();
        state_changed_.wait_for(lock, options_.liveness_ttl / 3, [this] { return idle(); });
    }
    lock.unlock();
    contain("the worker's registration is left to lapse", sign_off);
}

// ---- running ----------------------------------------------------------------------------------------------------

void Worker::handle_loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        task_ready_.wait(lock, [this] { return !ready_.empty() || !claiming_; });
        if (ready_.empty()) return;
        const auto lease = std::move(ready_.front());
        ready_.pop_front();
        lock.unlock();
        // After an exception outside the handler the lease lapses and the execution is reclaimed.
        contain("a task broke, and its lease is given up", [&] { tell(options_.on_finished, run(*lease)); });
        lock.lock();
        leases_.erase(lease);
        state_changed_.notify_all();
        if (idle()) renewals_changed_.notify_all();
    }
}

TaskReport Worker::run(Lease& lease) {
    const auto started_at = Clock::now();
    TaskReport result{.execution = lease.execution, .end = TaskEnd::completed, .detail = {}, .elapsed = {}};
    const auto outcome = call_handler(lease);
    const bool lost = [&] {
        const std::scoped_lock lock(mutex_);
        return lease.lost;
    }();
    if (lost) {
        result.end = TaskEnd::lease_lost;
    } else {
        std::visit([&](const auto& told) { report(lease, told, result); }, outcome);
    }
    result.elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started_at);
    return result;
}

TaskOutcome Worker::call_handler(Lease& lease) {
    const auto count = [this](int change) {
        const std::scoped_lock lock(mutex_);
        handling_ += change;
    };
    count(1);
    const std::shared_ptr<void> handled(nullptr, [&](void*) { count(-1); });
    try {
        return handler_(Task{.execution = lease.execution, .stop = lease.stop.get_token()});
    } catch (...) {
        return TaskFailure{.reason = "handler threw: " + thrown_text(), .category = "handler_panic"};
    }
}

void Worker::report(Lease& lease, const TaskSuccess& success, TaskReport& report_to) {
    const auto answer = repeat_while_leased(lease, [&] {
        return client_.call(Complete{.lease = lease.execution.handle,
                                     .result = success.result,
                                     .result_encoding = success.result_encoding,
                                     .source = Source::lease_holder});
    });
    if (!answer) report_refusal(lease, answer.error(), report_to);
}

// Without an end the execution would come back for ever, so what is refused itself (too large, say) fails it.
void Worker::report_refusal(Lease& lease, const EngineError& error, TaskReport& report_to) {
    if (is_validation(error)) {
        return report(lease, TaskFailure{.reason = to_string(error), .category = "permanent"}, report_to);
    }
    report_to.end = means_lease_lost(error.kind) ? TaskEnd::lease_lost : TaskEnd::not_reported;
    report_to.detail = to_string(error);
}

void Worker::report(Lease&, const TaskAbandoned&, TaskReport& report_to) {
    report_to.end = TaskEnd::abandoned;
}

void Worker::report(Lease& lease, const TaskSuspension& suspension, TaskReport& report_to) {
    Suspend wait = suspension.wait;
    wait.lease = lease.execution.handle;
    const auto answer = repeat_while_leased(lease, [&] { return client_.call(wait); });
    if (answer && std::holds_alternative<ConditionAlreadyMet>(*answer)) {
        return report(lease, TaskDelay{.until_ms = now_ms()}, report_to);
    }
    // An answer that was lost is given again as this error.
    if (!answer && answer.error().kind != ErrorKind::already_suspended) {
        return report_refusal(lease, answer.error(), report_to);
    }
    report_to.end = TaskEnd::suspended;
}

void Worker::report(Lease& lease, const TaskDelay& delay, TaskReport& report_to) {
    const auto answer = repeat_while_leased(lease, [&] {
        return client_.call(
            Delay{.lease = lease.execution.handle, .delay_until_ms = delay.until_ms, .source = Source::lease_holder});
    });
    if (!answer) return report_refusal(lease, answer.error(), report_to);
    report_to.end = TaskEnd::delayed;
}

void Worker::report(Lease& lease, const TaskFailure& failure, TaskReport& report_to) {
    const auto answer = repeat_while_leased(lease, [&] {
        return client_.call(Fail{.lease = lease.execution.handle,
                                 .reason = failure.reason,
                                 .category = failure.category,
                                 .source = Source::lease_holder});
    });
    if (answer) {
        const bool retried = std::holds_alternative<RetryScheduled>(*answer);
        report_to.end = retried ? TaskEnd::retry_scheduled : TaskEnd::failed;
        report_to.detail = failure.reason;
        return;
    }
    report_to.end = means_lease_lost(answer.error().kind) ? TaskEnd::lease_lost : TaskEnd::not_reported;
    report_to.detail = to_string(answer.error());
}

void Worker::report(Lease& lease, const TaskReleased&, TaskReport& report_to) {
    const auto answer =
        repeat_while_leased(lease, [&] { return client_.call(ReleaseUnstarted{.lease = lease.execution.handle}); });
    if (!answer) return report_refusal(lease, answer.error(), report_to);
    report_to.end = TaskEnd::released;
    const std::scoped_lock lock(mutex_);
    next_claim_at_ = Clock::now() + quiet_interval;
}

// Renewals go on in the meantime, so the lease lasts until the engine has answered or cannot be reached for a whole
// ttl.
template <class Call>
auto Worker::repeat_while_leased(const Lease& lease, const Call& call) -> decltype(call()) {
    Backoff backoff;
    for (;;) {
        auto answer = call();
        if (answer || !worth_repeating(answer.error())) return answer;
        std::unique_lock lock(mutex_);
        const auto repeat_at = Clock::now() + backoff.next();
        if (repeat_at >= lease.expires_at) return answer;
        if (state_changed_.wait_until(lock, repeat_at, [this] { return cancelled_; })) return answer;
    }
}

}  // namespace flowfabric::sdk
