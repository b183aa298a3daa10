#include "runtime/hub/command_hub.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "core/claim/admitted_claim.hpp"
#include "engine/batching/observed_batch.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric {
namespace {

constexpr std::chrono::milliseconds deadline_tick{50};
// A queue announces the deadline of its first command; one behind a claim that may wait for hours can be earlier.
constexpr SteadyMs full_look_interval_ms = 1000;

}  // namespace

SteadyMs steady_now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

SteadyUs steady_now_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

CommandHub::CommandHub(Settings settings, BatchPolicy policy, bool use_floors, SteadyClock clock, Executor executor)
    : settings_(std::move(settings)),
      clock_(std::move(clock)),
      executor_(std::move(executor)),
      max_queued_bytes_(policy.max_queued_bytes),
      directory_(use_floors),
      batcher_(policy, directory_) {}

PendingCommand CommandHub::pend(Command command, SteadyMs deadline_ms) const {
    const SteadyMs at = now();
    PendingCommand pending;
    pending.bytes = command->bytes();
    pending.rows = static_cast<std::uint32_t>(command->rows());
    pending.deadline = at + deadline_ms;
    if (const AdmittedClaim* claim = command->claim()) {
        const auto wait = static_cast<SteadyMs>(std::min<std::uint64_t>(claim->claim.max_wait_ms, 86'400'000));
        pending.wait_until = at + wait;
        pending.deadline += wait;
    }
    pending.command = std::move(command);
    return pending;
}

void CommandHub::submit(Command command, SteadyMs deadline_ms, AnyCompletion completion, GiveOn where) {
    std::vector<Request> one;
    one.push_back({std::move(command), std::move(completion)});
    submit_all(std::move(one), deadline_ms, where);
}

void CommandHub::submit_all(std::vector<Request> requests, SteadyMs deadline_ms, GiveOn where) {
    std::vector<PendingCommand> pending;
    pending.reserve(requests.size());
    for (Request& request : requests) pending.push_back(pend(std::move(request.command), deadline_ms));
    Deliveries refused;
    WritersToWake wanted;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < pending.size(); ++i) {
            Caller caller{.completion = std::move(requests[i].completion), .where = where};
            if (auto queued = enqueue(std::move(pending[i]), caller); !queued) {
                refused.push_back({std::move(caller), std::move(queued).error()});
            }
        }
        wanted = writers_to_wake();
    }
    wake(wanted);
    deliver(std::move(refused));
}

// With the mutex held. Takes the caller over only when it takes the command.
Result<void> CommandHub::enqueue(PendingCommand pending, Caller& caller) {
    if (stopped_) return EngineError{.kind = ErrorKind::unavailable, .detail = "the engine is stopping"};
    if (queued_bytes_ + pending.bytes > max_queued_bytes_) {
        return EngineError{.kind = ErrorKind::resource_exhausted,
                           .detail = "commands that wait for their answer hold as much memory as they may (" +
                                     std::to_string(max_queued_bytes_) + " bytes)"};
    }
    pending.id = ++last_id_;
    const CommandId id = pending.id;
    caller.bytes = pending.bytes;
    if (auto refusal = batcher_.submit(std::move(pending))) return std::move(*refusal);
    if (callers_.empty()) command_queued_.notify_one();
    queued_bytes_ += caller.bytes;
    callers_.emplace(id, std::move(caller));
    linger_.on_arrival();
    return {};
}

std::optional<Batch> CommandHub::try_batch(WriterRole role) {
    expire();
    const std::lock_guard lock(mutex_);
    if (stopped_) return std::nullopt;
    return batcher_.next(role, now());
}

std::optional<Batch> CommandHub::wait_batch(WriterRole role, SteadyMs at_most_ms) {
    const SteadyMs give_up = now() + at_most_ms;
    auto& woken = work_[static_cast<std::size_t>(role)];
    for (;;) {
        expire();
        std::unique_lock lock(mutex_);
        if (role == WriterRole::primary) {
            while (const auto pause = linger_.remaining(steady_now_us())) {
                woken.wait_for(lock, std::chrono::microseconds(*pause));
            }
        }
        if (stopped_) return std::nullopt;
        if (auto batch = batcher_.next(role, now())) {
            const WritersToWake wanted{.secondary = role == WriterRole::primary && batcher_.second_writer_pays()};
            lock.unlock();
            wake(wanted);
            return batch;
        }
        const SteadyMs until = std::min(give_up, batcher_.next_due().value_or(give_up));
        const SteadyMs pause = until - now();
        if (now() >= give_up) return std::nullopt;
        woken.wait_for(lock, std::chrono::milliseconds(std::max<SteadyMs>(pause, 1)));
    }
}

