#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "api/type.hpp"
#include "core/base/tags.hpp"
#include "core/suspension/remembered_suspend.hpp"
#include "engine/queries/queries.hpp"
#include "runtime/simulation/simulation.hpp"
#include "support/command_mix.hpp"
#include "support/dump.hpp"
#include "support/invariants.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/stores.hpp"
#include "support/watchdog.hpp"

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
    if (auto* claimed = answer->get_if<Claimed>()) std::ranges::for_each(claimed->executions, neutralise);
    if (auto* claimed = answer->get_if<LeasedExecution>()) neutralise(*claimed);
    if (auto* claimed = answer->get_if<std::optional<LeasedExecution>>(); claimed != nullptr && *claimed) {
        neutralise(**claimed);
    }
    if (auto* outcome = answer->get_if<ReclaimOutcome>()) {
        if (auto* claimed = std::get_if<LeasedExecution>(outcome)) neutralise(*claimed);
    }
    if (auto* outcome = answer->get_if<SuspendOutcome>()) {
        if (auto* suspended = std::get_if<Suspended>(outcome)) neutralise(*suspended);
    }
    return answer;
}

// An answer and how it reads as JSON, by which answers are compared.
struct Given {
    Result<Answer> answer = EngineError{};
    std::string text;
};

template <class C>
Given given(Result<Answer> answer, BackendTag tag) {
    Given given{.answer = neutralised(std::move(answer), tag), .text = {}};
    given.text = given.answer ? boost::json::serialize(api::to_json(given.answer->as<typename C::Answer>()))
                              : to_string(given.answer.error());
    return given;
}

using Answers = std::vector<Given>;

// Secrets that every store mints alike.
Result<Bytes> no_randomness(std::size_t count) {
    return Bytes(count, 'r');
}

class Candidate {
  public:
    Candidate(StoreKind kind, std::uint64_t seed)
        : store_(kind),
          engine_(store_.backend(),
                  {.seed = seed,
                   .settings = {.overrides = {.execution_retention_ms = 0}, .random_bytes = no_randomness},
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
        std::vector<std::optional<Given>> answers(commands.size());
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const auto submit = [&]<class C>(C&& command) {
                engine_.submit(std::forward<C>(command), [&answers, i, tag](Result<Answer> answer) {
                    answers[i] = given<std::remove_cvref_t<C>>(std::move(answer), tag);
                });
            };
            std::visit(submit, addressed_to(commands[i], tag));
        }
        engine_.settle();
        Answers all;
        for (auto& answer : answers) all.push_back(std::move(answer).value());
        return all;
    }

    Dump contents() { return dump(*reader_); }

    std::string read(const Queries& query) {
        const auto answer = answer_any(query, *reader_, {.settings = {}, .inbox = false});
        if (!answer) return to_string(to_engine_error(answer.error()));
        return std::visit(
            [&]<class Q>(const Q&) {
                return boost::json::serialize(api::to_json(std::any_cast<const typename Q::Answer&>(*answer)));
            },
            query);
    }

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

// By what some execution has.
SearchExecutions random_search(Random& random, const Dump& contents) {
    SearchExecutions query;
    query.limit = 1 + static_cast<std::uint32_t>(random.below(5));
    if (contents.executions.empty()) return query;
    const auto some =
        std::next(contents.executions.begin(), static_cast<std::ptrdiff_t>(random.below(contents.executions.size())));
    const ExecutionRow& row = some->second.row;
    const Tags tags = tags_of(row.tags);
    if (random.chance(30)) query.lane_id = row.lane_id;
    if (random.chance(30)) query.states = {row.vector.public_state};
    if (random.chance(20)) query.states.push_back(PublicState::failed);
    if (random.chance(20)) query.execution_kind = row.execution_kind;
    if (random.chance(20)) query.namespace_name = row.namespace_name;
    if (random.chance(20)) query.flow_id = row.flow_id;
    if (random.chance(20)) query.created_after_ms = row.created_at_ms;
    if (random.chance(20)) query.created_before_ms = row.created_at_ms + 1;
    if (random.chance(30) && !tags.empty()) {
        query.tag_key = tags.begin()->first;
        query.tag_value = tags.begin()->second;
    }
    return query;
}

class LockStep {
  public:
    LockStep(const std::vector<StoreKind>& kinds, std::uint64_t seed)
        : random_(seed), mix_(random_, CommandMix::Purges::yes) {
        for (const StoreKind kind : kinds) candidates_.push_back(std::make_unique<Candidate>(kind, seed));
        const UserCommand first_key = SeedWaitpointHmacSecret{"k1", std::string(64, 'a')};
        for (auto& candidate : candidates_) EXPECT_TRUE(candidate->run({first_key}).front().answer);
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
        compare_search();
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
            log((count > 1 ? "together: " : "") + describe(commands[i]) + " -> " + expected[i].text);
        }
        for (std::size_t c = 1; c < candidates_.size(); ++c) {
            const Answers actual = candidates_[c]->run(commands);
            for (std::size_t i = 0; i < commands.size(); ++i) {
                EXPECT_EQ(actual[i].text, expected[i].text)
                    << name_of(candidates_[c]->kind()) << " answers otherwise to " << describe(commands[i]);
            }
        }
        for (std::size_t i = 0; i < commands.size(); ++i) {
            if (expected[i].answer) mix_.learn(commands[i], *expected[i].answer);
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

    // Page by page, so that each store begins the next one where the first one ended.
    void compare_search() {
        SearchExecutions query = random_search(random_, last_);
        for (int page = 0; page < 3; ++page) {
            const std::string expected = candidates_.front()->read(query);
            for (std::size_t c = 1; c < candidates_.size(); ++c) {
                EXPECT_EQ(candidates_[c]->read(query), expected)
                    << name_of(candidates_[c]->kind()) << " finds something else by "
                    << boost::json::serialize(api::to_json(query));
            }
            const auto shown = boost::json::parse(expected);
            const auto* next = shown.as_object().if_contains("next_cursor");
            if (next == nullptr) return;
            query.after = *SearchPlace::parse(std::string_view(next->as_string()));
        }
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
        tell_watchdog_of_progress();
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
