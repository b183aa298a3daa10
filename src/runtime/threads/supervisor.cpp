#include "runtime/threads/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "runtime/threads/pacing.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs retire_interval_ms = 1000;
constexpr SteadyMs maintain_interval_ms = 10'000;
constexpr std::uint32_t retire_page = 2000;
constexpr SteadyMs sweep_interval_ms = 60'000;
constexpr std::uint32_t sweep_page = 1000;
constexpr std::int64_t worker_event_age_ms = std::int64_t{7} * 24 * 60 * 60 * 1000;
constexpr std::chrono::milliseconds timer_look_limit{5'000};
constexpr std::chrono::milliseconds sweep_look_limit{30'000};
// A server ends a look that takes too long by itself, and the connection goes on; it is given up if that fails.
constexpr std::chrono::milliseconds silence_behind_limit{1'000};

constexpr SteadyMs longest_trim_interval_ms = 60'000;

SteadyMs trim_interval(std::int64_t event_retention) {
    return std::clamp<SteadyMs>(event_retention / 10, 1000, longest_trim_interval_ms);
}

}  // namespace

Supervisor::Supervisor(CommandHub& hub, std::shared_ptr<Backend> backend, Options options)
    : hub_(hub), backend_(std::move(backend)), options_(std::move(options)), shared_(std::make_shared<SharedState>()) {
    auto& [by_time, sweeps] = runners_;
    by_time.timers = true;
    for (const ReconcilerSpec& spec : options_.reconcilers) {
        (spec.due == nullptr ? sweeps : by_time).reconcilers.push_back(shared_->reconcilers.size());
        shared_->reconcilers.emplace_back(spec);
    }
    hub_.listen_to_timers([this](const DueRows& set, SteadyMs at) { on_timer(set, at); });
    for (Runner& runner : runners_) runner.thread = std::thread([this, &runner] { run(runner); });
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
    for (Runner& runner : runners_) {
        if (runner.thread.joinable()) runner.thread.join();
    }
}

SteadyMs Supervisor::next_run(const Runner& runner) const {
    SteadyMs next = runner.timers ? next_retire_ : std::min({next_maintain_, next_trim_, next_sweep_, next_sample_});
    const std::lock_guard lock(shared_->mutex);
    for (const std::size_t index : runner.reconcilers) next = std::min(next, shared_->reconcilers[index].next_run());
    return next;
}

void Supervisor::run(Runner& runner) {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        // First the lease checks that have become void, which the look for expired leases would step over.
        const auto upkeep = [&] { runner.timers ? retire_lease_checks(runner) : sweep_store(runner); };
        if (!contain("store housekeeping broke and will be tried again", upkeep)) runner.writer.reset();
        for (const std::size_t index : runner.reconcilers) guard_reconciler(runner, index);
        const auto sample = [&] { sample_rates(runner); };
        if (!contain("counting for rates broke and will be tried again", sample)) runner.reader.reset();
        // A reconciler is ready again when the last of its commands is answered.
        const SteadyMs pause = std::clamp<SteadyMs>(next_run(runner) - hub_.now(), 10, retire_interval_ms);
        lock.lock();
        changed_.wait_for(lock, std::chrono::milliseconds(pause), [&] { return stopping_ || runner.hurried; });
        runner.hurried = false;
    }
}

void Supervisor::on_timer(const DueRows& set, SteadyMs at) {
    bool earlier = false;
    {
        const std::lock_guard lock(shared_->mutex);
        for (Reconciler& reconciler : shared_->reconcilers) {
            if (reconciler.spec().due == &set) earlier = reconciler.hurry(at) || earlier;
        }
    }
    if (!earlier) return;
    {
        const std::lock_guard lock(mutex_);
        for (Runner& runner : runners_) runner.hurried = runner.hurried || runner.timers;
    }
    changed_.notify_all();
}

// A reconciler that throws runs again later and holds up no other.
void Supervisor::guard_reconciler(Runner& runner, std::size_t index) {
    std::string thrown;
    try {
        return run_reconciler(runner, index);
    } catch (...) {
        thrown = thrown_text();
    }
    runner.reader.reset();
    const std::lock_guard lock(shared_->mutex);
    Reconciler& reconciler = shared_->reconcilers[index];
    reconciler.on_failure(thrown, hub_.now());
    log_warning(std::string(reconciler.spec().name) + " broke and will be started again: " + thrown);
}

StoreResult<void> Supervisor::open_reader(Runner& runner) {
    const auto limit = runner.timers ? timer_look_limit : sweep_look_limit;
    if (!runner.reader) {
        auto opened = backend_->open_reader();
        if (!opened) return opened.error();
        if (auto limited = (*opened)->limit_reads(limit); !limited) return limited.error();
        runner.reader = std::move(*opened);
    }
    runner.reader->end_by(std::chrono::steady_clock::now() + limit + silence_behind_limit);
    return {};
}

StoreResult<Findings> Supervisor::look(Runner& runner, const ReconcilerSpec& spec,
                                       const std::optional<WalkPlace>& walked_to) {
    if (auto opened = open_reader(runner); !opened) return opened.error();
    return spec.look(*runner.reader, {.batch = spec.batch,
                                      .filter = options_.filter,
                                      .overrides = hub_.settings().overrides,
                                      .walked_to = walked_to});
}

void Supervisor::run_reconciler(Runner& runner, std::size_t index) {
    ReconcilerSpec spec{};
    std::optional<Command> conclusion;
    std::optional<WalkPlace> walked_to;
    {
        const std::lock_guard lock(shared_->mutex);
        Reconciler& reconciler = shared_->reconcilers[index];
        spec = reconciler.spec();
        conclusion = reconciler.take_conclusion();
        walked_to = reconciler.walked_to();
        if (!conclusion && !reconciler.ready(hub_.now())) return;
    }
    if (conclusion) return submit(index, std::move(*conclusion));
    const SteadyUs began = steady_now_us();
    StoreResult<Findings> found = look(runner, spec, walked_to);
    if (options_.observer) {
        const std::chrono::microseconds took(steady_now_us() - began);
        options_.observer->on_reconciler(spec.name, took, found.has_value());
    }
    std::vector<Command> commands;
    {
        const std::lock_guard lock(shared_->mutex);
        if (found) {
            commands = shared_->reconcilers[index].on_found(std::move(*found), hub_.now());
        } else {
            shared_->reconcilers[index].on_failure(found.error().detail, hub_.now());
        }
    }
    if (found) {
        hub_.health().on_read();
    } else {
        if (!hub_.health().on_fault(found.error())) {
            log_warning(std::string(spec.name) +
                        " could not look for due rows and will try again: " + found.error().detail);
        }
        if (found.error().fault == StoreFault::connection) runner.reader.reset();
    }
    for (Command& command : commands) submit(index, std::move(command));
}

void Supervisor::submit(std::size_t index, Command command) {
    std::string subject = command->subject();
    hub_.submit(
        std::move(command), own_command_deadline_ms,
        [shared = shared_, index, subject = std::move(subject)](const Result<Answer>& answer) {
            const std::lock_guard lock(shared->mutex);
            Reconciler& reconciler = shared->reconcilers[index];
            reconciler.on_answer(subject, answer, steady_now());
            if (!answer && worth_a_line(answer.error())) {
                log_warning(std::string(reconciler.spec().name) + " of " + subject +
                            " failed and will be tried again: " + to_string(answer.error()));
            }
        },
        GiveOn::any_thread);
}

std::vector<ReconcilerView> Supervisor::reconcilers() const {
    const std::lock_guard lock(shared_->mutex);
    std::vector<ReconcilerView> views;
    for (const Reconciler& reconciler : shared_->reconcilers) views.push_back(reconciler.view());
    return views;
}

std::shared_ptr<const RateHistory> Supervisor::rates() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->rates;
}

