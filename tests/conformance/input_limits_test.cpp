#include <functional>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t payload_limit = 1'048'576;

class InputLimitsTest : public StoreTest {
  protected:
    template <class Change>
    void expect_create_refused(Change change, ErrorKind kind, std::string_view in_detail) {
        CreateExecution command;
        change(command);
        expect_no_change([&] { expect_error(run(command), kind, in_detail); });
    }

    template <class Change>
    void expect_claim_refused(Change change, ErrorKind kind, std::string_view in_detail) {
        Claim command = claim_by("w1");
        change(command);
        expect_error(run(command), kind, in_detail);
    }
};

// Texts that no store may be given: NUL, a broken sequence, an overlong form, a surrogate, beyond Unicode.
const std::vector<std::string>& bad_texts() {
    static const std::vector<std::string> texts{std::string("a\0b", 3), "\xc3", "a\xff", "\xc0\xaf", "\xed\xa0\x80",
                                                "\xf4\x90\x80\x80"};
    return texts;
}

TEST_P(InputLimitsTest, LanesAreOneToSixtyFourPrintableBytes) {
    for (const std::string& lane :
         {std::string(), std::string(65, 'x'), std::string("a\x7f"), std::string("a\x1f"), std::string("\xc3\xa4")}) {
        expect_create_refused([&](CreateExecution& c) { c.lane_id = lane; }, ErrorKind::invalid_input, "lane_id");
        expect_claim_refused([&](Claim& c) { c.lanes = {"default", lane}; }, ErrorKind::invalid_input, "lane_id");
    }
    CreateExecution longest;
    longest.lane_id = std::string(64, '~');
    EXPECT_EQ(row(create(longest)).lane_id, longest.lane_id);
}

TEST_P(InputLimitsTest, ClaimsNameOneToSixtyFourLanes) {
    expect_claim_refused([](Claim& c) { c.lanes.clear(); }, ErrorKind::invalid_input, "lanes");
    expect_claim_refused([](Claim& c) { c.lanes.assign(65, "default"); }, ErrorKind::invalid_input, "lanes");
}

TEST_P(InputLimitsTest, IdentitiesHaveNoSpaceAndNoControlCharacter) {
    std::vector<std::string> refused{"", std::string(257, 'x'), "a b", "a\tb", "a\x7f"};
    refused.insert(refused.end(), bad_texts().begin(), bad_texts().end());
    for (const std::string& text : refused) {
        expect_create_refused([&](CreateExecution& c) { c.namespace_name = text; }, ErrorKind::invalid_input,
                              "namespace");
        expect_claim_refused([&](Claim& c) { c.worker_id = text; }, ErrorKind::invalid_input, "worker_id");
        expect_claim_refused([&](Claim& c) { c.worker_instance_id = text; }, ErrorKind::invalid_input,
                             "worker_instance_id");
    }
    CreateExecution command;
    command.namespace_name = std::string(254, 'n') + "\xc3\xa4";
    EXPECT_EQ(row(create(command)).namespace_name, command.namespace_name);
    Claim longest = claim_by(std::string(256, 'w'));
    longest.worker_instance_id = std::string(256, 'i');
    EXPECT_EQ(row(claim(longest).execution_id).worker_instance_id, longest.worker_instance_id);
}

TEST_P(InputLimitsTest, FreeTextsAreUtf8WithoutNul) {
    using Field = std::function<void(CreateExecution&, const std::string&)>;
    const std::map<std::string, Field> fields{
        {"execution_kind", [](CreateExecution& c, const std::string& text) { c.execution_kind = text; }},
        {"creator_identity", [](CreateExecution& c, const std::string& text) { c.creator_identity = text; }},
        {"idempotency_key", [](CreateExecution& c, const std::string& text) { c.idempotency_key = text; }},
        {"payload_encoding", [](CreateExecution& c, const std::string& text) { c.payload_encoding = text; }},
        {"tags.team.name", [](CreateExecution& c, const std::string& text) { c.tags["team.name"] = text; }},
    };
    for (const auto& [name, set] : fields) {
        for (const std::string& text : bad_texts()) {
            expect_create_refused([&](CreateExecution& c) { set(c, text); }, ErrorKind::invalid_input, name);
        }
        CreateExecution accepted;
        set(accepted, "näme ☃ 🙂 '\"\\ {}$1");
        const ExecutionId id = create(accepted);
        EXPECT_EQ(view(id).tags, accepted.tags);
        EXPECT_EQ(row(id).execution_kind, accepted.execution_kind);
        EXPECT_EQ(row(id).creator_identity, accepted.creator_identity);
    }
}

