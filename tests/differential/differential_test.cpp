#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "core/suspension/remembered_suspend.hpp"
#include "runtime/simulation/simulation.hpp"
#include "support/command_mix.hpp"
#include "support/dump.hpp"
#include "support/invariants.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/stores.hpp"

// The same random commands go through every store in lock step. Ids are minted from the seed, so that every answer and
// the whole contents must be equal after each step.
namespace flowfabric::test {
namespace {

constexpr std::uint64_t default_seeds = 60;
constexpr int steps_per_seed = 80;

// Handles name the store that issued them; these two change a handle's home and nothing else, damaged ones included.
Handle moved(Handle handle, BackendTag from, BackendTag to) {
    if (handle.backend == from) handle.backend = to;
    if (handle.opaque.size() > 2 && handle.opaque[2] == static_cast<char>(from)) {
        handle.opaque[2] = static_cast<char>(to);
    }
    return handle;
}

constexpr BackendTag neutral = BackendTag::memory;

void address(LeaseRef& lease, BackendTag tag) {
    if (auto* handle = std::get_if<Handle>(&lease)) *handle = moved(std::move(*handle), neutral, tag);
}

void address(std::optional<LeaseRef>& lease, BackendTag tag) {
    if (lease) address(*lease, tag);
}

UserCommand addressed_to(UserCommand command, BackendTag tag) {
    std::visit(
        [&](auto& c) {
            if constexpr (requires { c.lease; }) address(c.lease, tag);
        },
        command);
    return command;
}

Result<Answer> neutralised(Result<Answer> answer, BackendTag tag) {
    if (!answer) return answer;
    const auto neutralise = [&](auto& leased) { leased.handle = moved(std::move(leased.handle), tag, neutral); };
    if (auto* claimed = std::get_if<Claimed>(&*answer)) std::ranges::for_each(claimed->executions, neutralise);
    if (auto* claimed = std::get_if<LeasedExecution>(&*answer)) neutralise(*claimed);
    if (auto* claimed = std::get_if<std::optional<LeasedExecution>>(&*answer); claimed != nullptr && *claimed) {
        neutralise(**claimed);
    }
    if (auto* outcome = std::get_if<ReclaimOutcome>(&*answer)) {
        if (auto* claimed = std::get_if<LeasedExecution>(outcome)) neutralise(*claimed);
    }
    if (auto* outcome = std::get_if<SuspendOutcome>(&*answer)) {
        if (auto* suspended = std::get_if<Suspended>(outcome)) neutralise(*suspended);
    }
    return answer;
}

using Answers = std::vector<Result<Answer>>;

class Candidate {
  public:
    Candidate(StoreKind kind, std::uint64_t seed)
        : store_(kind),
          engine_(store_.backend(), {.seed = seed,
                                     .settings = {.overrides = {.execution_retention_ms = 0}},
                                     .decide = decide_watching_refusals}),
          reader_(std::move(*store_.backend()->open_reader())) {}

    StoreKind kind() const { return store_.kind(); }
    void advance(std::int64_t by_ms) {
        store_.clock().advance(by_ms);
        engine_.advance_steady(by_ms);
    }
    std::int64_t now() { return store_.clock().now_ms(); }
    void reconcile() { engine_.reconcile(); }
    void crash() { engine_.crash(); }

    // All of them arrive before the engine moves, so that they share a batch.
    Answers run(const std::vector<UserCommand>& commands) {
        const BackendTag tag = store_.backend()->traits().tag;
        std::vector<std::optional<Result<Answer>>> answers(commands.size());
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const auto keep = [&answers, i, tag](Result<Answer> answer) {
                answers[i] = neutralised(std::move(answer), tag);
            };
            std::visit([&](auto&& command) { engine_.submit(std::forward<decltype(command)>(command), keep); },
                       addressed_to(commands[i], tag));
        }
        engine_.settle();
        Answers given;
        for (auto& answer : answers) given.push_back(std::move(answer).value());
        return given;
    }

    Dump contents() { return dump(*reader_); }

