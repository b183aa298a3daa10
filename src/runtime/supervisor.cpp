#include "runtime/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "runtime/log.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs retire_interval_ms = 1000;
constexpr SteadyMs maintain_interval_ms = 10'000;
constexpr std::uint32_t retire_page = 2000;
constexpr SteadyMs sweep_interval_ms = 60'000;
constexpr std::uint32_t sweep_page = 1000;
constexpr std::int64_t worker_event_age_ms = std::int64_t{7} * 24 * 60 * 60 * 1000;
constexpr SteadyMs command_deadline_ms = 30'000;

SteadyMs trim_interval(SteadyMs event_retention) {
    return std::clamp<SteadyMs>(event_retention / 10, 1000, 60'000);
}

}  // namespace

Supervisor::Supervisor(CommandHub& hub, std::shared_ptr<Backend> backend, Options options)
    : hub_(hub), backend_(std::move(backend)), options_(std::move(options)), roster_(std::make_shared<Roster>()) {
    for (const ReconcilerSpec& spec : options_.reconcilers) roster_->reconcilers.emplace_back(spec);
    hub_.listen_to_timers([this](Timer timer, SteadyMs at) { on_timer(timer, at); });
    thread_ = std::thread([this] { run(); });
}

Supervisor::~Supervisor() {
    stop();
}

void Supervisor::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

SteadyMs Supervisor::next_run() const {
    SteadyMs next = std::min({next_retire_, next_maintain_, next_trim_, next_sweep_});
    const std::lock_guard lock(roster_->mutex);
    for (const Reconciler& reconciler : roster_->reconcilers) next = std::min(next, reconciler.next_run());
    return next;
}

void Supervisor::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        // First the lease checks that have become void, which the look for expired leases would step over.
        run_housekeeping();
        for (std::size_t i = 0; i < roster_->reconcilers.size(); ++i) guard_reconciler(i);
        // A reconciler whose rows are still under way is ready again when its last answer has come.
        const SteadyMs pause = std::clamp<SteadyMs>(next_run() - hub_.now(), 10, retire_interval_ms);
        lock.lock();
        changed_.wait_for(lock, std::chrono::milliseconds(pause), [&] { return stopping_ || hurried_; });
        hurried_ = false;
    }
}

void Supervisor::on_timer(Timer timer, SteadyMs at) {
    bool earlier = false;
    {
        const std::lock_guard lock(roster_->mutex);
        for (Reconciler& reconciler : roster_->reconcilers) {
            if (reconciler.spec().timer == timer) earlier = reconciler.hurry(at) || earlier;
        }
    }
    if (!earlier) return;
    {
        const std::lock_guard lock(mutex_);
        hurried_ = true;
    }
    changed_.notify_all();
}

// Whatever one of them throws, it runs again, and so do the others.
void Supervisor::guard_reconciler(std::size_t index) {
    std::string thrown;
    try {
        return run_reconciler(index);
    } catch (const std::exception& error) {
        thrown = error.what();
    } catch (...) {
        thrown = "something that is no exception";
    }
    reader_.reset();
    const std::lock_guard lock(roster_->mutex);
    Reconciler& reconciler = roster_->reconcilers[index];
    reconciler.on_failure(thrown, hub_.now());
    log_warning(std::string(reconciler.spec().name) + " broke and will be started again: " + thrown);
}

StoreResult<Findings> Supervisor::look(const ReconcilerSpec& spec, const std::optional<ExecutionId>& walked_to) {
    if (!reader_) {
        auto opened = backend_->open_reader();
        if (!opened) return opened.error();
        reader_ = std::move(*opened);
    }
    return spec.look(*reader_, {.batch = spec.batch,
                                .filter = options_.filter,
                                .execution_retention_ms = options_.execution_retention_ms,
                                .walked_to = walked_to});
}