TEST_P(InputLimitsTest, FailuresAreUtf8WithoutNul) {
    create();
    const ClaimedExecution claimed = claim();
    for (const std::string& text : bad_texts()) {
        expect_error(run(Fail{.lease = claimed.handle, .reason = text}), ErrorKind::invalid_input, "reason");
        expect_error(run(Fail{.lease = claimed.handle, .category = text}), ErrorKind::invalid_input, "category");
        expect_error(run(Complete{.lease = claimed.handle, .result_encoding = text}), ErrorKind::invalid_input,
                     "result_encoding");
    }
    const std::string longest(65'536, 'r');
    expect_error(run(Fail{.lease = claimed.handle, .reason = longest + "r"}), ErrorKind::invalid_input, "reason");
    value_of(run(Fail{.lease = claimed.handle, .reason = longest, .category = "it's ☃"}));
    EXPECT_EQ(row(claimed.execution_id).failure_reason, longest);
    EXPECT_EQ(row(claimed.execution_id).failure_category, "it's ☃");
}

TEST_P(InputLimitsTest, TagKeysHaveAnOwnerAndAName) {
    for (const std::string key : {"plain", "Cairn.x", "cairn.", "cairn..x", ".x", "cairn.foo-bar", "1a.b", "a.B"}) {
        expect_create_refused([&](CreateExecution& c) { c.tags[key] = "v"; }, ErrorKind::invalid_input, "tags." + key);
    }
    CreateExecution command;
    command.tags = {{"cairn.task_id", "1"}, {"a.0", ""}, {"a_1._b.c", "x"}};
    EXPECT_EQ(view(create(command)).tags, command.tags);
}

TEST_P(InputLimitsTest, PartitionsBeyondTheLastAreRefused) {
    for (const int partition : {256, 65'535}) {
        expect_create_refused(
            [&](CreateExecution& c) { c.execution_id = ExecutionId{static_cast<std::uint16_t>(partition), Uuid{}}; },
            ErrorKind::invalid_input, "execution_id");
    }
    expect_error(run(Renew{.lease = Fence{.execution_id = {256, {}}}, .lease_ttl_ms = 5000}), ErrorKind::invalid_input,
                 "execution_id");
}

TEST_P(InputLimitsTest, InputsHaveUpToOneMebibyte) {
    expect_create_refused([](CreateExecution& c) { c.input_payload.assign(payload_limit + 1, 'x'); },
                          ErrorKind::payload_too_large, "input_payload");
    create();
    EXPECT_EQ(claim().input_payload, Bytes{});
    CreateExecution largest;
    for (std::size_t i = 0; i < payload_limit; ++i) largest.input_payload += static_cast<char>(i * 7 + i / 256);
    create(largest);
    EXPECT_TRUE(claim().input_payload == largest.input_payload);
}

TEST_P(InputLimitsTest, ResultsHaveUpToOneMebibyte) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    expect_no_change([&] {
        expect_error(complete(claimed.handle, Bytes(payload_limit + 1, 'x')), ErrorKind::payload_too_large, "result");
    });
    const Bytes largest(payload_limit, '\xfe');
    value_of(complete(claimed.handle, largest));
    EXPECT_TRUE(result(id) == largest);
}

TEST_P(InputLimitsTest, ThePayloadLimitIsConfigurable) {
    Settings small;
    small.max_payload_bytes = 10;
    const auto other = another_engine(small);
    CreateExecution command;
    command.input_payload = "12345678901";
    expect_error(other->run(command), ErrorKind::payload_too_large, "at most 10");
    command.input_payload.pop_back();
    value_of(other->run(command));
}

TEST_P(InputLimitsTest, ManyLargePayloadsAreSplitOverBatches) {
    constexpr int count = 9;
    int created = 0;
    for (int i = 0; i < count; ++i) {
        CreateExecution command;
        command.input_payload.assign(payload_limit, static_cast<char>('a' + i));
        engine().submit(command, [&](const Result<Answer>& answer) { created += answer ? 1 : 0; });
    }
    engine().settle();
    EXPECT_EQ(created, count);
    std::set<char> seen;
    for (int i = 0; i < count; ++i) seen.insert(claim().input_payload.at(payload_limit - 1));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
}

TEST_P(InputLimitsTest, PrioritiesAreClamped) {
    const auto stored_priority = [&](std::int32_t priority) {
        CreateExecution command;
        command.priority = priority;
        return row(create(command)).priority;
    };
    EXPECT_EQ(stored_priority(-5), 0);
    EXPECT_EQ(stored_priority(99'999), 9000);
    EXPECT_EQ(stored_priority(9000), 9000);
    EXPECT_EQ(stored_priority(std::numeric_limits<std::int32_t>::min()), 0);
    CreateExecution by_policy;
    by_policy.policy.emplace();
    by_policy.policy->priority = 100'000;
    EXPECT_EQ(row(create(by_policy)).priority, 9000);
}

TEST_P(InputLimitsTest, LeaseTtlsLastOneSecondToOneDay) {
    create();
    for (const std::uint64_t ttl : {0ULL, 999ULL, 86'400'001ULL, ~0ULL}) {
        expect_claim_refused([&](Claim& c) { c.lease_ttl_ms = ttl; }, ErrorKind::invalid_input, "lease_ttl_ms");
    }
    Claim shortest = claim_by("w1");
    shortest.lease_ttl_ms = 1000;
    const ClaimedExecution claimed = claim(shortest);
    expect_error(renew(claimed.handle, 999), ErrorKind::invalid_input, "lease_ttl_ms");
    EXPECT_EQ(value_of(renew(claimed.handle, 86'400'000)).lease_expires_at_ms, now() + 86'400'000);
}

TEST_P(InputLimitsTest, AClaimTakesAtMostFiveHundred) {
    expect_claim_refused([](Claim& c) { c.max_count = 501; }, ErrorKind::invalid_input, "max_count");
}

TEST_P(InputLimitsTest, CapabilitiesAreTokens) {
    for (const std::string token : {"", "a,b", "a b", "a\n", "a\x7f"}) {
        expect_create_refused([&](CreateExecution& c) { c.policy = requiring({"ok", token}); },
                              ErrorKind::invalid_capabilities, "required:");
        expect_claim_refused([&](Claim& c) { c.capabilities = {"ok", token}; }, ErrorKind::invalid_capabilities,
                             "worker:");
    }
    // A policy that is not UTF-8 is not JSON either.
    expect_create_refused([](CreateExecution& c) { c.policy = requiring({"\xff"}); }, ErrorKind::invalid_policy_json,
                          "malformed");
    expect_claim_refused([](Claim& c) { c.capabilities = {"\xff"}; }, ErrorKind::invalid_capabilities, "worker:");
    std::vector<std::string> many;
    for (int i = 0; i < 257; ++i) many.push_back("c" + std::to_string(i));
    expect_create_refused([&](CreateExecution& c) { c.policy = requiring(many); }, ErrorKind::invalid_capabilities,
                          "required:");
    expect_create_refused([&](CreateExecution& c) { c.policy = requiring({std::string(4097, 'x')}); },
                          ErrorKind::invalid_capabilities, "required:");
    Claim longest = claim_by("w1");
    longest.capabilities = {std::string(4096, 'x')};
    const ExecutionId id = create_with(requiring(longest.capabilities));
    EXPECT_THAT(claimed_ids(longest), ElementsAre(id));
}

TEST_P(InputLimitsTest, PoliciesAreChecked) {
    const auto refused = [](std::string_view json, ErrorKind kind, std::string_view in_detail) {
        expect_error(ExecutionPolicy::parse(json), kind, in_detail);
    };
    refused("{", ErrorKind::invalid_policy_json, "malformed");
    refused("[]", ErrorKind::invalid_policy_json, "malformed");
    refused(R"({"routing_requirements":7})", ErrorKind::invalid_policy_json, "routing_requirements");
    refused(R"({"routing_requirements":{"required_capabilities":"gpu"}})", ErrorKind::invalid_capabilities,
            "required:");
    refused(R"({"routing_requirements":{"required_capabilities":["gpu",42]}})", ErrorKind::invalid_capabilities,
            "required:");
    refused(R"({"retry_policy":{"max_retries":-1}})", ErrorKind::invalid_policy_json, "retry_policy.max_retries");

    expect_create_refused(
        [](CreateExecution& c) {
            c.policy.emplace().retry_policy = RetryPolicy{.backoff = ExponentialBackoff{.multiplier = 0.5}};
        },
        ErrorKind::invalid_policy_json, "retry_policy.backoff.multiplier");
    expect_create_refused([](CreateExecution& c) { c.policy.emplace().quota_policy_id = std::string("q\0", 2); },
                          ErrorKind::invalid_policy_json, "quota_policy_id");
}

TEST_P(InputLimitsTest, NegativeTimesAreRefused) {
    expect_create_refused([](CreateExecution& c) { c.delay_until_ms = -1; }, ErrorKind::invalid_input, "delay_until");
    expect_create_refused([](CreateExecution& c) { c.execution_deadline_at_ms = -1; }, ErrorKind::invalid_input,
                          "execution_deadline_at");
}

TEST_P(InputLimitsTest, TheFarthestTimesAreKept) {
    constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
    CreateExecution command;
    command.delay_until_ms = end_of_time;
    command.execution_deadline_at_ms = end_of_time;
    const ExecutionId id = create(command);
    reconcile();
    EXPECT_EQ(row(id).delay_until_ms, end_of_time);
    EXPECT_EQ(row(id).deadline_at_ms, end_of_time);

    CreateExecution distant;
    distant.policy = retries(1, std::numeric_limits<std::uint64_t>::max() / 2);
    distant.policy->timeout_policy = TimeoutPolicy{.execution_deadline_ms = std::numeric_limits<std::uint64_t>::max()};
    const ExecutionId saturated = create(distant);
    fail_with_retry(claim().handle);
    EXPECT_GT(row(saturated).delay_until_ms, end_of_time / 2);
    EXPECT_EQ(row(saturated).deadline_at_ms, end_of_time);
}

INSTANTIATE_TEST_SUITE_P(Stores, InputLimitsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