  private:
    TestStore store_;
    Simulation engine_;
    std::unique_ptr<StoreReader> reader_;
};

// Events of one moment that concern different executions have no order among them.
template <class EventType>
void order_by_moment(std::vector<EventType>& events) {
    std::ranges::stable_sort(events, {},
                             [](const EventType& e) { return std::pair(e.occurred_at_ms, e.execution_id); });
    for (std::size_t i = 0; i < events.size(); ++i) events[i].event_id = static_cast<std::int64_t>(i) + 1;
}

// A remembered handle names its store.
void forget_store(SuspendDedupRow& row) {
    auto remembered = RememberedSuspend::parse(row.outcome_json);
    if (!remembered || !remembered->handle) return;
    remembered->handle = Bytes("handle");
    row.outcome_json = remembered->to_json();
}

Dump comparable(Dump contents) {
    order_by_moment(contents.lease_events);
    order_by_moment(contents.completion_events);
    for (auto& [key, row] : contents.side.of<SuspendDedupRow>().rows) forget_store(row);
    return contents;
}

struct Text {
    std::string operator()(const Created& a) const {
        return (a.duplicate ? "duplicate of " : "created ") + a.execution_id.to_string();
    }
    std::string operator()(const Claimed& a) const {
        std::string text = "claimed " + std::to_string(a.executions.size());
        for (const ClaimedExecution& one : a.executions) text += " " + one.execution_id.to_string();
        return text;
    }
    std::string operator()(const Renewed& a) const { return "until " + std::to_string(a.lease_expires_at_ms); }
    std::string operator()(const Completed& a) const { return "completed " + a.execution_id.to_string(); }
    std::string operator()(const Failed& a) const {
        const auto* retry = std::get_if<RetryScheduled>(&a);
        return retry == nullptr ? "failed for good" : "retried at " + std::to_string(retry->delay_until_ms);
    }
    std::string operator()(const ProgressRecorded&) const { return "recorded"; }
    std::string operator()(const Delayed& a) const { return std::string(to_string(a.public_state)); }
    std::string operator()(const Released& a) const { return "released " + a.execution_id.to_string(); }
    std::string operator()(const Cancelled& a) const { return "cancelled " + a.execution_id.to_string(); }
    std::string operator()(const TagsSet& a) const { return std::to_string(a.count) + " tags"; }
    std::string operator()(const PriorityChanged& a) const { return "was " + std::to_string(a.old_priority); }
    std::string operator()(const Replayed& a) const { return "replayed " + a.execution_id.to_string(); }
    std::string operator()(const Revocation& a) const {
        const auto* satisfied = std::get_if<AlreadySatisfied>(&a);
        return satisfied == nullptr ? "revoked" : satisfied->reason;
    }
    std::string operator()(const LeasedExecution& a) const { return "claimed " + a.execution_id.to_string(); }
    std::string operator()(const std::optional<LeasedExecution>& a) const { return a ? (*this)(*a) : "nothing"; }
    std::string operator()(const LaneChanged& a) const { return "lane " + a.lane_id; }
    std::string operator()(const SettingChanged& a) const { return a.name + " was " + a.previous; }
    std::string operator()(const ConsumerPosition& a) const {
        return (a.registered ? "registered at " : "stands at ") + std::to_string(**parse_cursor(a.cursor));
    }
    std::string operator()(const ConsumerRemoved& a) const { return a.existed ? "removed" : "was not there"; }
    std::string operator()(const TimerFired&) const { return "timer"; }
    std::string operator()(const WorkerRegistered& a) const { return a.refreshed ? "refreshed" : "registered"; }
    std::string operator()(const Heartbeat& a) const { return a.index() == 0 ? "alive" : "not registered"; }
    std::string operator()(const WorkerDeath& a) const { return a.index() == 0 ? "marked" : "not registered"; }
    std::string operator()(const ClaimGrant& a) const { return "granted " + a.grant_key; }
    std::string operator()(const ReclaimGrantOutcome& a) const { return "outcome " + std::to_string(a.index()); }
    std::string operator()(const ReclaimOutcome& a) const { return "outcome " + std::to_string(a.index()); }
    std::string operator()(const PendingWaitpoint& a) const { return "waitpoint " + a.waitpoint_id.to_string(); }
    std::string operator()(const WaitpointClosed& a) const { return a.was_open ? "closed" : "was closed"; }
    std::string operator()(const SuspendOutcome& a) const { return a.index() == 0 ? "suspended" : "already met"; }
    std::string operator()(const SignalOutcome& a) const {
        const auto* accepted = std::get_if<SignalAccepted>(&a);
        return accepted == nullptr ? "duplicate" : std::string(to_string(accepted->effect));
    }
    std::string operator()(const Resumed& a) const { return std::string(to_string(a.public_state)); }
    std::string operator()(const KeySeeded& a) const { return "seeded " + a.kid; }
    std::string operator()(const KeyRotated& a) const { return "rotated to " + a.new_kid; }
    std::string operator()(const KeysResealed& a) const { return "resealed " + std::to_string(a.resealed); }
    std::string operator()(const FlowCreated& a) const { return "flow " + a.flow_id.to_string(); }
    std::string operator()(const FlowSubmitted& a) const {
        return (a.already_there ? "there is flow " : "submitted flow ") + a.flow_id.to_string();
    }
    std::string operator()(const MemberAdded& a) const { return std::to_string(a.node_count) + " members"; }
    std::string operator()(const EdgeStaged& a) const {
        return (a.already_there ? "there is edge " : "edge ") + a.edge_id.to_string() + " at revision " +
               std::to_string(a.graph_revision);
    }
    std::string operator()(const DependencyApplied& a) const {
        return std::to_string(a.unsatisfied_count) + " dependencies open";
    }
    std::string operator()(const GroupPolicySet& a) const { return a.already_there ? "was set" : "set"; }
    std::string operator()(const FlowSealed& a) const { return a.already_there ? "was sealed" : "sealed"; }
    std::string operator()(const FlowTagSet&) const { return "tagged"; }
    std::string operator()(const FlowCancelled& a) const {
        return (a.already_terminal ? "had ended, " : "cancelled, ") + std::to_string(a.members.size()) + " members";
    }
    std::string operator()(const MemberAcknowledged&) const { return "acknowledged"; }
    std::string operator()(const WaitingChildren& a) const { return std::string(to_string(a.public_state)); }
    // What only the engine itself is told.
    template <class T>
    std::string operator()(const T&) const {
        return "done";
    }
};

std::string text_of(const Result<Answer>& answer) {
    if (!answer) return to_string(answer.error());
    return std::visit(Text{}, *answer);
}

class LockStep {
  public:
    LockStep(const std::vector<StoreKind>& kinds, std::uint64_t seed) : random_(seed), mix_(random_) {
        for (const StoreKind kind : kinds) candidates_.push_back(std::make_unique<Candidate>(kind, seed));
        const UserCommand first_key = SeedWaitpointHmacSecret{"k1", std::string(64, 'a')};
        for (auto& candidate : candidates_) EXPECT_TRUE(candidate->run({first_key}).front());
    }

