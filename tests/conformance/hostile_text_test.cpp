#include <algorithm>

#include "conformance/hostile_world.hpp"
#include "core/base/tags.hpp"
#include "core/flow/flow_fields.hpp"

namespace flowfabric::test {
namespace {

using namespace std::string_literals;

enum class Rule : std::uint8_t { text, identity, lane };

struct TextField {
    std::string command;
    std::string field;
    Rule rule;
    std::size_t max_bytes;
    std::function<Commands(const World&, const std::string&)> with;
    std::function<std::optional<std::string>(const ExecutionRow&)> stored;
    ErrorKind kind = ErrorKind::invalid_input;
    bool may_be_empty = true;
    std::function<std::optional<std::string>(const FlowRow&)> stored_in_flow = nullptr;
};

struct Sample {
    std::string name;
    std::string text;
};

std::vector<Sample> bad_samples(const TextField& field) {
    std::vector<Sample> samples{
        {"NUL inside", "a\0b"s},
        {"NUL alone", "\0"s},
        {"NUL at the end", "a\0"s},
        {"cut sequence", "a\xC3"},
        {"cut sequence of four", "\xF0\x9F\x98"},
        {"lone continuation", "\x80z"},
        {"no byte of UTF-8", "a\xFF"},
        {"overlong slash", "\xC0\xAF"},
        {"overlong NUL", "\xC0\x80"},
        {"surrogate", "\xED\xA0\x80"},
        {"beyond Unicode", "\xF4\x90\x80\x80"},
        {"one byte too long", std::string(field.max_bytes + 1, 'x')},
        {"too long by its last character", std::string(field.max_bytes - 1, 'x') + "\xC3\xA4"},
        {"far too long", std::string(field.max_bytes + 3000, 'x')},
    };
    if (!field.may_be_empty) samples.push_back({"empty", ""});
    if (field.rule == Rule::text) return samples;
    for (const std::string text : {"a\tb", "a\nb", "\r", "a\x7F", "\x1B[31m"}) samples.push_back({"control", text});
    if (field.rule == Rule::identity)
        samples.insert(
            samples.end(),
            {{"space", "a b"}, {"only a space", " "}, {"no-break space", "\u00a0"}, {"line separator", "a\u2028b"}});
    if (field.rule == Rule::lane) samples.push_back({"not ASCII", "l\xC3\xA4ne"});
    return samples;
}

std::vector<Sample> good_samples(const TextField& field) {
    std::vector<Sample> samples{
        {"longest", std::string(field.max_bytes, '~')}, {"shortest", "x"}, {"quotes", R"('";\\"--/*{}[]$1%s:=<>&|?)"}};
    if (field.may_be_empty) samples.push_back({"empty", ""});
    if (field.rule == Rule::lane) samples.push_back({"space", " "});
    if (field.rule == Rule::lane) return samples;
    samples.push_back({"longest in characters of four bytes", repeated("\xF0\x9F\x99\x82", field.max_bytes)});
    samples.push_back({"the last characters of each length", "\x7E\xDF\xBF\xEF\xBF\xBF\xF4\x8F\xBF\xBF"});
    if (field.rule == Rule::text) samples.push_back({"controls", "\n\tline\r\n\x01\x1B\x7F\\u0000 \xE2\x80\xA8"});
    return samples;
}

template <class Set, class Stored>
TextField of_create(std::string field, Rule rule, std::size_t max_bytes, Set set, Stored stored) {
    return {.command = "create_execution",
            .field = std::move(field),
            .rule = rule,
            .max_bytes = max_bytes,
            .with =
                [set](const World& world, const std::string& text) {
                    CreateExecution command;
                    command.execution_id = world.fresh;
                    set(command, text);
                    return Commands(std::move(command));
                },
            .stored = stored};
}

// `member` names the text inside a policy, for writing and for reading.
template <class Member>
TextField of_policy(std::string field, Member member) {
    TextField made = of_create(
        std::move(field), Rule::text, 256,
        [member](CreateExecution& command, const std::string& text) { member(command.policy.emplace()) = text; },
        [member](const ExecutionRow& row) {
            ExecutionPolicy policy = value_of(ExecutionPolicy::parse(row.policy.value().text));
            return std::optional<std::string>(member(policy));
        });
    made.kind = ErrorKind::invalid_policy_json;
    return made;
}

template <class Set, class Stored>
TextField of_claim(std::string field, Set set, Stored stored) {
    return {.command = "claim",
            .field = std::move(field),
            .rule = Rule::identity,
            .max_bytes = 256,
            .with =
                [set](const World& world, const std::string& text) {
                    Claim command = claim_by("w2");
                    command.lanes = {world.lane};
                    set(command, text);
                    return Commands(std::move(command));
                },
            .stored = stored,
            .may_be_empty = false};
}

template <class C, class Set, class Stored>
TextField of_lease_holder(std::string command, std::string field, std::size_t max_bytes, Set set, Stored stored) {
    return {.command = std::move(command),
            .field = std::move(field),
            .rule = Rule::text,
            .max_bytes = max_bytes,
            .with =
                [set](const World& world, const std::string& text) {
                    C made;
                    made.lease = world.held.handle;
                    set(made, text);
                    return Commands(std::move(made));
                },
            .stored = stored};
}

template <class Optional>
auto& item_of(Optional& list) {
    return list.empty() ? list.emplace_back() : list.front();
}

template <class T>
T& part_of(std::optional<T>& part) {
    return part ? *part : part.emplace();
}

std::vector<TextField> create_fields() {
    const auto lane = [](CreateExecution& c, const std::string& text) { c.lane_id = text; };
    const auto key = [](CreateExecution& c, const std::string& text) { c.idempotency_key = text; };
    std::vector<TextField> fields{
        of_create(
            "namespace", Rule::identity, 256, [](CreateExecution& c, const std::string& t) { c.namespace_name = t; },
            [](const ExecutionRow& row) { return std::optional(row.namespace_name); }),
        of_create("lane_id", Rule::lane, 64, lane, [](const ExecutionRow& row) { return std::optional(row.lane_id); }),
        of_create(
            "execution_kind", Rule::text, 256, [](CreateExecution& c, const std::string& t) { c.execution_kind = t; },
            [](const ExecutionRow& row) { return std::optional(row.execution_kind); }),
        of_create(
            "creator_identity", Rule::text, 256,
            [](CreateExecution& c, const std::string& t) { c.creator_identity = t; },
            [](const ExecutionRow& row) { return std::optional(row.creator_identity); }),
        of_create("idempotency_key", Rule::text, 1024, key,
                  [](const ExecutionRow& row) { return std::optional(row.idempotency_key.value_or("")); }),
        of_create(
            "payload_encoding", Rule::text, 256,
            [](CreateExecution& c, const std::string& t) { c.payload_encoding = t; },
            [](const ExecutionRow& row) { return row.payload_encoding; }),
        of_create(
            "tags.team.name", Rule::text, 65'536,
            [](CreateExecution& c, const std::string& t) { c.tags["team.name"] = t; },
            [](const ExecutionRow& row) { return tag_of(row, "team.name"); }),
        of_create(
            "tags.cairn.instance_id", Rule::text, 65'536,
            [](CreateExecution& c, const std::string& t) { c.tags["cairn.instance_id"] = t; },
            [](const ExecutionRow& row) { return row.instance_tag; }),
    };
    fields[0].may_be_empty = false;
    fields[1].may_be_empty = false;
    return fields;
}

std::vector<TextField> policy_fields() {
    return {
        of_policy(
            "retry_policy.retryable_categories",
            [](ExecutionPolicy& p) -> std::string& { return item_of(part_of(p.retry_policy).retryable_categories); }),
        of_policy("routing_requirements.preferred_locality",
                  [](ExecutionPolicy& p) -> std::string& {
                      return part_of(part_of(p.routing_requirements).preferred_locality);
                  }),
        of_policy("routing_requirements.isolation_level",
                  [](ExecutionPolicy& p) -> std::string& {
                      return part_of(part_of(p.routing_requirements).isolation_level);
                  }),
        of_policy("suspension_policy.timeout_behavior",
                  [](ExecutionPolicy& p) -> std::string& { return part_of(p.suspension_policy).timeout_behavior; }),
        of_policy(
            "fallback_policy.tiers.provider",
            [](ExecutionPolicy& p) -> std::string& { return item_of(part_of(p.fallback_policy).tiers).provider; }),
        of_policy("fallback_policy.tiers.model",
                  [](ExecutionPolicy& p) -> std::string& { return item_of(part_of(p.fallback_policy).tiers).model; }),
        of_policy("budget_ids", [](ExecutionPolicy& p) -> std::string& { return item_of(p.budget_ids); }),
        of_policy("quota_policy_id", [](ExecutionPolicy& p) -> std::string& { return part_of(p.quota_policy_id); }),
        of_policy("stream_policy.durability_mode",
                  [](ExecutionPolicy& p) -> std::string& { return part_of(p.stream_policy).durability_mode; }),
    };
}

std::vector<TextField> worker_fields() {
    return {
        of_claim(
            "worker_id", [](Claim& c, const std::string& t) { c.worker_id = t; },
            [](const ExecutionRow& row) { return row.worker_id; }),
        of_claim(
            "worker_instance_id", [](Claim& c, const std::string& t) { c.worker_instance_id = t; },
            [](const ExecutionRow& row) { return row.worker_instance_id; }),
        of_lease_holder<Complete>(
            "complete", "result_encoding", 256, [](Complete& c, const std::string& t) { c.result_encoding = t; },
            [](const ExecutionRow& row) { return row.result_encoding; }),
        of_lease_holder<Fail>(
            "fail", "reason", 65'536, [](Fail& c, const std::string& t) { c.reason = t; },
            [](const ExecutionRow& row) { return row.failure_reason; }),
        of_lease_holder<Fail>(
            "fail", "category", 256, [](Fail& c, const std::string& t) { c.category = t; },
            [](const ExecutionRow& row) { return row.failure_category; }),
        of_lease_holder<Progress>(
            "progress", "progress_message", 4096, [](Progress& c, const std::string& t) { c.message = t; },
            [](const ExecutionRow& row) { return row.progress_message; }),
        of_lease_holder<Cancel>(
            "cancel", "reason", 65'536, [](Cancel& c, const std::string& t) { c.reason = t; },
            [](const ExecutionRow& row) { return row.cancellation_reason; }),
    };
}

std::vector<TextField> other_fields() {
    return {
        {.command = "claim",
         .field = "lane_id",
         .rule = Rule::lane,
         .max_bytes = 64,
         .with =
             [](const World& world, const std::string& text) {
                 Claim command = claim_by("w2");
                 command.lanes = {world.lane, text};
                 return Commands(std::move(command));
             },
         .stored = nullptr,
         .may_be_empty = false},
        {.command = "cancel_execution",
         .field = "reason",
         .rule = Rule::text,
         .max_bytes = 65'536,
         .with =
             [](const World& world, const std::string& text) {
                 CancelExecution command;
                 command.execution.execution_id = world.waiting;
                 command.reason = text;
                 return Commands(std::move(command));
             },
         .stored = [](const ExecutionRow& row) { return row.cancellation_reason; }},
        {.command = "cancel_execution",
         .field = "source",
         .rule = Rule::text,
         .max_bytes = 256,
         .with =
             [](const World& world, const std::string& text) {
                 CancelExecution command;
                 command.execution.execution_id = world.waiting;
                 command.source = text;
                 return Commands(std::move(command));
             },
         .stored = [](const ExecutionRow& row) { return row.cancelled_by; },
         .may_be_empty = false},
        {.command = "set_execution_tags",
         .field = "tags.team.name",
         .rule = Rule::text,
         .max_bytes = 65'536,
         .with =
             [](const World& world, const std::string& text) {
                 return Commands(SetExecutionTags{world.waiting, {{"a.a", "first"}, {"team.name", text}}});
             },
         .stored = [](const ExecutionRow& row) { return tag_of(row, "team.name"); }},
        {.command = "set_lane_state",
         .field = "lane_id",
         .rule = Rule::lane,
         .max_bytes = 64,
         .with = [](const World&,
                    const std::string& text) { return Commands(SetLaneState{text, LaneState::draining}); },
         .stored = nullptr,
         .may_be_empty = false},
    };
}

std::optional<std::string> tag_in(const Json& stored, const std::string& key) {
    const Tags tags = tags_of(stored);
    const auto tag = tags.find(key);
    return tag == tags.end() ? std::nullopt : std::optional(tag->second);
}

template <class With, class Stored>
TextField of_flow(std::string command, std::string field, Rule rule, std::size_t max_bytes, With with, Stored stored) {
    return {.command = std::move(command),
            .field = std::move(field),
            .rule = rule,
            .max_bytes = max_bytes,
            .with = with,
            .stored = nullptr,
            .may_be_empty = rule == Rule::text,
            .stored_in_flow = stored};
}

// One edge between two nodes, of which `set` changes something.
template <class Set>
auto submitting(Set set) {
    return [set](const World&, const std::string& text) {
        SubmitFlow command;
        command.nodes = {{.name = "a", .execution = {}, .policy = {}}, {.name = "b", .execution = {}, .policy = {}}};
        command.edges = {{.from = "a", .to = "b"}};
        set(command, text);
        return Commands(std::move(command));
    };
}

std::vector<TextField> flow_fields() {
    const auto kind = [](const FlowRow& row) { return std::optional(fields_of(row).flow_kind); };
    const auto space = [](const FlowRow& row) { return std::optional(fields_of(row).namespace_name); };
    const auto reason = [](const FlowRow& row) { return fields_of(row).cancel_reason; };
    return {
        of_flow(
            "create_flow", "flow_kind", Rule::text, 256,
            [](const World&, const std::string& text) { return Commands(CreateFlow{.flow_kind = text}); }, kind),
        of_flow(
            "create_flow", "namespace", Rule::identity, 256,
            [](const World&, const std::string& text) { return Commands(CreateFlow{.namespace_name = text}); }, space),
        of_flow("submit_flow", "flow_kind", Rule::text, 256,
                submitting([](SubmitFlow& c, const std::string& text) { c.flow_kind = text; }), kind),
        of_flow("submit_flow", "namespace", Rule::identity, 256,
                submitting([](SubmitFlow& c, const std::string& text) { c.namespace_name = text; }), space),
        of_flow("submit_flow", "edges[0].data_passing_ref", Rule::text, 256,
                submitting([](SubmitFlow& c, const std::string& text) { c.edges[0].data_passing_ref = text; }),
                nullptr),
        of_flow("submit_flow", "tags.team.name", Rule::text, 65'536,
                submitting([](SubmitFlow& c, const std::string& text) { c.tags["team.name"] = text; }),
                [](const FlowRow& row) { return tag_in(row.tags, "team.name"); }),
        of_flow(
            "set_flow_tag", "value", Rule::text, 65'536,
            [](const World& world, const std::string& text) {
                return Commands(SetFlowTag{world.flow, "team.name", text});
            },
            [](const FlowRow& row) { return tag_in(row.tags, "team.name"); }),
        of_flow(
            "cancel_flow", "reason", Rule::text, 65'536,
            [](const World& world, const std::string& text) {
                return Commands(CancelFlow{.flow_id = world.flow, .reason = text});
            },
            reason),
        of_flow(
            "cancel_flow", "requester", Rule::text, 256,
            [](const World& world, const std::string& text) {
                return Commands(CancelFlow{.flow_id = world.flow, .requester = text});
            },
            nullptr),
    };
}

std::vector<TextField> all_text_fields() {
    std::vector<TextField> all;
    for (const auto& some : {create_fields(), policy_fields(), worker_fields(), other_fields(), flow_fields()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

class HostileTextTest : public HostileWorldTest {};

TEST_P(HostileTextTest, BadTextIsRefusedByTheNameOfItsField) {
    const World world = make_world();
    for (const TextField& field : all_text_fields()) {
        SCOPED_TRACE(field.command);
        std::vector<Refused> rows;
        for (const Sample& bad : bad_samples(field)) {
            const auto make = [&field, bad](const World& in) { return field.with(in, bad.text); };
            rows.push_back({bad.name, make, field.kind, field.field});
        }
        expect_refused(world, rows);
    }
}

TEST_P(HostileTextTest, TextWithinItsLimitsReadsBackToTheByte) {
    for (const TextField& field : all_text_fields()) {
        for (const Sample& good : good_samples(field)) {
            SCOPED_TRACE(field.command + " " + field.field + ": " + good.name);
            const auto stored = row_after([&](const World& in) { return field.with(in, good.text); });
            if (!stored) continue;
            if (field.stored) {
                EXPECT_TRUE(field.stored(*stored) == good.text);
            }
            if (!field.stored_in_flow) continue;
            const auto holds = [&](const auto& flow) { return field.stored_in_flow(flow.second) == good.text; };
            EXPECT_TRUE(std::ranges::any_of(snapshot().of<FlowRow>(), holds));
        }
    }
}

TEST_P(HostileTextTest, AnIdempotencyKeyIsComparedToTheByte) {
    const std::string longest = repeated("\xF0\x9F\x99\x82", 1024);
    const auto created = [&](const std::string& key, std::string namespace_name = "default") {
        CreateExecution command;
        command.idempotency_key = key;
        command.namespace_name = std::move(namespace_name);
        return value_of(run(std::move(command)));
    };
    const Created first = created(longest, std::string(256, 'n'));
    EXPECT_EQ(created(longest, std::string(256, 'n')).execution_id, first.execution_id);
    EXPECT_FALSE(created(longest).duplicate) << "of another namespace";
    for (const std::string& key : {"key"s, "KEY"s, "key "s, " key"s, "k\xC3\xA9y"s, "ke\xCC\x81y"s, "key\n"s}) {
        EXPECT_FALSE(created(key).duplicate) << key;
    }
    EXPECT_TRUE(created("key").duplicate);
}

TEST_P(HostileTextTest, LanesAreComparedToTheByte) {
    const std::vector<std::string> lanes{" ", "!", "A", "B", "_", "a", "a ", "b", "~"};
    for (const std::string& lane : lanes) value_of(run(SetLaneState{lane, LaneState::paused}));
    std::vector<std::string> stored;
    for (const auto& [lane, found] : snapshot().of<LaneRow>()) stored.push_back(lane.lane_id);
    EXPECT_EQ(stored, lanes);
}

INSTANTIATE_TEST_SUITE_P(Stores, HostileTextTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
