#include "flowfabric/policy.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/names.hpp"

namespace flowfabric {
namespace {

ExecutionPolicy full_policy() {
    return {.priority = 7,
            .delay_until_ms = 1'700'000'000'000,
            .retry_policy = RetryPolicy{.max_retries = 5,
                                        .backoff = ExponentialBackoff{10, 20, 1.5, true},
                                        .retryable_categories = {"transient", "flaky"}},
            .timeout_policy = TimeoutPolicy{.attempt_timeout_ms = 100, .execution_deadline_ms = 200},
            .routing_requirements =
                RoutingRequirements{
                    .required_capabilities = {"cuda", "gpu"}, .preferred_locality = "eu", .isolation_level = "vm"},
            .dedup_window_ms = 300,
            .max_reclaim_count = 4,
            .max_replay_count = 6,
            .suspension_policy = SuspensionPolicy{.default_timeout_ms = 9, .timeout_behavior = "escalate"},
            .fallback_policy = FallbackPolicy{{{.provider = "p", .model = "m", .timeout_ms = 1},
                                               {.provider = "q", .model = "n", .timeout_ms = {}}}},
            .budget_ids = {"b1", "b2"},
            .quota_policy_id = "q1",
            .stream_policy = StreamPolicy{.durability_mode = "durable", .retention_maxlen = 5, .retention_ttl_ms = 6},
            .max_signals_per_execution = 12};
}

EngineError refusal_of(std::string_view json) {
    auto parsed = ExecutionPolicy::parse(json);
    if (!parsed) return parsed.error();
    ADD_FAILURE() << "accepted: " << json;
    return {};
}

std::string with_capabilities(std::string_view tokens) {
    return std::string(R"({"routing_requirements":{"required_capabilities":)").append(tokens).append("}}");
}

TEST(ExecutionPolicy, JsonRoundTripsWithEveryFieldSet) {
    const auto parsed = ExecutionPolicy::parse(full_policy().to_json());
    ASSERT_TRUE(parsed) << to_string(parsed.error());
    EXPECT_EQ(*parsed, full_policy());
    EXPECT_EQ(parsed->to_json(), full_policy().to_json());
}

TEST(ExecutionPolicy, FixedBackoffRoundTrips) {
    const ExecutionPolicy policy{.retry_policy = RetryPolicy{.max_retries = 2, .backoff = FixedBackoff{500}}};
    EXPECT_EQ(*ExecutionPolicy::parse(policy.to_json()), policy);
}

TEST(ExecutionPolicy, UnsetFieldsAreLeftOutAndNeverNull) {
    EXPECT_EQ(ExecutionPolicy{}.to_json(), "{}");
    EXPECT_EQ(*ExecutionPolicy::parse("{}"), ExecutionPolicy{});
    EXPECT_EQ(full_policy().to_json().find("null"), std::string::npos);
}

TEST(ExecutionPolicy, NullCountsAsAbsentAtEveryLevel) {
    const auto nothing = ExecutionPolicy::parse(
        R"({"priority":null,"delay_until":null,"retry_policy":null,"timeout_policy":null,"max_reclaim_count":null,)"
        R"("suspension_policy":null,"fallback_policy":null,"max_replay_count":null,"budget_ids":null,)"
        R"("quota_policy_id":null,"routing_requirements":null,"dedup_window_ms":null,"stream_policy":null,)"
        R"("max_signals_per_execution":null})");
    ASSERT_TRUE(nothing) << to_string(nothing.error());
    EXPECT_EQ(*nothing, ExecutionPolicy{});

    const auto inside = ExecutionPolicy::parse(
        R"({"retry_policy":{"max_retries":null,"retryable_categories":null,"backoff":{"type":"exponential",)"
        R"("initial_delay_ms":null,"max_delay_ms":null,"multiplier":null,"jitter":null}},)"
        R"("timeout_policy":{"attempt_timeout_ms":null,"execution_deadline_ms":null,"max_reclaim_count":null},)"
        R"("suspension_policy":{"default_timeout_ms":null,"timeout_behavior":null},)"
        R"("fallback_policy":{"tiers":[{"provider":"p","model":"m","timeout_ms":null}]},)"
        R"("routing_requirements":{"required_capabilities":null,"preferred_locality":null,"isolation_level":null},)"
        R"("stream_policy":{"durability_mode":null,"retention_maxlen":null,"retention_ttl_ms":null}})");
    ASSERT_TRUE(inside) << to_string(inside.error());
    EXPECT_EQ(*inside, (ExecutionPolicy{.retry_policy = RetryPolicy{},
                                        .timeout_policy = TimeoutPolicy{},
                                        .routing_requirements = RoutingRequirements{},
                                        .suspension_policy = SuspensionPolicy{},
                                        .fallback_policy = FallbackPolicy{{{.provider = "p", .model = "m"}}},
                                        .stream_policy = StreamPolicy{}}));
}

TEST(ExecutionPolicy, TheReclaimCountOfATimeoutPolicyIsAcceptedAndIgnored) {
    const auto policy = ExecutionPolicy::parse(
        R"({"max_reclaim_count":7,"timeout_policy":{"attempt_timeout_ms":5,"max_reclaim_count":100}})");
    ASSERT_TRUE(policy) << to_string(policy.error());
    EXPECT_EQ(policy->max_reclaim_count, 7U);
    EXPECT_EQ(policy->timeout_policy, TimeoutPolicy{.attempt_timeout_ms = 5});
    EXPECT_EQ(policy->to_json(), R"({"timeout_policy":{"attempt_timeout_ms":5},"max_reclaim_count":7})");
}

TEST(ExecutionPolicy, DefaultsAreTheSpecifiedOnes) {
    const auto policy = ExecutionPolicy::parse(
        R"({"retry_policy":{},"suspension_policy":{},"stream_policy":{},"routing_requirements":{}})");
    ASSERT_TRUE(policy) << to_string(policy.error());
    EXPECT_EQ(policy->retry_policy->max_retries, 3U);
    EXPECT_EQ(std::get<ExponentialBackoff>(policy->retry_policy->backoff),
              (ExponentialBackoff{1000, 60'000, 2.0, false}));
    EXPECT_TRUE(policy->retry_policy->retryable_categories.empty());
    EXPECT_EQ(policy->suspension_policy->timeout_behavior, "fail");
    EXPECT_EQ(policy->stream_policy->durability_mode, "buffered");
    EXPECT_EQ(policy->stream_policy->retention_maxlen, 10'000U);
    EXPECT_FALSE(policy->max_replay_count);
    EXPECT_FALSE(ExecutionPolicy::parse("{}")->retry_policy);
}

TEST(ExecutionPolicy, ABackoffThatNamesOnlyItsTypeHasTheDefaults) {
    const auto policy = ExecutionPolicy::parse(R"({"retry_policy":{"backoff":{"type":"exponential"}}})");
    ASSERT_TRUE(policy);
    EXPECT_EQ(std::get<ExponentialBackoff>(policy->retry_policy->backoff), ExponentialBackoff{});
}

TEST(ExecutionPolicy, CapabilitiesAreSortedWithoutRepeats) {
    const auto policy = ExecutionPolicy::parse(with_capabilities(R"(["gpu","cuda","gpu"])"));
    ASSERT_TRUE(policy);
    EXPECT_EQ(policy->routing_requirements->required_capabilities, (std::vector<std::string>{"cuda", "gpu"}));
}

TEST(ExecutionPolicy, WhatIsNotAnObjectIsMalformed) {
    for (const std::string_view json :
         {"", "{", "[]", "1", "null", R"("{}")", "{}{}", "{} x", R"({"priority":1,})", R"({"priority":NaN})",
          R"({"priority":Infinity})", R"({"priority":+1})", R"({"priority":01})", R"({'priority':1})",
          R"({"priority":1/**/})", "\xEF\xBB\xBF{}", R"({"priority":)", R"({"quota_policy_id":"\ud800"})"}) {
        const auto refusal = refusal_of(json);
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_policy_json) << json;
        EXPECT_TRUE(refusal.detail.starts_with("malformed")) << refusal.detail;
    }
}

TEST(ExecutionPolicy, ARefusalNamesTheField) {
    struct Case {
        std::string_view json, field;
    };
    for (const auto& [json, field] : std::vector<Case>{
             {R"({"priority":"high"})", "priority"},
             {R"({"priority":1.5})", "priority"},
             {R"({"priority":2147483648})", "priority"},
             {R"({"delay_until":"now"})", "delay_until"},
             {R"({"retry_policy":[]})", "retry_policy"},
             {R"({"retry_policy":{"max_retries":-1}})", "retry_policy.max_retries"},
             {R"({"retry_policy":{"max_retries":4294967296}})", "retry_policy.max_retries"},
             {R"({"retry_policy":{"backoff":"fixed"}})", "retry_policy.backoff"},
             {R"({"retry_policy":{"backoff":{}}})", "retry_policy.backoff.type"},
             {R"({"retry_policy":{"backoff":{"type":"linear"}}})", "retry_policy.backoff.type"},
             {R"({"retry_policy":{"backoff":{"type":"fixed","delay_ms":-1}}})", "retry_policy.backoff.delay_ms"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","multiplier":"2"}}})", "multiplier"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","multiplier":0.5}}})", "multiplier"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","multiplier":-2}}})", "multiplier"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","multiplier":1e999}}})", ""},
             {R"({"retry_policy":{"backoff":{"type":"exponential","jitter":1}}})", "jitter"},
             {R"({"retry_policy":{"retryable_categories":"x"}})", "retryable_categories"},
             {R"({"retry_policy":{"retryable_categories":[1]}})", "retryable_categories"},
             {R"({"timeout_policy":7})", "timeout_policy"},
             {R"({"timeout_policy":{"attempt_timeout_ms":-1}})", "attempt_timeout_ms"},
             {R"({"routing_requirements":[]})", "routing_requirements"},
             {R"({"routing_requirements":{"preferred_locality":1}})", "preferred_locality"},
             {R"({"dedup_window_ms":-1})", "dedup_window_ms"},
             {R"({"max_reclaim_count":-1})", "max_reclaim_count"},
             {R"({"fallback_policy":{"tiers":{}}})", "tiers"},
             {R"({"fallback_policy":{"tiers":["x"]}})", "tiers"},
             {R"({"budget_ids":[{}]})", "budget_ids"},
             {R"({"quota_policy_id":1})", "quota_policy_id"},
             {R"({"quota_policy_id":"a\u0000b"})", "quota_policy_id"},
             {"{\"quota_policy_id\":\"a\xFF\"}", "quota_policy_id"},
             {"{\"quota_policy_id\":\"\xC0\x80\"}", "quota_policy_id"},
             {"{\"quota_policy_id\":\"\xED\xA0\x80\"}", "quota_policy_id"},
             {R"({"priority":-2147483649})", "priority"},
             {R"({"priority":18446744073709551616})", "priority"},
             {R"({"priority":true})", "priority"},
             {R"({"priority":[1]})", "priority"},
             {R"({"delay_until":-1})", "delay_until"},
             {R"({"delay_until":9223372036854775808})", "delay_until"},
             {R"({"delay_until":1e3})", "delay_until"},
             {R"({"retry_policy":{"backoff":{"type":1}}})", "retry_policy.backoff.type"},
             {R"({"retry_policy":{"backoff":{"type":"Fixed"}}})", "retry_policy.backoff.type"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","initial_delay_ms":1.5}}})", "initial_delay_ms"},
             {R"({"retry_policy":{"backoff":{"type":"exponential","max_delay_ms":-1}}})", "max_delay_ms"},
             {R"({"timeout_policy":{"execution_deadline_ms":18446744073709551616}})", "execution_deadline_ms"},
             {R"({"max_replay_count":4294967296})", "max_replay_count"},
             {R"({"max_signals_per_execution":-1})", "max_signals_per_execution"},
             {R"({"suspension_policy":"fail"})", "suspension_policy"},
             {R"({"suspension_policy":{"default_timeout_ms":"1"}})", "suspension_policy.default_timeout_ms"},
             {R"({"suspension_policy":{"timeout_behavior":1}})", "suspension_policy.timeout_behavior"},
             {R"({"fallback_policy":[]})", "fallback_policy"},
             {R"({"fallback_policy":{"tiers":[{"provider":1}]}})", "fallback_policy.tiers.provider"},
             {R"({"fallback_policy":{"tiers":[{"model":"m\u0000"}]}})", "fallback_policy.tiers.model"},
             {R"({"fallback_policy":{"tiers":[{"timeout_ms":-1}]}})", "fallback_policy.tiers.timeout_ms"},
             {R"({"budget_ids":"b"})", "budget_ids"},
             {R"({"stream_policy":1})", "stream_policy"},
             {R"({"stream_policy":{"durability_mode":1}})", "stream_policy.durability_mode"},
             {R"({"retry_policy":{"backoff":{"type":null}}})", "retry_policy.backoff.type"},
             {R"({"stream_policy":{"retention_maxlen":-1}})", "stream_policy.retention_maxlen"},
             {R"({"stream_policy":{"retention_ttl_ms":0.5}})", "stream_policy.retention_ttl_ms"},
         }) {
        const auto refusal = refusal_of(json);
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_policy_json) << json;
        EXPECT_NE(refusal.detail.find(field), std::string::npos) << json << " → " << refusal.detail;
    }
}

TEST(ExecutionPolicy, UnknownFieldsAreRefusedByNameAtEveryLevel) {
    struct Case {
        std::string_view json, field;
    };
    for (const auto& [json, field] : std::vector<Case>{
             {R"({"prio":1})", "prio:"},
             {R"({"":1})", "is not a known field"},
             {R"({"Priority":1})", "Priority:"},
             {R"({"priority\u0000":1})", "is not a known field"},
             {"{\"\xFF\":1}", "is not a known field"},
             {R"({"retry_policy":{"retries":1}})", "retry_policy.retries:"},
             {R"({"retry_policy":{"backoff":{"type":"fixed","x":1}}})", "retry_policy.backoff.x:"},
             {R"({"retry_policy":{"backoff":{"type":"fixed","multiplier":2}}})", "retry_policy.backoff.multiplier:"},
             {R"({"timeout_policy":{"deadline":1}})", "timeout_policy.deadline:"},
             {R"({"routing_requirements":{"caps":[]}})", "routing_requirements.caps:"},
             {R"({"suspension_policy":{"x":null}})", "suspension_policy.x:"},
             {R"({"fallback_policy":{"tiers":[{"provider":"p","model":"m","x":1}]}})", "fallback_policy.tiers.x:"},
             {R"({"stream_policy":{"x":1}})", "stream_policy.x:"},
         }) {
        const auto refusal = refusal_of(json);
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_policy_json) << json;
        EXPECT_NE(refusal.detail.find(field), std::string::npos) << json << " → " << refusal.detail;
        EXPECT_TRUE(check_text("detail", refusal.detail, 1000)) << "a message can be shown and stored";
    }
}

TEST(ExecutionPolicy, TheLastOfRepeatedFieldsCounts) {
    EXPECT_EQ(ExecutionPolicy::parse(R"({"priority":1,"priority":2})")->priority, 2);
    EXPECT_EQ(refusal_of(R"({"priority":1,"priority":"x"})").kind, ErrorKind::invalid_policy_json);
}

TEST(ExecutionPolicy, ListsHaveUpTo256Items) {
    const auto list_of = [](std::size_t count, const std::string& item) {
        std::string list = "[";
        for (std::size_t i = 0; i < count; ++i) list.append(i == 0 ? "" : ",").append(item);
        return list.append("]");
    };
    struct Case {
        std::string before, item, after, field;
    };
    for (const auto& [before, item, after, field] : std::vector<Case>{
             {R"({"budget_ids":)", R"("b")", "}", "budget_ids"},
             {R"({"retry_policy":{"retryable_categories":)", R"("c")", "}}", "retry_policy.retryable_categories"},
             {R"({"fallback_policy":{"tiers":)", "{}", "}}", "fallback_policy.tiers"},
         }) {
        EXPECT_TRUE(ExecutionPolicy::parse(before + list_of(256, item) + after)) << field;
        EXPECT_NE(refusal_of(before + list_of(257, item) + after).detail.find(field), std::string::npos);
    }
}

TEST(ExecutionPolicy, LargestNumbersAreKept) {
    const auto policy = ExecutionPolicy::parse(
        R"({"priority":-2147483648,"delay_until":9223372036854775807,"dedup_window_ms":18446744073709551615,)"
        R"("max_reclaim_count":4294967295,"timeout_policy":{"attempt_timeout_ms":18446744073709551615}})");
    ASSERT_TRUE(policy) << to_string(policy.error());
    EXPECT_EQ(policy->priority, std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(policy->delay_until_ms, std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(policy->dedup_window_ms, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(policy->max_reclaim_count, std::numeric_limits<std::uint32_t>::max());
    EXPECT_EQ(policy->timeout_policy->attempt_timeout_ms, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(*ExecutionPolicy::parse(policy->to_json()), *policy);
}

TEST(ExecutionPolicy, BadCapabilitiesAreRefusedAsSuch) {
    std::string too_many = "[";
    for (int i = 0; i < 257; ++i)
        too_many.append(i == 0 ? "" : ",").append("\"t").append(std::to_string(i)).append("\"");
    too_many.append("]");
    const std::string too_long = "[\"" + std::string(4097, 'x') + "\"]";
    for (const std::string& tokens :
         {std::string(R"("gpu")"), std::string(R"({"gpu":1})"), std::string(R"(["gpu",42])"), std::string(R"([""])"),
          std::string(R"(["a,b"])"), std::string(R"(["a b"])"), std::string(R"(["a\tb"])"),
          std::string(R"(["a\u007f"])"), std::string(R"(["a\u0000"])"), std::string("[\"a\xFF\"]"),
          std::string("[null]"), too_many, too_long}) {
        const auto refusal = refusal_of(with_capabilities(tokens));
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_capabilities) << tokens;
        EXPECT_TRUE(refusal.detail.starts_with("required:")) << refusal.detail;
    }
    EXPECT_TRUE(ExecutionPolicy::parse(with_capabilities("[\"" + std::string(4096, 'x') + "\"]")));
}

TEST(ExecutionPolicy, AMultiplierBuiltInCodeMeetsTheSameRule) {
    for (const double multiplier :
         {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const ExecutionPolicy policy{.retry_policy =
                                         RetryPolicy{.backoff = ExponentialBackoff{.multiplier = multiplier}}};
        EXPECT_NE(refusal_of(policy.to_json()).detail.find("retry_policy.backoff.multiplier"), std::string::npos)
            << multiplier;
    }
}

TEST(ExecutionPolicy, DeepNestingIsRefusedNotFollowed) {
    EXPECT_EQ(refusal_of(std::string(100'000, '[')).kind, ErrorKind::invalid_policy_json);
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += R"({"retry_policy":)";
    EXPECT_EQ(refusal_of(objects).kind, ErrorKind::invalid_policy_json);
}

}  // namespace
}  // namespace flowfabric
