#include "runtime/simulation/simulation.hpp"

namespace flowfabric {

Simulation::Simulation(std::shared_ptr<Backend> backend, SimulationOptions options)
    : backend_(std::move(backend)), options_(std::move(options)), random_(options_.seed) {
    options_.settings.backend = backend_->traits().tag;
    start();
}

Simulation::~Simulation() = default;

void Simulation::submit_admitted(Result<Command> command, AnyCompletion completion) {
    if (!command) return completion(std::move(command).error());
    hub_->submit(std::move(*command), deadline_ms, std::move(completion));
}

Result<Answer> Simulation::run_admitted(Result<Command> command) {
    std::optional<Result<Answer>> answer;
    submit_admitted(std::move(command), [&](Result<Answer> given) { answer = std::move(given); });
    while (!answer && step()) {
    }
    if (!answer) return EngineError{.kind = ErrorKind::internal, .detail = "the simulation stalled"};
    return std::move(*answer);
}

Result<std::any> Simulation::read_any(const Queries& query) {
    auto reader = backend_->open_reader();
    if (!reader) return to_engine_error(reader.error());
    auto answer = answer_any(query, **reader, {.settings = hub_->settings(), .inbox = backend_->traits().inbox});
    if (answer) return *std::move(answer);
    return to_engine_error(answer.error());
}

void Simulation::start() {
    hub_ = std::make_unique<CommandHub>(
        options_.settings, options_.policy, backend_->traits().claim_floors, [this] { return steady_ms_; },
        [](const std::function<void()>& job) { job(); });
    dispatcher_ = {};
    hub_->listen_to_flows([this](const WorkingSet& set, const std::vector<Undispatched>& undispatched) {
        dispatcher_.on_committed(set, undispatched);
    });
    connections_.clear();
    connections_.resize(options_.writers + 1U);  // the last one is the patient writer
    reconcilers_.clear();
    for (const ReconcilerSpec& spec : all_reconcilers()) reconcilers_.emplace_back(spec);
}

void Simulation::crash() {
    connections_.clear();
    reader_.reset();
    housekeeper_.reset();
    start();
}

IdSource Simulation::next_ids() {
    ++commands_;
    return {static_cast<std::int64_t>(commands_), mix64(options_.seed + commands_), mix64(~options_.seed ^ commands_)};
}

bool Simulation::give_work(Connection& connection, WriterRole role) {
    if (connection.run) return true;
    auto batch = hub_->try_batch(role);
    if (batch) connection.run.emplace(*hub_, std::move(*batch), InboxLookup{}, options_.decide);
    return connection.run.has_value();
}

void Simulation::make_call(Connection& connection) {
    if (!connection.writer) {
        auto opened = backend_->open_writer();
        if (opened) connection.writer = std::move(*opened);
    }
    if (connection.writer) {
        connection.run->step(*connection.writer);
        if (connection.run->writer_lost()) connection.writer.reset();
    } else {
        connection.run->no_writer({StoreFault::connection, "no connection"});
    }
    if (connection.run->done()) connection.run.reset();
}

// What the last commits left to do for flows. False: nothing.
bool Simulation::dispatch() {
    if (dispatcher_.idle()) return false;
    if (!reader_) {
        if (auto opened = backend_->open_reader()) reader_ = std::move(*opened);
    }
    if (!reader_) return false;
    auto jobs = dispatcher_.look(*reader_);
    if (!jobs) {
        reader_.reset();
        return false;
    }
    for (Dispatcher::Job& job : *jobs) submit_job(std::move(job));
    return true;
}

void Simulation::submit_job(Dispatcher::Job job) {
    Command command = job.command;
    hub_->submit(std::move(command), deadline_ms, [this, job = std::move(job)](const Result<Answer>& answer) {
        if (auto next = dispatcher_.on_answer(job, answer)) submit_job(std::move(*next));
    });
}

bool Simulation::step() {
    std::vector<Connection*> ready;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        // Every writer takes what it can get: interleavings are wanted here, not speed.
        const bool patient = i + 1 == connections_.size();
        if (give_work(connections_[i], patient ? WriterRole::patient : WriterRole::primary)) {
            ready.push_back(&connections_[i]);
        }
    }
    if (!ready.empty()) {
        make_call(*ready[random_() % ready.size()]);
        return true;
    }
    if (dispatch()) return true;
    const auto due = hub_->next_due();
    if (!due) return false;
    steady_ms_ = std::max(steady_ms_ + 1, *due);
    hub_->expire();
    return true;
}

void Simulation::settle() {
    while ((!hub_->idle() || !dispatcher_.idle()) && step()) {
    }
}

void Simulation::reconcile() {
    if (!reader_) {
        if (auto opened = backend_->open_reader()) reader_ = std::move(*opened);
    }
    if (!housekeeper_) {
        if (auto opened = backend_->open_writer()) housekeeper_ = std::move(*opened);
    }
    if (!reader_ || !housekeeper_) return;
    for (Reconciler& reconciler : reconcilers_) {
        const ReconcilerSpec& spec = reconciler.spec();
        auto found = spec.look(*reader_, {.batch = spec.batch,
                                          .filter = {},
                                          .overrides = options_.settings.overrides,
                                          .walked_to = reconciler.walked_to()});
        if (!found) continue;
        hand_over(reconciler, reconciler.on_found(std::move(*found), steady_ms_));
        settle();
        if (auto conclusion = reconciler.take_conclusion()) {
            hand_over(reconciler, {std::move(*conclusion)});
            settle();
        }
    }
    constexpr std::int64_t week_ms = std::int64_t{7} * 24 * 60 * 60 * 1000;
    if (!housekeeper_->retire_lease_checks(1000) || !housekeeper_->sweep(1000, week_ms)) housekeeper_.reset();
}

std::vector<ReconcilerView> Simulation::reconcilers() const {
    std::vector<ReconcilerView> views;
    views.reserve(reconcilers_.size());
    for (const Reconciler& reconciler : reconcilers_) views.push_back(reconciler.view());
    return views;
}

void Simulation::hand_over(Reconciler& reconciler, std::vector<Command> commands) {
    for (Command& command : commands) {
        std::string subject = command->subject();
        hub_->submit(std::move(command), deadline_ms,
                     [this, &reconciler, subject = std::move(subject)](const Result<Answer>& answer) {
                         reconciler.on_answer(subject, answer, steady_ms_);
                     });
    }
}

}  // namespace flowfabric