    void step() {
        const std::uint64_t dice = random_.below(100);
        if (dice < 12) {
            const std::int64_t by = random_.pick<std::int64_t>({1, 100, 999, 1000, 5000, 31'000});
            log("the clock advances by " + std::to_string(by) + " ms");
            for (auto& candidate : candidates_) candidate->advance(by);
        } else if (dice < 24) {
            log("reconcile");
            for (auto& candidate : candidates_) candidate->reconcile();
        } else if (dice < 26) {
            log("restart");
            for (auto& candidate : candidates_) candidate->crash();
        } else {
            run_commands();
        }
        compare_contents();
    }

    const std::string& history() const { return history_; }

  private:
    void log(const std::string& line) { history_ += line + "\n"; }

    void run_commands() {
        std::vector<UserCommand> commands;
        const std::uint64_t count = random_.chance(70) ? 1 : 2 + random_.below(4);
        for (std::uint64_t i = 0; i < count; ++i) commands.push_back(mix_.next(candidates_.front()->now()));

        const Answers expected = candidates_.front()->run(commands);
        for (std::size_t i = 0; i < commands.size(); ++i) {
            log((count > 1 ? "together: " : "") + describe(commands[i]) + " -> " + text_of(expected[i]));
        }
        for (std::size_t c = 1; c < candidates_.size(); ++c) {
            const Answers actual = candidates_[c]->run(commands);
            for (std::size_t i = 0; i < commands.size(); ++i) {
                EXPECT_TRUE(actual[i] == expected[i]) << name_of(candidates_[c]->kind()) << " answers "
                                                      << text_of(actual[i]) << " to " << describe(commands[i]);
            }
        }
        for (std::size_t i = 0; i < commands.size(); ++i) {
            if (expected[i]) mix_.learn(commands[i], *expected[i]);
        }
    }

    void compare_contents() {
        Dump contents = candidates_.front()->contents();
        for (const std::string& violation : violations(contents)) ADD_FAILURE() << violation;
        for (const std::string& violation : violations_between(last_, contents)) ADD_FAILURE() << violation;
        const Dump expected = comparable(contents);
        for (std::size_t c = 1; c < candidates_.size(); ++c) {
            const Dump actual = comparable(candidates_[c]->contents());
            EXPECT_TRUE(actual == expected) << name_of(candidates_[c]->kind()) << " (+) differs from "
                                            << name_of(candidates_.front()->kind()) << " (-):\n"
                                            << difference(expected, actual);
        }
        last_ = std::move(contents);
    }

    Random random_;
    CommandMix mix_;
    std::vector<std::unique_ptr<Candidate>> candidates_;
    Dump last_;
    std::string history_;
};

TEST(DifferentialTest, EveryStoreAnswersAndHoldsTheSame) {
    std::vector<StoreKind> kinds;
    for (const StoreKind kind : {StoreKind::memory, StoreKind::sqlite, StoreKind::postgres}) {
        const Availability availability = availability_of(kind);
        if (availability.available) {
            kinds.push_back(kind);
            continue;
        }
        ASSERT_FALSE(availability.required) << availability.message;
        std::cout << "without " << name_of(kind) << ": " << availability.message << "\n";
    }
    for (const std::uint64_t seed : seeds(default_seeds)) {
        LockStep run(kinds, seed);
        for (int step = 1; step <= steps_per_seed; ++step) {
            run.step();
            if (HasFailure()) {
                FAIL() << "seed " << seed << ", step " << step << "; replay with FF_SEED=" << seed << "\n"
                       << run.history();
            }
        }
    }
}

}  // namespace
}  // namespace flowfabric::test