std::optional<RoutesWanted> CommandHub::prepare(Batch& batch) {
    const std::lock_guard lock(mutex_);
    auto wanted = batcher_.wanted_routes(batch);
    if (!wanted.lanes.empty()) return wanted;
    batcher_.resolve_classes(batch, now());
    return std::nullopt;
}

RoutesWanted CommandHub::changes_wanted() const {
    const std::lock_guard lock(mutex_);
    return directory_.changes_wanted();
}

bool CommandHub::prepare_with(Batch& batch, Routes routes) {
    const std::lock_guard lock(mutex_);
    directory_.learn_routes(std::move(routes));
    return batcher_.resolve_classes(batch, now());
}

void CommandHub::tell_timers(const WorkingSet& set) {
    if (!timer_listener_) return;
    for (const DueRows* rows : all_due_rows()) {
        if (const auto in = earliest_due(set, *rows)) timer_listener_(*rows, now() + *in);
    }
}

void CommandHub::finish(Batch batch, BatchDecision decision, const std::vector<Undispatched>& undispatched) {
    // Hints, all of them: the reconcilers, and the next look at all streams, find what is lost here.
    contain("timers, flows and streams of a commit were not told of", [&] {
        tell_timers(decision.set);
        if (flow_listener_) flow_listener_(decision.set, undispatched);
        if (stream_listener_ && decision.set.side.of<StreamMetaRow>().changed()) stream_listener_(decision.set);
    });
    if (observer_) {
        contain("a batch was not observed", [&] {
            const std::chrono::milliseconds took(now() - batch.started_at);
            observer_->on_batch(observed_batch(batch, decision, took, observer_->wants_attempts()));
        });
    }
    if (!decision.set.empty()) health_.on_write();
    const bool tells_events = event_listener_ && decision.set.has_events();
    std::vector<Finished> finished;
    Deliveries deliveries;
    bool claims_wait = false;
    WritersToWake wanted;
    {
        const std::lock_guard lock(mutex_);
        const SteadyMs took_ms = now() - batch.started_at;
        batcher_.committed(std::move(batch), std::move(decision), now(), finished);
        if (stopped_)
            batcher_.refuse_all({.kind = ErrorKind::unavailable, .detail = "the engine is stopping"}, finished);
        linger_.on_answers(static_cast<std::uint32_t>(finished.size()), took_ms * 1000, steady_now_us());
        deliveries = collect(std::move(finished));
        claims_wait = batcher_.has_waiting_claims();
        wanted = writers_to_wake();
        wanted.primary = true;
    }
    deliver(std::move(deliveries));
    wake(wanted);
    if (tells_events) event_listener_();
    if (claims_wait) claims_waiting_.notify_all();
}

void CommandHub::fail(Batch batch, const StoreError& error) {
    health_.on_fault(error);
    if (observer_ && error.fault == StoreFault::contention) {
        contain("a contention was not observed", [&] { observer_->on_contention(); });
    }
    std::vector<Finished> finished;
    Deliveries deliveries;
    WritersToWake wanted;
    {
        const std::lock_guard lock(mutex_);
        batcher_.failed(std::move(batch), error, now(), finished);
        if (stopped_)
            batcher_.refuse_all({.kind = ErrorKind::unavailable, .detail = "the engine is stopping"}, finished);
        deliveries = collect(std::move(finished));
        wanted = writers_to_wake();
        wanted.primary = true;
    }
    wake(wanted);
    deliver(std::move(deliveries));
}

void CommandHub::give_up(Batch batch, std::string_view why) {
    std::vector<Finished> finished;
    Deliveries deliveries;
    {
        const std::lock_guard lock(mutex_);
        batcher_.given_up(std::move(batch), why, finished);
        deliveries = collect(std::move(finished));
    }
    deliver(std::move(deliveries));
}

void CommandHub::on_foreign_change() {
    {
        const std::lock_guard lock(mutex_);
        // Reset floors only if a claim is waiting; others rescan within 1 s.
        if (batcher_.has_waiting_claims()) directory_.forget_floors();
        batcher_.wake_claims();
    }
    wake({.primary = true});
}

bool CommandHub::wait_for_waiting_claims(SteadyMs at_most_ms) {
    std::unique_lock lock(mutex_);
    claims_waiting_.wait_for(lock, std::chrono::milliseconds(at_most_ms),
                             [&] { return stopped_ || batcher_.has_waiting_claims(); });
    return !stopped_ && batcher_.has_waiting_claims();
}

