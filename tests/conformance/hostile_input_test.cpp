#include "conformance/hostile_world.hpp"

namespace flowfabric::test {
namespace {

using namespace std::string_literals;

constexpr auto first_i64 = std::numeric_limits<std::int64_t>::min();
constexpr auto longest_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto longest_i64 = std::numeric_limits<std::int64_t>::max();

struct Accepted {
    std::string name;
    Make make;
    std::function<void(const ExecutionRow&)> check;
};

// ---- capabilities -----------------------------------------------------------------------------------------------

// Sorted tokens that no compression makes small: an index that holds them holds them whole.
std::vector<std::string> incompressible_tokens(std::size_t count, std::size_t bytes_each) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+-./:;<";
    std::uint64_t state = 88172645463325252ULL;
    std::vector<std::string> tokens(count);
    for (std::string& token : tokens) {
        for (std::size_t i = 0; i < bytes_each; ++i) {
            state ^= state << 13U;
            state ^= state >> 7U;
            state ^= state << 17U;
            token += letters[state % letters.size()];
        }
    }
    std::ranges::sort(tokens);
    return tokens;
}

struct TokenSample {
    std::string name;
    std::vector<std::string> tokens;
};

std::vector<TokenSample> bad_token_lists() {
    std::vector<TokenSample> lists{{"one token too many", incompressible_tokens(257, 8)},
                                   {"one byte too long", {std::string(4097, 'x')}},
                                   {"one byte too long with its commas", incompressible_tokens(241, 16)}};
    lists.back().tokens.back() += "x";
    for (const std::string& token : {""s, "a,b"s, ","s, "a b"s, " "s, "a\tb"s, "a\n"s, "a\x7F"s, "a\x1F"s, "\0"s,
                                     "a\0b"s, "\xFF"s, "\xC3"s, "\xC0\x80"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s}) {
        lists.push_back({"token " + ::testing::PrintToString(token), {"ok", token}});
    }
    return lists;
}

std::vector<TokenSample> good_token_lists() {
    return {{"none", {}},
            {"256 tokens", incompressible_tokens(256, 15)},
            {"4096 bytes with their commas", incompressible_tokens(241, 16)},
            {"4096 bytes in one token", incompressible_tokens(1, 4096)},
            {"4096 bytes with one comma", {std::string(2047, 'x'), std::string(2048, 'y')}},
            {"any letters", {"\"quoted\"", "'", "A", "\\", "a", "g\xC3\xB6", "{}", "\xF0\x9F\x99\x82"}},
            {"what other languages take for nothing", {"NULL", "null", "{}", "\"\""}}};
}

// ---- the rest ---------------------------------------------------------------------------------------------------

template <class C, class Set>
Make lease_command(Set set) {
    return [set](const World& world) {
        C command;
        command.lease = world.held.handle;
        set(command);
        return Commands(std::move(command));
    };
}

template <class Set>
Make creation(Set set) {
    return [set](const World& world) {
        CreateExecution command;
        command.execution_id = world.fresh;
        set(command);
        return Commands(std::move(command));
    };
}

template <class Set>
Make claiming(Set set) {
    return [set](const World& world) {
        Claim command = claim_by("w2");
        command.lanes = {world.lane};
        set(command);
        return Commands(std::move(command));
    };
}

Make creation_with(double multiplier) {
    return creation([multiplier](CreateExecution& c) {
        c.policy.emplace().retry_policy = RetryPolicy{.backoff = ExponentialBackoff{.multiplier = multiplier}};
    });
}

Tags tags_of_bytes(std::size_t bytes) {
    Tags tags;
    for (int i = 0; bytes > 0; ++i) {
        const std::string key = "t.k" + std::to_string(i);
        const std::size_t size = std::min<std::size_t>(bytes - key.size(), 60'000);
        bytes -= key.size() + size;
        tags[key] = std::string(size, '"');
    }
    return tags;
}

std::vector<Refused> refused_creations() {
    using enum ErrorKind;
    std::vector<Refused> rows{
        {"partition 256", creation([](CreateExecution& c) { c.execution_id->partition = 256; }), invalid_input,
         "execution_id"},
        {"partition 65535", creation([](CreateExecution& c) { c.execution_id->partition = 65'535; }), invalid_input,
         "execution_id"},
        {"a byte too much", creation([](CreateExecution& c) { c.input_payload.assign(payload_limit + 1, 'x'); }),
         payload_too_large, "input"},
        {"too many tags", creation([](CreateExecution& c) { c.tags = tags_of_bytes(262'145); }), invalid_input, "tags"},
        {"too many budgets", creation([](CreateExecution& c) { c.policy.emplace().budget_ids.assign(257, "b"); }),
         invalid_policy_json, "budget_ids"},
        {"too many categories", creation([](CreateExecution& c) {
             c.policy.emplace().retry_policy.emplace().retryable_categories.assign(257, "b");
         }),
         invalid_policy_json, "retry_policy.retryable_categories"},
        {"too many tiers",
         creation([](CreateExecution& c) { c.policy.emplace().fallback_policy.emplace().tiers.resize(257); }),
         invalid_policy_json, "fallback_policy.tiers"},
    };
    for (const std::int64_t time : {std::int64_t{-1}, first_i64}) {
        const std::string name = "at " + std::to_string(time);
        rows.push_back(
            {name, creation([time](CreateExecution& c) { c.delay_until_ms = time; }), invalid_input, "delay_until"});
        rows.push_back({name, creation([time](CreateExecution& c) { c.execution_deadline_at_ms = time; }),
                        invalid_input, "execution_deadline_at"});
        rows.push_back({name, creation([time](CreateExecution& c) { c.policy.emplace().delay_until_ms = time; }),
                        invalid_policy_json, "delay_until"});
    }
    for (const double multiplier :
         {0.0, 0.999, -1.0, -0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min(),
          std::numeric_limits<double>::max(), 1e300, 1.1e18}) {
        rows.push_back({"multiplier " + std::to_string(multiplier), creation_with(multiplier), invalid_policy_json,
                        "retry_policy.backoff.multiplier"});
    }
    for (const TokenSample& list : bad_token_lists()) {
        rows.push_back({list.name, creation([=](CreateExecution& c) { c.policy = requiring(list.tokens); }),
                        invalid_capabilities, "required:"});
    }
    return rows;
}

std::vector<Refused> refused_claims() {
    using enum ErrorKind;
    std::vector<Refused> rows{
        {"no lane", claiming([](Claim& c) { c.lanes.clear(); }), invalid_input, "lanes"},
        {"65 lanes", claiming([](Claim& c) { c.lanes.assign(65, "default"); }), invalid_input, "lanes"},
        {"more than 500", claiming([](Claim& c) { c.max_count = 501; }), invalid_input, "max_count"},
        {"most of all", claiming([](Claim& c) { c.max_count = longest_u32; }), invalid_input, "max_count"},
    };
    for (const std::uint64_t ttl : {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{86'400'001}, longest_u64}) {
        const std::string name = "ttl " + std::to_string(ttl);
        rows.push_back({name, claiming([ttl](Claim& c) { c.lease_ttl_ms = ttl; }), invalid_input, "lease_ttl_ms"});
        rows.push_back(
            {name, lease_command<Renew>([ttl](Renew& c) { c.lease_ttl_ms = ttl; }), invalid_input, "lease_ttl_ms"});
    }
    for (const TokenSample& list : bad_token_lists()) {
        rows.push_back(
            {list.name, claiming([=](Claim& c) { c.capabilities = list.tokens; }), invalid_capabilities, "worker:"});
    }
    return rows;
}

std::vector<Refused> refused_tag_keys() {
    std::vector<Refused> rows;
    for (const std::string& key : {""s,
                                   "plain"s,
                                   "Cairn.x"s,
                                   "cairn."s,
                                   "cairn..x"s,
                                   ".x"s,
                                   "."s,
                                   "cairn.foo-bar"s,
                                   "1a.b"s,
                                   "_a.b"s,
                                   "a.B"s,
                                   "a.b c"s,
                                   "a.b\n"s,
                                   "a.\0"s,
                                   "a.b\0"s,
                                   "a.b\xFF"s,
                                   "a.\xC3\xA4"s,
                                   "a.\xC0\x80"s,
                                   "a." + std::string(255, 'k'),
                                   std::string(3000, 'k'),
                                   "a." + std::string(3000, 'k'),
                                   std::string(255, 'k') + "\xC3\xA4"}) {
        const std::string name = ::testing::PrintToString(key).substr(0, 80);
        rows.push_back({name, creation([key](CreateExecution& c) { c.tags = {{"a.a", "fine"}, {key, "v"}}; }),
                        ErrorKind::invalid_input, "tags."});
        rows.push_back({name,
                        [key](const World& world) {
                            return Commands(SetExecutionTags{world.waiting, {{"a.a", "fine"}, {key, "v"}}});
                        },
                        ErrorKind::invalid_input, "tags."});
        rows.push_back({name, [key](const World& world) { return Commands(SetFlowTag{world.flow, key, "v"}); },
                        ErrorKind::invalid_input, "tags."});
        rows.push_back({name,
                        [key](const World&) {
                            SubmitFlow command;
                            command.nodes = {{.name = "a", .execution = {}, .policy = {}}};
                            command.tags = {{"a.a", "fine"}, {key, "v"}};
                            return Commands(std::move(command));
                        },
                        ErrorKind::invalid_input, "tags."});
    }
    return rows;
}

std::vector<Refused> refused_operations() {
    using enum ErrorKind;
    std::vector<Refused> rows{
        {"result", lease_command<Complete>([](Complete& c) { c.result = Bytes(payload_limit + 1, 'x'); }),
         payload_too_large, "result"},
        {"progress 101", lease_command<Progress>([](Progress& c) { c.percent = 101; }), invalid_input, "progress_pct"},
        {"progress", lease_command<Progress>([](Progress& c) { c.percent = longest_u32; }), invalid_input,
         "progress_pct"},
        {"delay -1", lease_command<Delay>([](Delay& c) { c.delay_until_ms = -1; }), invalid_input, "delay_until"},
        {"delay", lease_command<Delay>([](Delay& c) { c.delay_until_ms = first_i64; }), invalid_input, "delay_until"},
        {"renew by fence needs a ttl",
         [](const World& world) {
             Renew command;
             command.lease = fence_of(world.held);
             return Commands(std::move(command));
         },
         invalid_input, "lease_ttl_ms"},
        {"tags on no partition",
         [](const World& world) { return Commands(SetExecutionTags{{256, world.waiting.uuid}, {{"a.b", "c"}}}); },
         invalid_input, "execution_id"},
        {"tags on nobody", [](const World& world) { return Commands(SetExecutionTags{world.fresh, {{"a.b", "c"}}}); },
         execution_not_found, ""},
        {"too many tags",
         [](const World& world) { return Commands(SetExecutionTags{world.waiting, tags_of_bytes(262'145)}); },
         invalid_input, "tags"},
        {"too many tags of a flow",
         [](const World&) {
             SubmitFlow command;
             command.nodes = {{.name = "a", .execution = {}, .policy = {}}};
             command.tags = tags_of_bytes(262'145);
             return Commands(std::move(command));
         },
         invalid_input, "tags"},
        {"grace of 2^53",
         [](const World& world) {
             return Commands(CancelFlow{.flow_id = world.flow, .grace_ms = std::uint64_t{1} << 53U});
         },
         invalid_grace_ms, "grace_ms"},
        {"the longest grace",
         [](const World& world) { return Commands(CancelFlow{.flow_id = world.flow, .grace_ms = longest_u64}); },
         invalid_grace_ms, "grace_ms"},
        {"a member on no partition",
         [](const World& world) {
             return Commands(AddExecutionToFlow{.flow_id = world.flow, .execution_id = {65'535, Uuid{}}});
         },
         invalid_input, "execution_id"},
        {"too many with those that are there",
         [](const World& world) { return Commands(SetExecutionTags{world.waiting, tags_of_bytes(262'144)}); },
         invalid_input, "tags"},
    };
    return rows;
}

std::vector<Accepted> accepted_numbers() {
    const auto with_priority = [](std::int32_t given, std::int32_t stored) {
        return Accepted{"priority " + std::to_string(given),
                        creation([given](CreateExecution& c) { c.priority = given; }),
                        [stored](const ExecutionRow& row) { EXPECT_EQ(row.priority, stored); }};
    };
    const auto with_policy_priority = [](std::int32_t given, std::int32_t stored) {
        return Accepted{"policy priority " + std::to_string(given),
                        creation([given](CreateExecution& c) { c.policy.emplace().priority = given; }),
                        [stored](const ExecutionRow& row) { EXPECT_EQ(row.priority, stored); }};
    };
    const auto with_ttl = [](std::uint64_t ttl) {
        return Accepted{"ttl " + std::to_string(ttl), claiming([ttl](Claim& c) { c.lease_ttl_ms = ttl; }),
                        [ttl](const ExecutionRow& row) {
                            EXPECT_EQ(row.lease_expires_at_ms,
                                      row.lease_acquired_at_ms.value() + static_cast<std::int64_t>(ttl));
                        }};
    };
    return {
        with_priority(std::numeric_limits<std::int32_t>::min(), 0),
        with_priority(-1, 0),
        with_priority(9000, 9000),
        with_priority(9001, 9000),
        with_priority(std::numeric_limits<std::int32_t>::max(), 9000),
        with_policy_priority(std::numeric_limits<std::int32_t>::min(), 0),
        with_policy_priority(std::numeric_limits<std::int32_t>::max(), 9000),
        with_ttl(1000),
        with_ttl(86'400'000),
        {"last partition", creation([](CreateExecution& c) { c.execution_id->partition = 255; }), nullptr},
        {"the farthest delay", creation([](CreateExecution& c) { c.delay_until_ms = longest_i64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.delay_until_ms, longest_i64); }},
        {"the farthest delay by policy",
         creation([](CreateExecution& c) { c.policy.emplace().delay_until_ms = longest_i64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.delay_until_ms, longest_i64); }},
        {"a delay that is over", creation([](CreateExecution& c) { c.delay_until_ms = 0; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.vector.public_state, PublicState::waiting); }},
        {"the farthest deadline", creation([](CreateExecution& c) { c.execution_deadline_at_ms = longest_i64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.deadline_at_ms, longest_i64); }},
        {"the farthest deadline by policy", creation([](CreateExecution& c) {
             c.policy.emplace().timeout_policy = TimeoutPolicy{.execution_deadline_ms = longest_u64};
         }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.deadline_at_ms, longest_i64); }},
        {"the farthest attempt timeout", claiming([](Claim& c) { c.attempt_timeout_ms = longest_u64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.attempt_deadline_at_ms, longest_i64); }},
        {"the longest wait", claiming([](Claim& c) { c.max_wait_ms = longest_u64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.worker_id, "w2"); }},
        {"the longest wait for nothing", claiming([](Claim& c) {
             c.lanes = {"nothing here"};
             c.max_wait_ms = longest_u64;
         }),
         [](const ExecutionRow& row) { EXPECT_FALSE(row.worker_id); }},
        {"500 at once", claiming([](Claim& c) { c.max_count = 500; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.worker_id, "w2"); }},
        {"none at all", claiming([](Claim& c) { c.max_count = 0; }),
         [](const ExecutionRow& row) { EXPECT_FALSE(row.worker_id); }},
        {"64 lanes", claiming([](Claim& c) {
             for (int i = 0; i < 63; ++i) c.lanes.push_back("other " + std::to_string(i));
         }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.worker_id, "w2"); }},
        {"longest renewal", lease_command<Renew>([](Renew& c) { c.lease_ttl_ms = 86'400'000; }), nullptr},
        {"progress 0", lease_command<Progress>([](Progress& c) { c.percent = 0; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.progress_pct, 0); }},
        {"progress 100", lease_command<Progress>([](Progress& c) { c.percent = 100; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.progress_pct, 100); }},
        {"delay for ever", lease_command<Delay>([](Delay& c) { c.delay_until_ms = longest_i64; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.delay_until_ms, longest_i64); }},
        {"delay to the beginning", lease_command<Delay>([](Delay& c) { c.delay_until_ms = 0; }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.vector.public_state, PublicState::resumable); }},
        {"a source of tomorrow", lease_command<Complete>([](Complete& c) { c.source = static_cast<Source>(99); }),
         [](const ExecutionRow& row) { EXPECT_EQ(row.vector.public_state, PublicState::completed); }},
        {"most tags", creation([](CreateExecution& c) { c.tags = tags_of_bytes(262'144); }),
         [](const ExecutionRow& row) { EXPECT_TRUE(view_of(row).tags == tags_of_bytes(262'144)); }},
        {"longest tag key", creation([](CreateExecution& c) { c.tags["a." + std::string(254, 'k')] = "x"; }),
         [](const ExecutionRow& row) { EXPECT_EQ(tag_of(row, "a." + std::string(254, 'k')), "x"); }},
    };
}

// ---- the tests --------------------------------------------------------------------------------------------------

class HostileInputTest : public HostileWorldTest {};

TEST_P(HostileInputTest, WhatIsOutOfItsLimitsAtCreationIsRefused) {
    expect_refused(make_world(), refused_creations());
}

TEST_P(HostileInputTest, WhatIsOutOfItsLimitsInAClaimIsRefused) {
    expect_refused(make_world(), refused_claims());
}

TEST_P(HostileInputTest, TagKeysThatAreNoneAreRefused) {
    expect_refused(make_world(), refused_tag_keys());
}

TEST_P(HostileInputTest, WhatIsOutOfItsLimitsInAnOperationIsRefused) {
    expect_refused(make_world(), refused_operations());
}

TEST_P(HostileInputTest, TheFarthestValuesAreKept) {
    for (const Accepted& accepted : accepted_numbers()) {
        SCOPED_TRACE(accepted.name);
        const auto stored = row_after(accepted.make);
        if (stored && accepted.check) accepted.check(*stored);
    }
    reconcile();
}

TEST_P(HostileInputTest, CapabilitiesAtTheirLimitsAreMatched) {
    for (const TokenSample& list : good_token_lists()) {
        SCOPED_TRACE(list.name);
        const World world = make_world();
        CreateExecution command;
        command.lane_id = world.lane + " tokens";
        command.policy = requiring(list.tokens);
        const auto created = run(command);
        if (!created) {
            ADD_FAILURE() << "refused: " << to_string(created.error()).substr(0, 500);
            continue;
        }
        std::vector<std::string> sorted = list.tokens;
        std::ranges::sort(sorted);
        EXPECT_TRUE(row(created->execution_id).required_capabilities == sorted);
        Claim claim = claim_by("w2");
        claim.lanes = {command.lane_id};
        claim.capabilities = list.tokens;
        EXPECT_THAT(claimed_ids(claim), ::testing::ElementsAre(created->execution_id));
    }
}

TEST_P(HostileInputTest, PoliciesAreStoredWithoutLoss) {
    const auto with_multiplier = [](double multiplier) {
        return ExecutionPolicy{.retry_policy =
                                   RetryPolicy{.backoff = ExponentialBackoff{longest_u64, longest_u64, multiplier}}};
    };
    std::vector<ExecutionPolicy> policies{
        {},
        {.retry_policy = RetryPolicy{.max_retries = longest_u32, .backoff = FixedBackoff{longest_u64}},
         .timeout_policy = TimeoutPolicy{longest_u64, longest_u64},
         .dedup_window_ms = longest_u64,
         .max_reclaim_count = longest_u32,
         .max_replay_count = longest_u32,
         .suspension_policy = SuspensionPolicy{.default_timeout_ms = longest_u64},
         .fallback_policy = FallbackPolicy{std::vector<FallbackTier>(256, {"p", "m", longest_u64})},
         .budget_ids = std::vector<std::string>(256, std::string(256, '"')),
         .stream_policy = StreamPolicy{.retention_maxlen = longest_u64, .retention_ttl_ms = longest_u64},
         .max_signals_per_execution = longest_u32},
        {.retry_policy = RetryPolicy{.max_retries = 0, .backoff = FixedBackoff{0}},
         .timeout_policy = TimeoutPolicy{},
         .routing_requirements = RoutingRequirements{},
         .suspension_policy = SuspensionPolicy{},
         .fallback_policy = FallbackPolicy{},
         .stream_policy = StreamPolicy{.retention_maxlen = 0}},
    };
    for (const double multiplier : {1.0, 1.0000000000000002, 1.1, 10.0 / 3.0, 1e15, 1e16, 1e17 / 3.0, 1e18}) {
        policies.push_back(with_multiplier(multiplier));
    }
    for (const ExecutionPolicy& policy : policies) {
        SCOPED_TRACE(policy.to_json().substr(0, 200));
        const auto created = row_after(creation([&](CreateExecution& c) { c.policy = policy; }));
        if (!created) continue;
        const auto stored = ExecutionPolicy::parse(created->policy.value().text);
        ASSERT_TRUE(stored) << to_string(stored.error());
        EXPECT_EQ(stored->to_json(), policy.to_json());
        EXPECT_TRUE(*stored == policy);
    }
}

TEST_P(HostileInputTest, PayloadsReadBackToTheByte) {
    Bytes every_byte;
    for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
    for (const Bytes& bytes :
         {Bytes{}, Bytes(1, '\0'), every_byte, "\\x00"s, "\\000"s, repeated(every_byte, payload_limit)}) {
        CreateExecution command;
        command.input_payload = bytes;
        create(std::move(command));
        const ClaimedExecution claimed = claim();
        EXPECT_TRUE(claimed.input_payload == bytes) << bytes.size();
        value_of(complete(claimed.handle, bytes));
        EXPECT_TRUE(result(claimed.execution_id) == bytes) << bytes.size();
    }
    create();
    const ClaimedExecution claimed = claim();
    value_of(complete(claimed.handle));
    EXPECT_EQ(result(claimed.execution_id), std::nullopt) << "no result is not the empty one";
}

INSTANTIATE_TEST_SUITE_P(Stores, HostileInputTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
