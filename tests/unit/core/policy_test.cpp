#include "flowfabric/policy.hpp"

#include <gtest/gtest.h>

#include <limits>

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
    for (const std::string_view json : {"", "{", "[]", "1", "null", R"("{}")", "{}{}", "{} x", R"({"priority":1,})"}) {
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
             {R"({"priority":null})", "priority"},
             {R"({"delay_until":"now"})", "delay_until"},
             {R"({"retry_policy":[]})", "retry_policy"},
             {R"({"retry_policy":null})", "retry_policy"},
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
         }) {
        const auto refusal = refusal_of(json);
        EXPECT_EQ(refusal.kind, ErrorKind::invalid_policy_json) << json;
        EXPECT_NE(refusal.detail.find(field), std::string::npos) << json << " → " << refusal.detail;
    }
}

TEST(ExecutionPolicy, UnknownFieldsAreRefusedAtEveryLevel) {
    for (const std::string_view json :
         {R"({"prio":1})", R"({"retry_policy":{"retries":1}})",
          R"({"retry_policy":{"backoff":{"type":"fixed","x":1}}})",
          R"({"retry_policy":{"backoff":{"type":"fixed","multiplier":2}}})", R"({"timeout_policy":{"deadline":1}})",
          R"({"routing_requirements":{"caps":[]}})",
          R"({"fallback_policy":{"tiers":[{"provider":"p","model":"m","x":1}]}})", R"({"stream_policy":{"x":1}})"}) {
        EXPECT_EQ(refusal_of(json).kind, ErrorKind::invalid_policy_json) << json;
    }
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
          std::string(R"(["a\u007f"])"), too_many, too_long}) {
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
        EXPECT_FALSE(ExecutionPolicy::parse(policy.to_json())) << multiplier;
    }
}

TEST(ExecutionPolicy, DeepNestingIsRefusedNotFollowed) {
    EXPECT_EQ(refusal_of(std::string(100'000, '[')).kind, ErrorKind::invalid_policy_json);
}

}  // namespace
}  // namespace flowfabric