bool Supervisor::open_writer(Runner& runner) {
    if (runner.writer) return true;
    auto opened = backend_->open_writer();
    if (!opened) return false;
    runner.writer = std::move(*opened);
    return true;
}

template <class Outcome>
bool Supervisor::keep_writer(Runner& runner, const Outcome& outcome) {
    if (outcome) return true;
    if (outcome.error().fault != StoreFault::contention && !hub_.health().on_fault(outcome.error())) {
        log_warning("store housekeeping failed and will be tried again: " + outcome.error().detail);
    }
    if (outcome.error().fault == StoreFault::connection) runner.writer.reset();
    return false;
}

void Supervisor::retire_lease_checks(Runner& runner) {
    if (hub_.now() < next_retire_) return;
    next_retire_ = hub_.now() + retire_interval_ms;
    if (!open_writer(runner)) return;
    const auto retired = runner.writer->retire_lease_checks(retire_page);
    if (keep_writer(runner, retired) && *retired == retire_page) next_retire_ = hub_.now();
}

void Supervisor::sweep_store(Runner& runner) {
    const bool maintain = hub_.now() >= next_maintain_;
    const bool trim = hub_.now() >= next_trim_;
    const bool sweep = hub_.now() >= next_sweep_;
    if (!maintain && !trim && !sweep) return;
    if (sweep) next_sweep_ = hub_.now() + sweep_interval_ms;
    if (trim) next_trim_ = hub_.now() + longest_trim_interval_ms;
    if (maintain) next_maintain_ = hub_.now() + maintain_interval_ms;
    if (!open_writer(runner)) return;
    if (maintain && !keep_writer(runner, runner.writer->maintain())) return;
    if (sweep) {
        const auto swept = runner.writer->sweep(sweep_page, worker_event_age_ms);
        if (!keep_writer(runner, swept)) return;
        if (*swept >= sweep_page) next_sweep_ = hub_.now();
    }
    if (trim) {
        const auto routes = runner.writer->ensure_classes({});  // the settings come with them
        if (!keep_writer(runner, routes)) return;
        const StoreSettings settings = overridden(routes->settings, hub_.settings().overrides);
        const auto retention = static_cast<std::int64_t>(settings.event_retention_ms);
        if (retention == 0) return;
        next_trim_ = hub_.now() + trim_interval(retention);
        const auto trimmed = trim_events(*runner.writer, retention);
        if (!keep_writer(runner, trimmed)) return;
        if (*trimmed) next_trim_ = hub_.now();
    }
}