void CommandHub::expire() {
    std::vector<Finished> finished;
    Deliveries deliveries;
    {
        const std::lock_guard lock(mutex_);
        const SteadyMs at = now();
        const auto due = batcher_.next_due();
        const bool announced = due && *due <= at;
        if (!announced && at < next_full_look_) return;
        next_full_look_ = at + full_look_interval_ms;
        batcher_.expire(at, finished);
        deliveries = collect(std::move(finished));
    }
    deliver(std::move(deliveries));
}

std::optional<SteadyMs> CommandHub::next_due() const {
    const std::lock_guard lock(mutex_);
    return batcher_.next_due();
}

bool CommandHub::wait_for_deadlines() {
    std::unique_lock lock(mutex_);
    command_queued_.wait(lock, [&] { return stopped_ || !callers_.empty(); });
    return !stop_called_.wait_for(lock, deadline_tick, [&] { return stopped_; });
}

bool CommandHub::pause(std::chrono::milliseconds length) {
    std::unique_lock lock(mutex_);
    return !stop_called_.wait_for(lock, length, [&] { return stopped_; });
}

void CommandHub::stop() {
    std::vector<Finished> finished;
    Deliveries deliveries;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        batcher_.refuse_all({.kind = ErrorKind::unavailable, .detail = "the engine is stopping"}, finished);
        deliveries = collect(std::move(finished));
    }
    for (auto& wake : work_) wake.notify_all();
    claims_waiting_.notify_all();
    command_queued_.notify_all();
    stop_called_.notify_all();
    deliver(std::move(deliveries));
}

bool CommandHub::stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
}

bool CommandHub::idle() const {
    const std::lock_guard lock(mutex_);
    return batcher_.idle();
}

CommandHub::WritersToWake CommandHub::writers_to_wake() const {
    return {.primary = linger_.complete(),
            .secondary = batcher_.second_writer_pays(),
            .patient = batcher_.has_patient_work()};
}

void CommandHub::wake(const WritersToWake& writers) {
    if (writers.primary) work_[static_cast<std::size_t>(WriterRole::primary)].notify_one();
    if (writers.secondary) work_[static_cast<std::size_t>(WriterRole::secondary)].notify_one();
    if (writers.patient) work_[static_cast<std::size_t>(WriterRole::patient)].notify_one();
}

CommandHub::Deliveries CommandHub::collect(std::vector<Finished> finished) {
    Deliveries deliveries;
    deliveries.reserve(finished.size());
    for (Finished& done : finished) {
        auto caller = callers_.extract(done.id);
        if (caller.empty()) continue;  // answered at its deadline, or submitted without a caller
        queued_bytes_ -= caller.mapped().bytes;
        deliveries.push_back({std::move(caller.mapped()), std::move(done.answer)});
    }
    return deliveries;
}

void CommandHub::deliver(Deliveries deliveries) {
    const auto on_executor = std::ranges::stable_partition(
        deliveries, [](const Delivery& delivery) { return delivery.caller.where == GiveOn::any_thread; });
    for (auto given = deliveries.begin(); given != on_executor.begin(); ++given) give(given->caller, given->answer);
    deliveries.erase(deliveries.begin(), on_executor.begin());
    if (deliveries.empty()) return;
    // std::function wants a copyable target; the batch of answers itself is moved, not copied.
    auto shared = std::make_shared<Deliveries>(std::move(deliveries));
    post([shared] {
        for (auto& [caller, answer] : *shared) give(caller, answer);
    });
}

void CommandHub::give(Caller& caller, Result<Answer>& answer) {
    contain("a completion threw", [&] { caller.completion(std::move(answer)); });
}

void CommandHub::answer_without_batch(std::function<void()> answer, GiveOn where) {
    auto guarded = [answer = std::move(answer)] { contain("a completion threw", answer); };
    if (where == GiveOn::any_thread) return guarded();
    post(std::move(guarded));
}

// An executor that throws may or may not have taken the job, which runs once in either case: there, or on a thread of
// the hub's own. Not on this thread, which carries batches: a completion may wait for one.
void CommandHub::post(std::function<void()> job) {
    struct Once {
        std::function<void()> job;
        std::atomic_flag begun;
    };
    auto once = std::make_shared<Once>();
    once->job = std::move(job);
    const auto run = [once] {
        if (!once->begun.test_and_set()) once->job();
    };
    if (contain("the executor threw, and answers are given on a thread of the engine's", [&] { executor_(run); }))
        return;
    const std::lock_guard lock(mutex_);
    if (!fallback_) fallback_ = std::make_unique<SerialExecutor>();
    fallback_->post(run);
}

}  // namespace flowfabric
