#include "core/suspension/condition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using Positions = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

ResumeCondition single(std::string key, SignalMatcher matcher = Wildcard{}) {
    return {Single{std::move(key), std::move(matcher)}};
}
ResumeCondition all_of(std::vector<ResumeCondition> members) {
    return {AllOf{std::move(members)}};
}
ResumeCondition count(std::uint32_t n, CountKind kind, Texts keys, std::optional<SignalMatcher> matcher = {}) {
    return {Count{n, kind, std::move(matcher), std::move(keys)}};
}
ResumeCondition nested(std::size_t levels, ResumeCondition innermost) {
    for (; levels > 0; --levels) innermost = all_of({std::move(innermost)});
    return innermost;
}

// A waitpoint's id follows from its key, as within one suspension.
SignalFacts signal(std::string key, std::uint64_t id, std::string name = "ready", std::string source = "svc") {
    const WaitpointId waitpoint{test::uuid_of(std::hash<std::string>{}(key))};
    return {std::move(key), waitpoint, {test::uuid_of(id)}, std::move(name), "service", std::move(source)};
}

std::string fault_of(const Result<void>& checked) {
    EXPECT_FALSE(checked);
    if (checked) return "accepted";
    EXPECT_EQ(checked.error().kind, ErrorKind::invalid_input);
    return checked.error().detail;
}
std::string condition_fault(const ResumeCondition& condition) {
    return fault_of(check_condition(condition, true));
}
std::string binding_fault(const ResumeCondition& condition, const std::vector<BoundKey>& bindings) {
    return fault_of(check_bindings(condition, bindings));
}

TEST(CheckCondition, AcceptsEveryKindAtItsLimits) {
    for (const ResumeCondition& condition :
         {single("k"), single("k", ByName{"ready"}), ResumeCondition{OperatorOnly{}}, ResumeCondition{TimeoutOnly{}},
          count(2, CountKind::distinct_waitpoints, {"a", "b"}), count(9, CountKind::distinct_signals, {"a"}),
          count(9, CountKind::distinct_sources, {"a"}, ByName{"ok"}), nested(4, single("k")),
          nested(3, count(1, CountKind::distinct_signals, {"k"}))}) {
        EXPECT_TRUE(check_condition(condition, true)) << condition.to_json();
    }
}

TEST(CheckCondition, TimeoutOnlyNeedsADeadline) {
    EXPECT_EQ(fault_of(check_condition({TimeoutOnly{}}, false)), "timeout_only_without_deadline");
    EXPECT_TRUE(check_condition({OperatorOnly{}}, false));
}

TEST(CheckCondition, AnEmptySignalNameIsRefusedAtEveryDepth) {
    constexpr std::string_view fault = "resume_condition: empty signal name (use Wildcard instead)";
    EXPECT_EQ(condition_fault(single("k", ByName{})), fault);
    EXPECT_EQ(condition_fault(nested(4, single("k", ByName{}))), fault);
    EXPECT_EQ(condition_fault(count(1, CountKind::distinct_signals, {"k"}, ByName{})), fault);
    EXPECT_EQ(condition_fault(nested(3, count(1, CountKind::distinct_signals, {"k"}, ByName{}))), fault);
}

TEST(CheckCondition, AnAllOfHasMembers) {
    EXPECT_EQ(condition_fault(all_of({})), "allof_empty_members at path <root>");
    EXPECT_EQ(condition_fault(all_of({single("a"), all_of({single("b"), all_of({})})})),
              "allof_empty_members at path members[1].members[1]");
}

TEST(CheckCondition, ACountIsPossible) {
    EXPECT_EQ(condition_fault(count(0, CountKind::distinct_signals, {"k"})), "count_n_zero at path <root>");
    EXPECT_EQ(condition_fault(count(1, CountKind::distinct_signals, {})), "count_waitpoints_empty at path <root>");
    EXPECT_EQ(condition_fault(all_of({count(0, CountKind::distinct_signals, {"k"})})),
              "count_n_zero at path members[0]");
    EXPECT_EQ(condition_fault(all_of({single("a"), count(1, CountKind::distinct_signals, {})})),
              "count_waitpoints_empty at path members[1]");
    EXPECT_EQ(condition_fault(count(3, CountKind::distinct_waitpoints, {"a", "b"})),
              "count_exceeds_waitpoint_set: n 3 of 2 waitpoints at path <root>");
    EXPECT_EQ(condition_fault(all_of({count(2, CountKind::distinct_sources, {"a", "b", "a"})})),
              "count_waitpoints_repeated: a at path members[0]");
}

