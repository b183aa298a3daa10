#include "schedule.hpp"

#include <algorithm>

#include "support/invariants.hpp"
#include "support/refusals.hpp"

namespace flowfabric::test {
namespace {

constexpr int actions_per_schedule = 220;
constexpr int rounds_to_finish = 60;
constexpr std::int64_t longest_lease_ms = 86'400'000;

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Schedule::Schedule(std::uint64_t seed)
    : random_(seed),
      fault_random_(~seed),
      store_(StoreKind::memory, [this](memory::FaultPoint point) { return fault_at(point); }),
      mix_(random_),
      approvals_(random_) {
    // Some schedules are calm, so that faults do not hide what goes wrong without them.
    for (std::uint64_t* rate : {&rates_.busy, &rates_.contention, &rates_.disconnect, &rates_.lost_reply}) {
        *rate = random_.chance(30) ? 0 : random_.below(25);
    }
    const std::uint64_t engines = 1 + random_.below(2);
    for (std::uint64_t i = 0; i < engines; ++i) {
        SimulationOptions options{.seed = seed * 10 + i, .writers = static_cast<std::uint32_t>(1 + random_.below(3))};
        if (random_.chance(50)) options.policy.max_rows = options.policy.min_rows = 4;
        options.settings.overrides.execution_retention_ms = 0;
        options.settings.overrides.emit_renewed_events = true;  // the ledger counts them
        options.settings.cancelled_with_flow = static_cast<std::uint32_t>(seed % 4);
        options.decide = decide_watching_refusals;
        processes_.push_back({.engine = std::make_unique<Simulation>(store_.backend(), options)});
    }
    faults_on_ = false;
    const auto seeded = processes_.front().engine->run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')});
    if (!seeded) complaints_.push_back("the first key: " + to_string(seeded.error()));
    faults_on_ = true;
}

memory::Fault Schedule::fault_at(memory::FaultPoint point) {
    using memory::Fault;
    if (!faults_on_) return Fault::none;
    switch (point) {
        case memory::FaultPoint::load:
            if (fault_random_.chance(rates_.busy)) return Fault::busy_rows;
            [[fallthrough]];
        case memory::FaultPoint::before_commit:
            if (fault_random_.chance(rates_.contention)) return Fault::contention;
            return fault_random_.chance(rates_.disconnect) ? Fault::disconnect : Fault::none;
        case memory::FaultPoint::after_commit:
            return fault_random_.chance(rates_.lost_reply) ? Fault::disconnect : Fault::none;
    }
    return Fault::none;
}

std::vector<std::string> Schedule::run() {
    for (int i = 0; i < actions_per_schedule && complaints_.empty(); ++i) {
        act();
        if (i % 40 == 39) check();
    }
    faults_on_ = false;
    settle_all();
    for (const Process& process : processes_) {
        if (process.unanswered != 0) complaints_.push_back("commands were never answered");
    }
    check();
    if (complaints_.empty()) finish_everything();
    return complaints_;
}

void Schedule::act() {
    Process& process = processes_[random_.below(processes_.size())];
    const std::int64_t now = store_.clock().now_ms();
    const std::uint64_t dice = random_.below(120);
    if (dice < 40) {
        submit(process, mix_.next(now), mix_);
    } else if (dice >= 100) {
        if (auto command = approvals_.next(now)) submit(process, std::move(*command), approvals_);
    } else if (dice < 85) {
        for (std::uint64_t steps = 1 + random_.below(4); steps > 0; --steps) process.engine->step();
    } else if (dice < 91) {
        store_.clock().advance(random_.pick<std::int64_t>({1, 50, 999, 1000, 5000, 31'000, -200, -3000}));
    } else if (dice < 96) {
        process.engine->reconcile();
    } else if (dice < 98) {
        process.engine->settle();
    } else {
        ++process.generation;
        process.unanswered = 0;
        process.engine->crash();
    }
}

template <class Author>
void Schedule::submit(Process& process, UserCommand command, Author& author) {
    ledger_.sent(command);
    ++process.unanswered;
    const auto completion = [this, &process, &author, command,
                             generation = process.generation](const Result<Answer>& answer) {
        if (generation != process.generation) {
            complaints_.push_back("answered after the crash: " + describe(command));
            return;
        }
        --process.unanswered;
        ledger_.told(command, answer);
        if (answer) author.learn(command, *answer);
    };
    std::visit([&](auto&& c) { process.engine->submit(std::forward<decltype(c)>(c), completion); }, std::move(command));
}

void Schedule::check() {
    Dump now = dump(*store_.backend());
    append(complaints_, violations(now));
    append(complaints_, violations_between(last_, now));
    append(complaints_, ledger_.contradictions(now));
    last_ = std::move(now);
    check_reads();
}

// Reads tell of every execution what the store has, and agree with each other.
void Schedule::check_reads() {
    Simulation& engine = *processes_.front().engine;
    const auto page = engine.read(ListExecutions{.limit = max_page});
    if (!page) return complaints_.push_back("list_executions: " + to_string(page.error()));
    if (page->executions.size() != std::min<std::size_t>(last_.executions.size(), max_page)) {
        complaints_.push_back("list_executions leaves some out");
    }
    for (const ExecutionView& view : page->executions) {
        const ExecutionId id = view.execution_id;
        const auto complain = [&](const std::string& what) { complaints_.push_back(id.to_string() + ": " + what); };
        if (engine.read(DescribeExecution{id}) != Result<std::optional<ExecutionView>>(view))
            complain("described otherwise than listed");
        if (engine.read(ReadExecutionState{id}) != Result<std::optional<PublicState>>(view.vector.public_state)) {
            complain("its state is read otherwise than listed");
        }
        const auto attempts = engine.read(ListAttempts{.execution_id = id, .after = std::nullopt, .limit = max_page});
        if (!attempts || attempts->attempts.size() != view.total_attempt_count) complain("attempts are missing");
        const auto explained = engine.read(ExplainExecution{id});
        if (!explained || !*explained || (*explained)->obstacles.empty()) complain("nothing explains it");
        if (!engine.read(EvaluateFlowEligibility{id})) complain("its eligibility cannot be told");
        if (view.flow_id && !engine.read(DescribeFlow{*view.flow_id}).has_value()) complain("its flow cannot be read");
    }
}

void Schedule::settle_all() {
    // In turn, since one engine's rows may be held by another's unfinished batch.
    for (bool moved = true; moved;) {
        moved = false;
        for (Process& process : processes_) moved = process.engine->step() || moved;
    }
}

// A suspension without a deadline ends by nobody's doing but an operator's.
void Schedule::resume_all() {
    for (const auto& [id, stored] : dump(*store_.backend()).executions) {
        if (stored.row.vector.lifecycle_phase != LifecyclePhase::suspended) continue;
        const auto resumed = processes_.front().engine->run(ResumeExecution{.execution_id = id});
        if (!resumed) complaints_.push_back("the last resume: " + to_string(resumed.error()));
    }
}

// An open group may wait for edges that nobody adds any more.
void Schedule::seal_all() {
    for (const auto& [key, flow] : dump(*store_.backend()).of<FlowRow>()) {
        if (flow.sealed || flow.public_flow_state == FlowState::cancelled) continue;
        const auto sealed = processes_.front().engine->run(SealFlow{key.flow_id});
        if (!sealed) complaints_.push_back("the last seal: " + to_string(sealed.error()));
    }
}

// Nothing may be stuck: without faults every execution can be claimed and completed.
void Schedule::finish_everything() {
    Process& process = processes_.front();
    for (const UserCommand& resume : CommandMix::resume_every_lane()) submit(process, resume, mix_);
    settle_all();
    seal_all();
    for (int round = 0; round < rounds_to_finish && complaints_.empty(); ++round) {
        if (all_terminal()) return check();
        store_.clock().advance(longest_lease_ms);  // a damaged handle may have renewed for up to this long
        process.engine->reconcile();
        resume_all();
        Claim claim = CommandMix::claim_everything(100);
        claim.lanes.emplace_back(Approvals::lane);
        auto claimed = process.engine->run(claim);
        if (!claimed) {
            complaints_.push_back("the last claim: " + to_string(claimed.error()));
            return;
        }
        ledger_.told(claim, Answer::of<Claimed>(*claimed));
        for (const ClaimedExecution& one : claimed->executions) {
            const UserCommand complete = Complete{.lease = one.handle, .result = "last"};
            ledger_.sent(complete);
            const auto completed = process.engine->run(std::get<Complete>(complete));
            if (!completed) complaints_.push_back("the last complete: " + to_string(completed.error()));
            if (completed) ledger_.told(complete, Answer::of<Completed>(*completed));
        }
    }
    if (!all_terminal()) {
        complaints_.push_back("executions are left that cannot be finished:\n" + to_text(dump(*store_.backend())));
    }
}

bool Schedule::all_terminal() {
    const auto terminal = [](const auto& entry) {
        return entry.second.row.vector.lifecycle_phase == LifecyclePhase::terminal;
    };
    return std::ranges::all_of(dump(*store_.backend()).executions, terminal);
}

}  // namespace flowfabric::test