// Only with a reader that a reconciler has opened: what fails then is told by the reconcilers, which ask the same
// store.
void Supervisor::sample_rates(Runner& runner) {
    constexpr std::uint32_t page = 1000;
    constexpr SteadyMs before_next_look = 1000;
    if (runner.timers || hub_.now() < next_sample_) return;
    next_sample_ = hub_.now() + (runner.reader ? RateHistory::interval_ms : before_next_look);
    if (!runner.reader || !open_reader(runner)) return;
    std::vector<LaneCountsRow> lanes;
    for (bool more = true; more;) {
        auto rows = runner.reader->lane_counts(lanes.empty() ? std::string() : lanes.back().lane_id, page);
        if (!rows) return runner.reader.reset();
        more = rows->size() == page;
        std::ranges::move(*rows, std::back_inserter(lanes));
    }
    const auto now = runner.reader->now();
    if (!now) return runner.reader.reset();
    auto rates = std::make_shared<RateHistory>(*this->rates());
    rates->add(*now, lanes);
    const std::lock_guard lock(shared_->mutex);
    shared_->rates = std::move(rates);
}

// One piece of every outbox; true when there may be more.
StoreResult<bool> Supervisor::trim_events(StoreWriter& writer, std::int64_t retention_ms) {
    bool trimmed = false;
    for (const Channel channel : channels) {
        const auto outbox = writer.open_outbox(channel);
        if (!outbox) return outbox.error();
        const auto trim = trim_of(*outbox, retention_ms);
        if (!trim) {
            writer.abandon();
            continue;
        }
        if (auto done = writer.trim_outbox(channel, *trim); !done) return done.error();
        trimmed = true;
    }
    return trimmed;
}

}  // namespace flowfabric