TEST(CheckCondition, CompositesNestFourDeep) {
    EXPECT_EQ(condition_fault(nested(5, single("k"))),
              "depth 5 exceeds cap 4 at path members[0].members[0].members[0].members[0]");
    EXPECT_EQ(condition_fault(nested(4, count(1, CountKind::distinct_signals, {"k"}))),
              "depth 5 exceeds cap 4 at path members[0].members[0].members[0].members[0]");
    EXPECT_EQ(condition_fault(nested(9, single("k"))),
              "depth 5 exceeds cap 4 at path members[0].members[0].members[0].members[0]");
}

TEST(CheckCondition, NoMemberIsUnsatisfiable) {
    EXPECT_EQ(condition_fault(all_of({single("k"), {OperatorOnly{}}})),
              "operator_only_never_satisfiable_in_allof at path members[1]");
    EXPECT_EQ(condition_fault(all_of({all_of({{TimeoutOnly{}}})})),
              "timeout_only_never_satisfiable_in_allof at path members[0].members[0]");
}

TEST(CheckCondition, UnknownVariantsAreRefused) {
    EXPECT_EQ(condition_fault({UnknownCondition{}}), "unknown_condition_variant at path <root>");
    EXPECT_EQ(condition_fault(all_of({{UnknownCondition{}}})), "unknown_condition_variant at path members[0]");
}

TEST(CheckCondition, TextsMustSurviveEveryStore) {
    const std::string nul("a\0", 2);
    const std::string large(257, 'k');
    EXPECT_EQ(condition_fault(single(nul)), "resume_condition.waitpoint_key: contains a NUL character");
    EXPECT_EQ(condition_fault(single("k", ByName{"\xFF"})), "resume_condition.signal_name: is not valid UTF-8");
    EXPECT_EQ(condition_fault(all_of({count(1, CountKind::distinct_signals, {large})})),
              "resume_condition.members[0].waitpoint_key: longer than 256 bytes");
    EXPECT_EQ(condition_fault(all_of({count(1, CountKind::distinct_signals, {"k"}, ByName{nul})})),
              "resume_condition.members[0].signal_name: contains a NUL character");
}

TEST(CheckBindings, AcceptsWhatNamesTheSameKeys) {
    EXPECT_TRUE(check_bindings(single("k"), std::vector<BoundKey>{{"k"}}));
    EXPECT_TRUE(check_bindings(single("k"), std::vector<BoundKey>{{"k", false}}));
    EXPECT_TRUE(check_bindings({OperatorOnly{}}, std::vector<BoundKey>{{"any"}}));
    EXPECT_TRUE(check_bindings(all_of({single("a"), single("b")}), std::vector<BoundKey>{{"b", false}, {"a"}}));
}

TEST(CheckBindings, ThereIsAtLeastOne) {
    EXPECT_EQ(binding_fault(single("k"), {}), "waitpoints_empty");
}

TEST(CheckBindings, AFreshPrimaryHasTheKeyOfASingle) {
    EXPECT_EQ(binding_fault(single("k"), {{"other"}}), "waitpoint_key_mismatch");
    EXPECT_EQ(binding_fault(single("k"), {{"other"}, {"k"}}), "waitpoint_key_mismatch");
}

TEST(CheckBindings, AdditionalOnesAreFreshAndHaveAKey) {
    const auto both = all_of({single("a"), single("b"), single("c")});
    EXPECT_EQ(binding_fault(both, {{"a"}, {"b"}, {""}}), "additional_waitpoint_binding_empty_key at waitpoints[2]");
    EXPECT_EQ(binding_fault(both, {{"a"}, {"b", false}, {"c"}}),
              "additional_waitpoint_binding_must_be_fresh at waitpoints[1]");
}

TEST(CheckBindings, KeysAreBoundOnce) {
    EXPECT_EQ(binding_fault(all_of({single("a"), single("b")}), {{"a"}, {"b"}, {"a"}}),
              "duplicate_waitpoint_binding_key at waitpoints[2]");
}

TEST(CheckBindings, EveryReferencedKeyIsBound) {
    EXPECT_EQ(binding_fault(all_of({single("a"), single("b"), single("c")}), {{"a"}, {"b"}}),
              "referenced_waitpoint_key_missing_binding: c");
    EXPECT_EQ(binding_fault(count(1, CountKind::distinct_signals, {"a", "b"}), {{"a"}}),
              "referenced_waitpoint_key_missing_binding: b");
    EXPECT_EQ(binding_fault(single("k"), {{"other", false}}), "referenced_waitpoint_key_missing_binding: k");
}