void Supervisor::run_reconciler(std::size_t index) {
    ReconcilerSpec spec{};
    std::optional<Command> conclusion;
    std::optional<ExecutionId> walked_to;
    {
        const std::lock_guard lock(roster_->mutex);
        Reconciler& reconciler = roster_->reconcilers[index];
        spec = reconciler.spec();
        conclusion = reconciler.take_conclusion();
        walked_to = reconciler.walked_to();
        if (!conclusion && !reconciler.ready(hub_.now())) return;
    }
    if (conclusion) return submit(index, std::move(*conclusion));
    StoreResult<Findings> found = look(spec, walked_to);
    std::vector<Command> commands;
    {
        const std::lock_guard lock(roster_->mutex);
        if (found) {
            commands = roster_->reconcilers[index].on_found(std::move(*found), hub_.now());
        } else {
            roster_->reconcilers[index].on_failure(found.error().detail, hub_.now());
        }
    }
    if (!found) {
        log_warning(std::string(spec.name) +
                    " could not look for due rows and will try again: " + found.error().detail);
        if (found.error().fault == StoreFault::connection) reader_.reset();
    }
    for (Command& command : commands) submit(index, std::move(command));
}

void Supervisor::submit(std::size_t index, Command command) {
    std::string subject = subject_name(command);
    hub_.submit(std::move(command), command_deadline_ms,
                [roster = roster_, index, subject = std::move(subject)](const Result<Answer>& answer) {
                    const std::lock_guard lock(roster->mutex);
                    Reconciler& reconciler = roster->reconcilers[index];
                    reconciler.on_answer(subject, answer, steady_now());
                    if (!answer && answer.error().kind != ErrorKind::unavailable) {
                        log_warning(std::string(reconciler.spec().name) + " of " + subject +
                                    " failed and will be tried again: " + to_string(answer.error()));
                    }
                });
}

std::vector<ReconcilerView> Supervisor::reconcilers() const {
    const std::lock_guard lock(roster_->mutex);
    std::vector<ReconcilerView> views;
    for (const Reconciler& reconciler : roster_->reconcilers) views.push_back(reconciler.view());
    return views;
}

void Supervisor::run_housekeeping() {
    const bool retire = hub_.now() >= next_retire_;
    const bool maintain = hub_.now() >= next_maintain_;
    const bool trim = hub_.now() >= next_trim_;
    const bool sweep = hub_.now() >= next_sweep_;
    if (!retire && !maintain && !trim && !sweep) return;
    if (sweep) next_sweep_ = hub_.now() + sweep_interval_ms;
    if (trim) next_trim_ = hub_.now() + trim_interval(options_.event_retention_ms);
    if (retire) next_retire_ = hub_.now() + retire_interval_ms;
    if (maintain) next_maintain_ = hub_.now() + maintain_interval_ms;
    if (!writer_) {
        auto opened = backend_->open_writer();
        if (!opened) return;
        writer_ = std::move(*opened);
    }
    const auto keep_writer = [&](const auto& outcome) {
        if (outcome) return true;
        if (outcome.error().fault != StoreFault::contention) {
            log_warning("store housekeeping failed and will be tried again: " + outcome.error().detail);
        }
        if (outcome.error().fault == StoreFault::connection) writer_.reset();
        return false;
    };
    if (retire) {
        const auto retired = writer_->retire_lease_checks(retire_page);
        if (!keep_writer(retired)) return;
        if (*retired == retire_page) next_retire_ = hub_.now();
    }
    if (maintain && !keep_writer(writer_->maintain())) return;
    if (sweep) {
        const auto swept = writer_->sweep(sweep_page, worker_event_age_ms);
        if (!keep_writer(swept)) return;
        if (*swept >= sweep_page) next_sweep_ = hub_.now();
    }
    if (trim && options_.event_retention_ms > 0) {
        const auto trimmed = trim_events();
        if (!keep_writer(trimmed)) return;
        if (*trimmed) next_trim_ = hub_.now();
    }
}

// One piece of every outbox; true when there may be more.
StoreResult<bool> Supervisor::trim_events() {
    bool trimmed = false;
    for (const Channel channel : channels) {
        const auto outbox = writer_->open_outbox(channel);
        if (!outbox) return outbox.error();
        const auto trim = trim_of(*outbox, options_.event_retention_ms);
        if (!trim) {
            writer_->abandon();
            continue;
        }
        if (auto done = writer_->trim_outbox(channel, *trim); !done) return done.error();
        trimmed = true;
    }
    return trimmed;
}

}  // namespace flowfabric
