#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/handle_codec.hpp"
#include "core/base/names.hpp"
#include "core/claim/taking.hpp"
#include "core/command/command.hpp"
#include "flowfabric/submit_flow.hpp"
#include "unit/core/fixtures.hpp"

// The front door by itself; what every store does with what comes in is tests/conformance/hostile_*.cpp.
namespace flowfabric {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const IdSource ids{1'700'000'000'000, 1, 2};

template <class T>
void expect_error(const Result<T>& result, ErrorKind kind, const std::string& in_detail) {
    ASSERT_FALSE(result) << "accepted";
    EXPECT_EQ(name_of(result.error().kind), name_of(kind)) << to_string(result.error());
    EXPECT_THAT(result.error().detail, HasSubstr(in_detail));
}

template <class C>
Command admitted(C command) {
    auto result = admit(std::move(command), Settings{}, ids);
    if (!result) throw std::runtime_error(to_string(result.error()));
    return *result;
}

ExecutionRow row_of(const CreateExecution& command) {
    return admitted(command)->creations()[0].row;
}

AdmittedCreate creation_of(const Submission& submission) {
    return admit_submission(submission, Settings{})->creations()[0];
}

TEST(Admit, IdsHaveOneSpelling) {
    const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
    const ExecutionId canonical = *ExecutionId::parse("{fp:7}:" + uuid);
    EXPECT_EQ((*ExecutionId::parse("{fp:7}:550E8400-E29B-41D4-A716-446655440000")), canonical);
    EXPECT_EQ(canonical.to_string(), "{fp:7}:" + uuid);
    struct Case {
        std::string text, reason;
    };
    for (const auto& [text, reason] : std::vector<Case>{
             {"", "MissingTag"},
             {uuid, "MissingTag"},
             {"7:" + uuid, "MissingTag"},
             {"{fp:7}" + uuid, "MissingTag"},
             {"{FP:7}:" + uuid, "MissingTag"},
             {"{b:7}:" + uuid, "MissingTag"},
             {" {fp:7}:" + uuid, "MissingTag"},
             {"{fp:}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:07}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:00}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:+7}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:-7}:" + uuid, "InvalidPartitionIndex"},
             {"{fp: 7}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:7 }:" + uuid, "InvalidPartitionIndex"},
             {"{fp:0x7}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:7.0}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:65536}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:18446744073709551623}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:\xD9\xA7}:" + uuid, "InvalidPartitionIndex"},
             {"{fp:7\0}:"s + uuid, "InvalidPartitionIndex"},
             {"{fp:7}:", "InvalidUuid"},
             {"{fp:7}:" + uuid + " ", "InvalidUuid"},
             {"{fp:7}:" + uuid + "0", "InvalidUuid"},
             {"{fp:7}:" + uuid + "\0"s, "InvalidUuid"},
             {"{fp:7}: " + uuid, "InvalidUuid"},
             {"{fp:7}:{" + uuid + "}", "InvalidUuid"},
             {"{fp:7}:urn:uuid:" + uuid, "InvalidUuid"},
             {"{fp:7}:550e8400e29b41d4a716446655440000", "InvalidUuid"},
             {"{fp:7}:550e8400-e29b-41d4-a716-44665544000g", "InvalidUuid"},
             {"{fp:7}:550e8400-e29b-41d4-a7164-46655440000", "InvalidUuid"},
             {"{fp:7}:{fp:7}:" + uuid, "InvalidUuid"},
         }) {
        SCOPED_TRACE(text);
        expect_error(ExecutionId::parse(text), ErrorKind::invalid_input, "execution_id: " + reason);
    }
}

TEST(Admit, ALaneHasOneOfFourStates) {
    for (const LaneState state : {LaneState::active, LaneState::paused, LaneState::draining, LaneState::disabled}) {
        EXPECT_TRUE(admit(SetLaneState{"lane", state}, Settings{}, ids));
    }
    for (const int unknown : {4, 99, 255}) {
        expect_error(admit(SetLaneState{"lane", static_cast<LaneState>(unknown)}, Settings{}, ids),
                     ErrorKind::invalid_input, "state");
    }
}

TEST(Admit, LanesAndCapabilitiesAreSortedWithoutRepeats) {
    Claim claim;
    claim.worker_id = "w";
    claim.worker_instance_id = "w-1";
    claim.lanes = {"b", "a", "b"};
    claim.capabilities = {"gpu", "cpu", "gpu"};
    const Command command = admitted(claim);
    const Claim& clean = command->claim()->claim;
    EXPECT_THAT(clean.lanes, ElementsAre("a", "b"));
    EXPECT_THAT(clean.capabilities, ElementsAre("cpu", "gpu"));
}

TEST(Admit, OnlyWaitpointsThatTheCallerNamesAreLookedFor) {
    const WaitpointId pending{test::uuid_of(5)};
    const WaitpointId chosen{test::uuid_of(6)};
    Suspend command;
    command.lease = handle_of(test::running_row(), HandleKind::fresh, 30'000, Settings{}.backend);
    command.waitpoints = {UsePendingWaitpoint{pending}, FreshWaitpoint{chosen, "a"}, FreshWaitpoint{std::nullopt, "b"}};
    command.resume_condition.node = Single{"a", ByName{"go"}};
    NamedRows named;
    admitted(std::move(command))->name_rows(named);
    const std::uint16_t partition = test::running_row().id.partition;
    EXPECT_THAT(named.side.of<WaitpointRow>().keys,
                ElementsAre(WaitpointKey{partition, pending}, WaitpointKey{partition, chosen}));
}

TEST(Admit, APolicyYieldsToTheCommandsOwnArguments) {
    CreateExecution command;
    command.policy = ExecutionPolicy{.priority = 5, .delay_until_ms = 50};
    EXPECT_EQ(row_of(command).priority, 5);
    EXPECT_EQ(row_of(command).delay_until_ms, 50);
    command.priority = 7;
    command.delay_until_ms = 70;
    EXPECT_EQ(row_of(command).priority, 7);
    EXPECT_EQ(row_of(command).delay_until_ms, 70);
}

TEST(Admit, ThePolicysRetentionTimeIsTheExecutionsOwn) {
    constexpr std::uint64_t longest_kept = std::numeric_limits<std::int64_t>::max();
    CreateExecution command;
    EXPECT_EQ(row_of(command).own_retention_ms, std::nullopt);
    StreamPolicy& stream = command.policy.emplace().stream_policy.emplace();
    EXPECT_EQ(row_of(command).own_retention_ms, std::nullopt);
    for (const std::uint64_t ms : {std::uint64_t{0}, std::uint64_t{50}, longest_kept}) {
        stream.retention_ttl_ms = ms;
        EXPECT_EQ(row_of(command).own_retention_ms, ms);
    }
    stream.retention_ttl_ms = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(row_of(command).own_retention_ms, longest_kept);
}

// ---- submissions ------------------------------------------------------------------------------------------------

Submission submission() {
    Submission made;
    made.submission_id = 1;
    made.execution_id = {7, test::uuid_of(1)};
    made.namespace_name = "ns";
    made.lane_id = "lane";
    made.execution_kind = "kind";
    return made;
}

TEST(Admit, ASubmissionsRetentionTimeIsTheExecutionsOwn) {
    Submission kept = submission();
    kept.policy = Json{R"({"stream_policy":{"retention_ttl_ms":50}})"};
    EXPECT_EQ(creation_of(kept).row.own_retention_ms, 50U);
}

struct BadSubmission {
    std::string name;
    std::function<void(Submission&)> change;
    std::string in_refusal;
};

TEST(Admit, ABadSubmissionIsAFailedExecutionWhoseReasonNamesTheField) {
    const std::vector<BadSubmission> rows{
        {"namespace", [](Submission& s) { s.namespace_name = "a b"; }, "namespace"},
        {"lane", [](Submission& s) { s.lane_id = std::string(65, 'l'); }, "lane_id"},
        {"kind", [](Submission& s) { s.execution_kind = std::string(257, 'k'); }, "execution_kind"},
        {"encoding", [](Submission& s) { s.payload_encoding = std::string(257, 'e'); }, "payload_encoding"},
        {"creator", [](Submission& s) { s.creator_identity = std::string(257, 'c'); }, "creator_identity"},
        {"key", [](Submission& s) { s.idempotency_key = std::string(3000, 'k'); }, "idempotency_key"},
        {"payload", [](Submission& s) { s.payload = Bytes(1'048'577, 'x'); }, "input"},
        {"delay", [](Submission& s) { s.delay_until_ms = -1; }, "delay_until"},
        {"deadline", [](Submission& s) { s.execution_deadline_at_ms = -1; }, "execution_deadline_at"},
        {"partition", [](Submission& s) { s.execution_id.partition = 256; }, "execution_id"},
        {"tags that are a list", [](Submission& s) { s.tags = {"[]"}; }, "tags"},
        {"tags that are nothing", [](Submission& s) { s.tags = {"null"}; }, "tags"},
        {"tags that are cut", [](Submission& s) { s.tags = {R"({"a.b":")"}; }, "tags"},
        {"a tag that is a number", [](Submission& s) { s.tags = {R"({"a.b": 1})"}; }, "tags.a.b"},
        {"a tag with NUL", [](Submission& s) { s.tags = {R"({"a.b": "\u0000"})"}; }, "tags.a.b"},
        {"a key with NUL", [](Submission& s) { s.tags = {R"({"a.b\u0000": "x"})"}; }, "tags.a.b"},
        {"a key with half a letter at the limit",
         [](Submission& s) { s.tags = {"{\"" + std::string(255, 'k') + "\xC3\xA4\":\"x\"}"}; }, "tags.k"},
        {"a nested number with such a key",
         [](Submission& s) { s.tags = {"{\"" + std::string(255, 'k') + "\xC3\xA4\":1}"}; }, "tags.k"},
        {"an endless key", [](Submission& s) { s.tags = {"{\"" + std::string(100'000, 'k') + "\":1}"}; }, "tags.k"},
        {"policy", [](Submission& s) { s.policy = Json{"[]"}; }, "malformed"},
        {"unknown policy field", [](Submission& s) { s.policy = Json{R"({"prio":1})"}; }, "prio"},
        {"capabilities",
         [](Submission& s) { s.policy = Json{R"({"routing_requirements":{"required_capabilities":[1]}})"}; },
         "required:"},
    };
    for (const BadSubmission& row : rows) {
        SCOPED_TRACE(row.name);
        Submission bad = submission();
        row.change(bad);
        const AdmittedCreate create = creation_of(bad);
        ASSERT_TRUE(create.refusal) << "accepted";
        EXPECT_THAT(*create.refusal, HasSubstr(row.in_refusal));
        EXPECT_TRUE(check_text("failure_reason", *create.refusal, max_reason_bytes)) << "it will be stored";
        EXPECT_TRUE(check_lane_id(create.row.lane_id));
        EXPECT_TRUE(check_identity("namespace", create.row.namespace_name));
        EXPECT_TRUE(check_text("execution_kind", create.row.execution_kind, max_label_bytes));
        EXPECT_EQ(create.submission_id, 1);
    }
    EXPECT_FALSE(creation_of(submission()).refusal);
}

SubmitFlow flow_with(std::size_t nodes, std::size_t edges) {
    SubmitFlow command{.flow_kind = "test"};
    for (std::size_t i = 0; i < nodes; ++i) {
        command.nodes.push_back({.name = std::to_string(i), .execution = {}, .policy = {}});
    }
    for (std::size_t to = 1; command.edges.size() < edges; ++to) {
        for (std::size_t from = 0; from < to && command.edges.size() < edges; ++from) {
            command.edges.push_back({.from = std::to_string(from), .to = std::to_string(to)});
        }
    }
    return command;
}

TEST(Admit, AFlowThatIsSubmittedAtOnceHasALimit) {
    expect_error(admit(flow_with(max_submitted_nodes + 1, 0), Settings{}, ids), ErrorKind::invalid_input,
                 "nodes: 10001, at most 10000");
    expect_error(admit(flow_with(400, max_submitted_edges + 1), Settings{}, ids), ErrorKind::invalid_input,
                 "edges: 50001, at most 50000");
    EXPECT_EQ(admitted(flow_with(max_submitted_nodes, 1))->creations().size(), max_submitted_nodes);
    const SubmitFlow dense = flow_with(400, max_submitted_edges);
    const std::size_t groups = std::stoul(dense.edges.back().to);  // one for each node that edges lead to
    EXPECT_EQ(admitted(dense)->rows(), 400 + max_submitted_edges + groups);
}

}  // namespace
}  // namespace flowfabric