TEST(CheckBindings, OfSeveralEachIsReferenced) {
    EXPECT_EQ(binding_fault(single("a"), {{"a"}, {"b"}}), "extra_binding_not_referenced_by_condition: b");
    EXPECT_EQ(binding_fault({OperatorOnly{}}, {{"a"}, {"b"}}), "extra_binding_not_referenced_by_condition: a");
}

TEST(CheckTimeoutAt, MayLieLessThanTenMinutesBack) {
    constexpr std::int64_t now = 1'700'000'000'000;
    EXPECT_TRUE(check_timeout_at(now - 599'999, now));
    EXPECT_EQ(fault_of(check_timeout_at(now - 600'000, now)), "timeout_at_in_past");
    EXPECT_TRUE(check_timeout_at(std::numeric_limits<std::int64_t>::max(), now));
    EXPECT_FALSE(check_timeout_at(std::numeric_limits<std::int64_t>::min(), now));
}

TEST(SignalName, TwoUnderscoresAreReserved) {
    EXPECT_TRUE(is_reserved_signal_name("__operator_only__"));
    EXPECT_TRUE(is_reserved_signal_name("__"));
    EXPECT_FALSE(is_reserved_signal_name("_ready"));
    EXPECT_FALSE(is_reserved_signal_name(""));
}

Evaluation result_of(const ResumeCondition& condition, const std::vector<SignalFacts>& signals) {
    return evaluate(condition, signals);
}

TEST(Evaluate, ASingleWantsItsKeyAndName) {
    const auto ready = single("k", ByName{"ready"});
    EXPECT_EQ(result_of(ready, {}), (Evaluation{false, {}}));
    EXPECT_EQ(result_of(ready, {signal("k", 1, "other"), signal("l", 2), signal("k", 3, "Ready")}),
              (Evaluation{false, {}}));
    EXPECT_EQ(result_of(ready, {signal("k", 1, "other"), signal("k", 2), signal("k", 3)}), (Evaluation{true, {1}}));
    EXPECT_EQ(result_of(single("k"), {signal("l", 1), signal("k", 2, "other")}), (Evaluation{true, {1}}));
}

TEST(Evaluate, NoSignalSatisfiesOperatorOnlyTimeoutOnlyOrTheUnknown) {
    const std::vector<SignalFacts> signals{signal("k", 1, "__operator_only__"), signal("k", 2, "__timeout_only__")};
    EXPECT_EQ(result_of({OperatorOnly{}}, signals), (Evaluation{false, {}}));
    EXPECT_EQ(result_of({TimeoutOnly{}}, signals), (Evaluation{false, {}}));
    EXPECT_EQ(result_of({UnknownCondition{}}, signals), (Evaluation{false, {}}));
    EXPECT_EQ(result_of(all_of({single("k"), {UnknownCondition{}}}), signals), (Evaluation{false, {0}}));
}

TEST(Evaluate, AllOfWantsEveryMemberInAnyOrder) {
    const auto both = all_of({single("a"), single("b")});
    EXPECT_EQ(result_of(all_of({}), {signal("a", 1)}), (Evaluation{false, {}}));
    EXPECT_EQ(result_of(both, {signal("b", 1)}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(both, {signal("a", 1), signal("a", 2)}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(both, {signal("a", 1), signal("a", 2), signal("b", 3)}), (Evaluation{true, {0, 2}}));
    EXPECT_EQ(result_of(both, {signal("b", 1), signal("a", 2)}), (Evaluation{true, {0, 1}}));
}

TEST(Evaluate, CountsDistinctWaitpoints) {
    const auto two = count(2, CountKind::distinct_waitpoints, {"a", "b", "c"});
    EXPECT_EQ(result_of(two, {signal("a", 1), signal("a", 2, "x", "y"), signal("d", 3)}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(two, {signal("a", 1), signal("a", 2), signal("c", 3)}), (Evaluation{true, {0, 2}}));
}

TEST(Evaluate, CountsDistinctSignals) {
    const auto two = count(2, CountKind::distinct_signals, {"a"});
    EXPECT_EQ(result_of(two, {signal("a", 1)}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(two, {signal("a", 1), signal("a", 1), signal("b", 2)}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(two, {signal("a", 1), signal("a", 2)}), (Evaluation{true, {0, 1}}));
}

TEST(Evaluate, CountsDistinctSourcesByTypeAndIdentity) {
    const auto two = count(2, CountKind::distinct_sources, {"a", "b"});
    EXPECT_EQ(result_of(two, {signal("a", 1, "x", "one"), signal("b", 2, "y", "one")}), (Evaluation{false, {0}}));
    EXPECT_EQ(result_of(two, {signal("a", 1, "x", "one"), signal("a", 2, "x", "two")}), (Evaluation{true, {0, 1}}));
    auto other_type = signal("a", 2, "x", "one");
    other_type.source_type = "human";
    EXPECT_EQ(result_of(two, {signal("a", 1, "x", "one"), other_type}), (Evaluation{true, {0, 1}}));
    auto joined = signal("a", 1, "x", "bc");
    auto split = signal("a", 2, "x", "c");
    joined.source_type = "a";
    split.source_type = "ab";
    EXPECT_TRUE(result_of(two, {joined, split}).satisfied) << "a pair, not a concatenation";
}

TEST(Evaluate, ACountsMatcherFilters) {
    const auto two = count(2, CountKind::distinct_signals, {"a"}, ByName{"yes"});
    EXPECT_EQ(result_of(two, {signal("a", 1, "no"), signal("a", 2, "yes"), signal("a", 3, "no")}),
              (Evaluation{false, {1}}));
    EXPECT_EQ(result_of(two, {signal("a", 1, "no"), signal("a", 2, "yes"), signal("a", 3, "yes")}),
              (Evaluation{true, {1, 2}}));
    EXPECT_TRUE(result_of(count(1, CountKind::distinct_signals, {"a"}, Wildcard{}), {signal("a", 1)}).satisfied);
}

TEST(Evaluate, BufferedSignalsBeyondTheCountContributeToo) {
    EXPECT_EQ(result_of(count(1, CountKind::distinct_signals, {"a"}), {signal("a", 1), signal("a", 2)}),
              (Evaluation{true, {0, 1}}));
}

TEST(Evaluate, CountsOfOneKindShareNothing) {
    const auto both =
        all_of({count(2, CountKind::distinct_sources, {"a"}), count(2, CountKind::distinct_sources, {"b"})});
    EXPECT_FALSE(result_of(both, {signal("a", 1, "x", "1"), signal("a", 2, "x", "2"), signal("a", 3, "x", "3"),
                                  signal("a", 4, "x", "4")})
                     .satisfied);
}

TEST(EffectOfLast, SaysWhatTheSignalDid) {
    struct Case {
        ResumeCondition condition;
        std::vector<SignalFacts> signals;
        SignalEffect effect;
    };
    const auto both = all_of({single("a", ByName{"ready"}), single("b")});
    for (const auto& [condition, signals, effect] : std::vector<Case>{
             {single("k", ByName{"ready"}), {signal("k", 1, "other")}, SignalEffect::no_op},
             {single("k", ByName{"ready"}), {signal("l", 1)}, SignalEffect::no_op},
             {single("k", ByName{"ready"}),
              {signal("k", 1, "other"), signal("k", 2)},
              SignalEffect::resume_condition_satisfied},
             {{OperatorOnly{}}, {signal("k", 1)}, SignalEffect::no_op},
             {both, {signal("a", 1)}, SignalEffect::appended_to_waitpoint},
             {both, {signal("a", 1), signal("a", 2)}, SignalEffect::appended_to_waitpoint_duplicate},
             {both, {signal("a", 1, "other")}, SignalEffect::signal_ignored_matcher_failed},
             {both, {signal("c", 1)}, SignalEffect::signal_ignored_not_in_condition},
             {both, {signal("a", 1), signal("b", 2)}, SignalEffect::resume_condition_satisfied},
             {count(2, CountKind::distinct_sources, {"a"}),
              {signal("a", 1), signal("a", 2)},
              SignalEffect::appended_to_waitpoint_duplicate},
             {count(3, CountKind::distinct_signals, {"a"}),
              {signal("a", 1), signal("a", 2)},
              SignalEffect::appended_to_waitpoint},
         }) {
        EXPECT_EQ(to_string(effect_of_last(condition, signals, evaluate(condition, signals))), to_string(effect))
            << condition.to_json();
    }
}

TEST(KeysOf, AreThoseOfEveryNodeOnceAndInOrder) {
    EXPECT_EQ(keys_of({OperatorOnly{}}), Texts{});
    EXPECT_EQ(keys_of(single("k")), Texts{"k"});
    EXPECT_EQ(keys_of(all_of({single("b"), count(1, CountKind::distinct_signals, {"c", "b"}),
                              all_of({single("a"), single("c")})})),
              (Texts{"b", "c", "a"}));
}

TEST(RequiredSignalNames, AreThoseThatThisWaitpointWaitsFor) {
    const auto condition = all_of({single("a", ByName{"two"}), single("b", ByName{"other"}), single("a"),
                                   count(1, CountKind::distinct_signals, {"b", "a"}, ByName{"one"}),
                                   single("a", ByName{"two"}), count(1, CountKind::distinct_signals, {"a"})});
    EXPECT_EQ(required_signal_names(condition, "a"), (Texts{"two", "one"}));
    EXPECT_EQ(required_signal_names(condition, "b"), (Texts{"other", "one"}));
    EXPECT_EQ(required_signal_names(condition, "c"), Texts{});
    EXPECT_EQ(required_signal_names(single("a"), "a"), Texts{});
    EXPECT_EQ(required_signal_names({OperatorOnly{}}, "a"), Texts{"__operator_only__"});
    EXPECT_EQ(required_signal_names({TimeoutOnly{}}, "a"), Texts{"__timeout_only__"});
}

const Texts some_keys{"a", "b", "c"};
const Texts some_names{"x", "y"};

SignalMatcher any_matcher(test::Random& random) {
    if (random.chance(50)) return Wildcard{};
    return ByName{random.pick(some_names)};
}

ResumeCondition any_condition(test::Random& random, int depth) {
    const auto choice = random.below(20);
    if (choice == 0) return {OperatorOnly{}};
    if (choice == 1) return {UnknownCondition{}};
    if (choice < 8) return single(random.pick(some_keys), any_matcher(random));
    if (choice < 14 || depth == 0) {
        std::optional<SignalMatcher> matcher;
        if (random.chance(50)) matcher = any_matcher(random);
        return count(static_cast<std::uint32_t>(random.below(4)), static_cast<CountKind>(random.below(3)),
                     random.some_of(some_keys), std::move(matcher));
    }
    std::vector<ResumeCondition> members;
    for (std::uint64_t n = random.below(4); n > 0; --n) members.push_back(any_condition(random, depth - 1));
    return all_of(std::move(members));
}

SignalFacts any_signal(test::Random& random) {
    return signal(random.pick(some_keys), random.below(4), random.pick(some_names), random.pick(some_names));
}

TEST(Evaluate, ASignalMoreNeverUndoesAndTheOrderNeverMatters) {
    std::size_t turned_true = 0;
    for (const std::uint64_t seed : test::seeds(2'000)) {
        SCOPED_TRACE(seed);
        test::Random random(seed);
        const ResumeCondition condition = any_condition(random, 3);
        std::vector<SignalFacts> signals;
        bool before = evaluate(condition, signals).satisfied;
        for (int i = 0; i < 8; ++i) {
            const auto place = static_cast<std::ptrdiff_t>(random.below(signals.size() + 1));
            signals.insert(signals.begin() + place, any_signal(random));
            const Evaluation now = evaluate(condition, signals);
            EXPECT_TRUE(now.satisfied || !before) << condition.to_json();
            turned_true += now.satisfied && !before ? 1 : 0;
            before = now.satisfied;

            auto shuffled = signals;
            for (std::size_t k = shuffled.size(); k > 1; --k) std::swap(shuffled[k - 1], shuffled[random.below(k)]);
            EXPECT_EQ(evaluate(condition, shuffled).satisfied, now.satisfied) << condition.to_json();
        }
    }
    EXPECT_GT(turned_true, 0U);
}

TEST(Evaluate, TheContributorsAloneDecideTheSame) {
    for (const std::uint64_t seed : test::seeds(2'000)) {
        SCOPED_TRACE(seed);
        test::Random random(seed);
        const ResumeCondition condition = any_condition(random, 3);
        std::vector<SignalFacts> signals(6);
        for (SignalFacts& one : signals) one = any_signal(random);
        const Evaluation whole = evaluate(condition, signals);
        EXPECT_TRUE(std::ranges::is_sorted(whole.contributors));
        std::vector<SignalFacts> contributing;
        contributing.reserve(whole.contributors.size());
        for (const std::size_t i : whole.contributors) contributing.push_back(signals[i]);
        const Evaluation part = evaluate(condition, contributing);
        EXPECT_EQ(part.satisfied, whole.satisfied) << condition.to_json();
        EXPECT_EQ(part.contributors.size(), contributing.size()) << "no repeat is among them";
    }
}

}  // namespace
}  // namespace flowfabric
