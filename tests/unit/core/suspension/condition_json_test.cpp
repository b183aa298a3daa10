#include <gtest/gtest.h>

#include "flowfabric/condition.hpp"
#include "support/random.hpp"

namespace flowfabric {
namespace {

EngineError refusal_of(std::string_view json) {
    const auto parsed = ResumeCondition::parse(json);
    EXPECT_FALSE(parsed) << json;
    return parsed ? EngineError{} : parsed.error();
}

ResumeCondition all_of(std::vector<ResumeCondition> members) {
    return {AllOf{std::move(members)}};
}

TEST(ResumeConditionJson, HasTheFormOfTheSpecification) {
    struct Case {
        ResumeCondition condition;
        std::string_view json;
    };
    for (const auto& [condition, json] : std::vector<Case>{
             {{Single{"K", ByName{"ready"}}}, R"({"Single":{"waitpoint_key":"K","matcher":{"ByName":"ready"}}})"},
             {{Single{"K", Wildcard{}}}, R"({"Single":{"waitpoint_key":"K","matcher":"Wildcard"}})"},
             {{OperatorOnly{}}, R"("OperatorOnly")"},
             {{TimeoutOnly{}}, R"("TimeoutOnly")"},
             {all_of({}), R"({"Composite":{"kind":"AllOf","members":[]}})"},
             {all_of({{Single{"K", Wildcard{}}}, {OperatorOnly{}}}),
              R"({"Composite":{"kind":"AllOf","members":)"
              R"([{"Single":{"waitpoint_key":"K","matcher":"Wildcard"}},"OperatorOnly"]}})"},
             {{Count{2, CountKind::distinct_waitpoints, std::nullopt, {"K", "L"}}},
              R"({"Composite":{"kind":"Count","n":2,"count_kind":"DistinctWaitpoints","waitpoints":["K","L"]}})"},
             {{Count{1, CountKind::distinct_signals, Wildcard{}, {"K"}}},
              R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","matcher":"Wildcard",)"
              R"("waitpoints":["K"]}})"},
             {{Count{4294967295, CountKind::distinct_sources, ByName{"ok"}, {}}},
              R"({"Composite":{"kind":"Count","n":4294967295,"count_kind":"DistinctSources",)"
              R"("matcher":{"ByName":"ok"},"waitpoints":[]}})"},
         }) {
        EXPECT_EQ(condition.to_json(), json);
        const auto parsed = ResumeCondition::parse(json);
        ASSERT_TRUE(parsed) << to_string(parsed.error());
        EXPECT_EQ(*parsed, condition) << json;
    }
}

TEST(ResumeConditionJson, TheOrderOfFieldsIsFree) {
    const auto parsed = ResumeCondition::parse(
        R"({"Composite":{"waitpoints":["K"],"matcher":"Wildcard","n":1,"kind":"Count","count_kind":"DistinctSources"}})");
    ASSERT_TRUE(parsed) << to_string(parsed.error());
    EXPECT_EQ(*parsed, (ResumeCondition{Count{1, CountKind::distinct_sources, Wildcard{}, {"K"}}}));
}

TEST(ResumeConditionJson, UnknownVariantsAreKeptAsTheyAre) {
    for (const std::string_view json :
         {R"("Never")", R"({"AnyOf":{"x":[1,null]}})", R"({"Composite":{"kind":"AnyOf","members":[]}})",
          R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctPhases","waitpoints":["K"]}})",
          R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","matcher":"Glob","waitpoints":["K"]}})",
          R"({"Single":{"waitpoint_key":"K","matcher":{"ByPrefix":"a"}}})",
          R"({"Single":{"waitpoint_key":"K","matcher":"wildcard"}})"}) {
        const auto parsed = ResumeCondition::parse(json);
        ASSERT_TRUE(parsed) << to_string(parsed.error());
        EXPECT_EQ(*parsed, ResumeCondition{UnknownCondition{std::string(json)}});
        EXPECT_EQ(parsed->to_json(), json);
    }
    const std::string inside = R"({"Composite":{"kind":"AllOf","members":["OperatorOnly","Never"]}})";
    EXPECT_EQ(*ResumeCondition::parse(inside), all_of({{OperatorOnly{}}, {UnknownCondition{R"("Never")"}}}));
}

TEST(ResumeConditionJson, WhatIsMalformedIsNamedWithItsPath) {
    struct Case {
        std::string_view json, where;
    };
    for (
        const auto& [json, where] : std::vector<Case>{
            {"", "at path <root>"},
            {"{", "at path <root>"},
            {R"("OperatorOnly" x)", "at path <root>"},
            {"null", "at path <root>: expected a string or an object with one field"},
            {"1", "at path <root>"},
            {"[]", "at path <root>"},
            {"{}", "at path <root>"},
            {R"({"Single":{},"Composite":{}})", "at path <root>"},
            {R"({"Single":"K"})", "Single: expected an object"},
            {R"({"Single":{"matcher":"Wildcard"}})", "waitpoint_key is required"},
            {R"({"Single":{"waitpoint_key":"K"}})", "matcher is required"},
            {R"({"Single":{"waitpoint_key":1,"matcher":"Wildcard"}})", "waitpoint_key: expected a string"},
            {R"({"Single":{"waitpoint_key":"K","matcher":1}})", "matcher: expected"},
            {R"({"Single":{"waitpoint_key":"K","matcher":null}})", "matcher: expected"},
            {R"({"Single":{"waitpoint_key":"K","matcher":{"ByName":1}}})", "matcher: ByName: expected a string"},
            {R"({"Single":{"waitpoint_key":"K","matcher":{"ByName":"a","x":1}}})", "matcher: expected"},
            {R"({"Single":{"waitpoint_key":"K","matcher":"Wildcard","x":1}})", "unknown field"},
            {R"({"Composite":[]})", "Composite: expected an object"},
            {R"({"Composite":{}})", "kind: expected a string"},
            {R"({"Composite":{"kind":1}})", "kind: expected a string"},
            {R"({"Composite":{"kind":"AllOf"}})", "members is required"},
            {R"({"Composite":{"kind":"AllOf","members":{}}})", "members: expected an array"},
            {R"({"Composite":{"kind":"AllOf","members":[],"n":1}})", "unknown field"},
            {R"({"Composite":{"kind":"AllOf","members":["OperatorOnly",7]}})", "at path members[1]:"},
            {R"({"Composite":{"kind":"AllOf","members":["TimeoutOnly",{"Composite":{"kind":"AllOf","members":[{}]}}]}})",
             "at path members[1].members[0]:"},
            {R"({"Composite":{"kind":"Count","count_kind":"DistinctSignals","waitpoints":[]}})", "n is required"},
            {R"({"Composite":{"kind":"Count","n":1,"waitpoints":[]}})", "count_kind is required"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals"}})", "waitpoints is required"},
            {R"({"Composite":{"kind":"Count","n":-1,"count_kind":"DistinctSignals","waitpoints":[]}})", "n: expected"},
            {R"({"Composite":{"kind":"Count","n":1.5,"count_kind":"DistinctSignals","waitpoints":[]}})", "n: expected"},
            {R"({"Composite":{"kind":"Count","n":"1","count_kind":"DistinctSignals","waitpoints":[]}})", "n: expected"},
            {R"({"Composite":{"kind":"Count","n":4294967296,"count_kind":"DistinctSignals","waitpoints":[]}})",
             "n: expected"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":1,"waitpoints":[]}})", "count_kind: expected"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","waitpoints":"K"}})",
             "waitpoints: expected"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","waitpoints":[1]}})",
             "waitpoints: expected"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","waitpoints":[],"matcher":null}})",
             "matcher: expected"},
            {R"({"Composite":{"kind":"Count","n":1,"count_kind":"DistinctSignals","waitpoints":[],"x":1}})",
             "unknown field"},
        }) {
        const EngineError refusal = refusal_of(json);
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_input) << json;
        EXPECT_TRUE(refusal.detail.starts_with("resume_condition: malformed at path ")) << refusal.detail;
        EXPECT_NE(refusal.detail.find(where), std::string::npos) << json << " → " << refusal.detail;
    }
}

TEST(ResumeConditionJson, DeepNestingIsRefusedNotFollowed) {
    std::string json;
    for (int i = 0; i < 100'000; ++i) json += R"({"Composite":{"kind":"AllOf","members":[)";
    EXPECT_EQ(refusal_of(json).kind, ErrorKind::invalid_input);
    EXPECT_EQ(refusal_of(std::string(100'000, '[')).kind, ErrorKind::invalid_input);
}

// Any text that JSON can carry, so quotes, backslashes and control characters too.
std::string any_text(test::Random& random) {
    std::string text;
    for (std::uint64_t length = random.below(6); length > 0; --length) text += static_cast<char>(random.below(128));
    return random.chance(20) ? text + "é" : text;
}

SignalMatcher any_matcher(test::Random& random) {
    if (random.chance(50)) return Wildcard{};
    return ByName{any_text(random)};
}

ResumeCondition any_condition(test::Random& random, int depth) {
    switch (random.below(depth > 0 ? 6 : 5)) {
        case 0:
            return {Single{any_text(random), any_matcher(random)}};
        case 1:
            return {OperatorOnly{}};
        case 2:
            return {TimeoutOnly{}};
        case 3:
            return {UnknownCondition{R"({"Later":[1,"x"]})"}};
        case 4: {
            Count count{static_cast<std::uint32_t>(random.below(1ULL << 32U)), static_cast<CountKind>(random.below(3))};
            if (random.chance(50)) count.matcher = any_matcher(random);
            for (std::uint64_t keys = random.below(4); keys > 0; --keys) count.waitpoints.push_back(any_text(random));
            return {std::move(count)};
        }
        default:
            break;
    }
    AllOf all;
    for (std::uint64_t members = random.below(4); members > 0; --members) {
        all.members.push_back(any_condition(random, depth - 1));
    }
    return {std::move(all)};
}

TEST(ResumeConditionJson, RoundTripsAnyCondition) {
    for (const std::uint64_t seed : test::seeds(500)) {
        SCOPED_TRACE(seed);
        test::Random random(seed);
        const ResumeCondition condition = any_condition(random, 5);
        const auto parsed = ResumeCondition::parse(condition.to_json());
        ASSERT_TRUE(parsed) << to_string(parsed.error());
        EXPECT_EQ(*parsed, condition) << condition.to_json();
    }
}

}  // namespace
}  // namespace flowfabric
