#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/type.hpp"
#include "unit/api/samples.hpp"

// How each kind of value looks as JSON.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using namespace std::string_literals;
using test::document_of;

template <class T>
T read(std::string_view document) {
    auto value = from_json<T>(document_of(document));
    if (!value) throw std::runtime_error(to_string(value.error()));
    return *std::move(value);
}

template <class T>
std::string refusal_of(std::string_view document, ErrorKind kind = ErrorKind::invalid_input) {
    const auto value = from_json<T>(document_of(document));
    if (value) return "accepted";
    EXPECT_EQ(name_of(value.error().kind), name_of(kind));
    return value.error().detail;
}

// ---- numbers ----------------------------------------------------------------------------------------------------

TEST(ApiNumbers, Of64BitsStayExact) {
    constexpr std::string_view text =
        R"({"worker_id":"w","worker_instance_id":"w","attempt_timeout_ms":18446744073709551615,"max_wait_ms":9007199254740993})";
    const auto claim = read<Claim>(text);
    EXPECT_EQ(claim.attempt_timeout_ms, 18'446'744'073'709'551'615U);
    EXPECT_EQ(claim.max_wait_ms, 9'007'199'254'740'993U);
    const std::string written = json::serialize(to_json(claim));
    EXPECT_NE(written.find("18446744073709551615"), std::string::npos) << written;
    EXPECT_NE(written.find("9007199254740993"), std::string::npos) << written;

    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(read<Renewed>(json::serialize(to_json(Renewed{least, {}}))).lease_expires_at_ms, least);
    EXPECT_EQ(read<Renewed>(R"({"lease_epoch": 18446744073709551615})").lease_epoch.value, 18'446'744'073'709'551'615U);
}

TEST(ApiNumbers, MustFitTheirType) {
    const auto percent = [](const std::string& number) {
        return refusal_of<Progress>(R"({"lease": $handle, "progress_pct": )" + number + "}");
    };
    constexpr auto out_of_range = "progress_pct: must be an integer from 0 to 4294967295";
    for (const std::string number : {"-1", "4294967296", "1.5", "1e300", "-9223372036854775808", "18446744073709551615",
                                     "\"5\"", "true", "[]", "{}"}) {
        EXPECT_EQ(percent(number), out_of_range) << number;
    }
    for (const std::string number : {"0", "4294967295", "100.0", "1e2", "-0"}) {
        EXPECT_EQ(percent(number), "accepted") << number;
    }
    const auto priority = [](const std::string& number) {
        return refusal_of<CreateExecution>(R"({"execution_kind": "send", "priority": )" + number + "}");
    };
    EXPECT_EQ(priority("2147483648"), "priority: must be an integer from -2147483648 to 2147483647");
    EXPECT_EQ(priority("-2147483649"), "priority: must be an integer from -2147483648 to 2147483647");
    EXPECT_EQ(priority("-2147483648"), "accepted");
    EXPECT_EQ(refusal_of<Fence>(R"({"execution_id": $execution, "lease_epoch": -1})"),
              "lease_epoch: must be an integer that is not negative");
}

// ---- texts, names and lists -------------------------------------------------------------------------------------

TEST(ApiTexts, EnumsAreTheirNames) {
    EXPECT_EQ(read<SetLaneState>(R"({"lane_id": "l", "state": "draining"})").state, LaneState::draining);
    for (const std::string state : {"\"sleeping\"", "\"Active\"", "0", "null"}) {
        const std::string refusal = refusal_of<SetLaneState>(R"({"lane_id": "l", "state": )" + state + "}");
        EXPECT_EQ(refusal,
                  state == "null" ? "state: is required" : "state: must be one of active, paused, draining, disabled");
    }
    EXPECT_EQ(read<RemoveConsumer>(R"({"channel": "operator", "consumer": "c"})").channel, Channel::operators);
}

TEST(ApiTexts, IdsSayWhatIsWrongAtTheirPlace) {
    EXPECT_EQ(refusal_of<ReplayExecution>(R"({"execution_id": "x"})"),
              "execution_id: MissingTag: expected {fp:N}:<uuid>");
    EXPECT_EQ(refusal_of<ReplayExecution>(R"({"execution_id": 7})"), "execution_id: must be a string");
    EXPECT_EQ(refusal_of<RevokeLease>(R"({"execution_id": $execution, "expected_lease_id": ""})"),
              "expected_lease_id: InvalidUuid: expected 8-4-4-4-12 hexadecimal digits");
}

TEST(ApiTexts, AnyTextComesBackAsItWas) {
    for (const std::string& text : {""s, "line\nbreak"s, "a\0b"s, "ä€😀"s, "\"quoted\" \\"s}) {
        const Fail fail{.lease = test::handle, .reason = text};
        EXPECT_EQ(from_json<Fail>(json::parse(json::serialize(to_json(fail))))->reason, text);
    }
}

TEST(ApiTexts, CursorsAreHex) {
    const auto registration = [](const std::string& cursor) {
        return R"({"channel": "lease", "consumer": "c", "cursor": )" + cursor + "}";
    };
    const std::string bytes = "\x02\0\0\0\0\0\0\x01\xFF"s;
    EXPECT_EQ(read<RegisterConsumer>(registration(R"("0200000000000001ff")")).cursor, bytes);
    EXPECT_EQ(read<RegisterConsumer>(registration(R"("0200000000000001FF")")).cursor, bytes);
    EXPECT_EQ(to_json(ConsumerPosition{bytes, true}),
              json::parse(R"({"cursor":"0200000000000001ff","registered":true})"));
    for (const std::string cursor : {R"("0")", R"("0x02")", R"("gg")", R"("02 ")", "2", "[2]"}) {
        EXPECT_EQ(refusal_of<RegisterConsumer>(registration(cursor)), "cursor: must be a cursor: hexadecimal digits");
    }
}

TEST(ApiLists, ErrorsCarryThePath) {
    const auto claim = [](const std::string& lanes) {
        return refusal_of<Claim>(R"({"worker_id": "w", "worker_instance_id": "w", "lanes": )" + lanes + "}");
    };
    EXPECT_EQ(claim(R"("mail")"), "lanes: must be an array");
    EXPECT_EQ(claim(R"(["mail", 7])"), "lanes[1]: must be a string");
    EXPECT_EQ(refusal_of<SubmitFlow>(R"({"flow_kind": "f", "nodes": [
                  {"name": "a", "execution": {"execution_kind": "pack"}}, {"name": "b", "execution": {"lane_id": 7}}]})"),
              "nodes[1].execution.lane_id: must be a string");
    EXPECT_EQ(refusal_of<SubmitFlow>(R"({"flow_kind": "f", "nodes": [{"execution": {}}]})"),
              "nodes[0].name: is required");
    EXPECT_EQ(refusal_of<SubmitFlow>(R"({"flow_kind": "f", "nodes": [{"name": "a", "execution": {}}]})"),
              "nodes[0].execution.execution_kind: is required");
    EXPECT_EQ(refusal_of<CreateExecution>(R"({"execution_kind": "send", "tags": {"a.b": "x", "a.c": null}})"),
              "tags.a.c: must be a string");
    EXPECT_EQ(refusal_of<CreateExecution>(R"({"execution_kind": "send", "tags": [["a.b", "x"]]})"),
              "tags: must be an object");
    EXPECT_EQ(refusal_of<CreateExecution>(R"({"execution_kind": "send", "tags": {"": 1}})"), "tags.: must be a string");
    EXPECT_EQ(refusal_of<IssueClaimGrant>(R"({"grant": {"execution_id": $execution, "worker": "w"}})"),
              "grant.worker_id: is required");
}

TEST(ApiLists, ReplaceTheirDefault) {
    const auto lanes_of = [](const std::string& field) {
        return read<Claim>(R"({"worker_id": "w", "worker_instance_id": "w")" + field + "}").lanes;
    };
    EXPECT_EQ(lanes_of(""), std::vector{"default"s});
    EXPECT_EQ(lanes_of(R"(, "lanes": null)"), std::vector{"default"s});
    EXPECT_EQ(lanes_of(R"(, "lanes": ["a", "b"])"), (std::vector{"a"s, "b"s}));
    EXPECT_EQ(lanes_of(R"(, "lanes": [])"), std::vector<std::string>{});
}

// ---- what may be absent -----------------------------------------------------------------------------------------

TEST(ApiOptional, AbsentAndNullAreTheSameAndLeftOut) {
    for (const std::string fields : {"", R"(, "expected_lease_id": null, "worker_instance_id": null)"}) {
        const auto revoke = read<RevokeLease>(R"({"execution_id": $execution)" + fields + "}");
        EXPECT_EQ(revoke.expected_lease_id, std::nullopt);
        EXPECT_EQ(revoke.worker_instance_id, "");
        EXPECT_FALSE(to_json(revoke).as_object().contains("expected_lease_id"));
    }
    const auto revoke = read<RevokeLease>(R"({"execution_id": $execution, "expected_lease_id": $uuid})");
    EXPECT_EQ(to_json(revoke).at("expected_lease_id"), json::value(test::uuid));
}

TEST(ApiOptional, AnAnswerMayBeNothing) {
    using Answer = ClaimFromResumeGrant::Answer;
    EXPECT_EQ(to_json(Answer{}), json::value(nullptr));
    EXPECT_EQ(read<Answer>("null"), std::nullopt);
    const Answer leased = LeasedExecution{.handle = test::handle, .lease_epoch = {5}, .attempt_index = 2};
    EXPECT_EQ(*from_json<Answer>(to_json(leased)), leased);
}

// ---- variants ---------------------------------------------------------------------------------------------------

TEST(ApiVariants, WithFieldsAreObjectsAndWithoutThemNames) {
    const Failed again = RetryScheduled{.delay_until_ms = 5, .next_attempt_index = 2};
    EXPECT_EQ(to_json(again), json::parse(R"({"RetryScheduled":{"delay_until_ms":5,"next_attempt_index":2}})"));
    EXPECT_EQ(read<Failed>(json::serialize(to_json(again))), again);
    EXPECT_EQ(to_json(Failed{TerminalFailed{}}), json::value("TerminalFailed"));
    EXPECT_EQ(read<Failed>(R"("TerminalFailed")"), Failed{TerminalFailed{}});
    EXPECT_EQ(read<Failed>(R"({"TerminalFailed": {}})"), Failed{TerminalFailed{}});
    EXPECT_EQ(read<Heartbeat>(R"("NotRegistered")"), Heartbeat{NotRegistered{}});
}

TEST(ApiVariants, OthersAreRefused) {
    constexpr auto shape = "must be an object with one field, the name of a variant, or that name";
    EXPECT_EQ(refusal_of<Failed>("{}"), "document: "s + shape);
    EXPECT_EQ(refusal_of<Failed>("7"), "document: "s + shape);
    EXPECT_EQ(refusal_of<Failed>(R"({"TerminalFailed": {}, "RetryScheduled": {}})"), "document: "s + shape);
    EXPECT_EQ(refusal_of<Failed>(R"("Succeeded")"), "Succeeded: is not a known variant");
    EXPECT_EQ(refusal_of<Failed>(R"({"TerminalFailed": {"x": 1}})"), "TerminalFailed.x: is not a known field");
    EXPECT_EQ(refusal_of<Failed>(R"({"TerminalFailed": null})"), "TerminalFailed: must be an object");

    const auto waitpoints = [](const std::string& list) {
        return refusal_of<Suspend>(R"({"lease": $handle, "resume_condition": "OperatorOnly", "waitpoints": )" + list +
                                   "}");
    };
    EXPECT_EQ(waitpoints(R"([{"Fresh": {}}, {"Fresh": {"waitpoint_key": 5}}])"),
              "waitpoints[1].Fresh.waitpoint_key: must be a string");
    EXPECT_EQ(waitpoints(R"(["UsePending"])"), "waitpoints[0].UsePending.waitpoint_id: is required");
    EXPECT_EQ(waitpoints(R"([{"Old": {}}])"), "waitpoints[0].Old: is not a known variant");
    EXPECT_EQ(waitpoints("[5]"), "waitpoints[0]: "s + shape);
}

// ---- leases -----------------------------------------------------------------------------------------------------

TEST(ApiLeases, AreAHandleOrAFence) {
    const auto by_handle = read<ReleaseUnstarted>(R"({"lease": $handle})");
    EXPECT_EQ(by_handle.lease, LeaseRef{test::handle});
    EXPECT_EQ(to_json(by_handle).at("lease"), json::value(test::handle.to_string()));

    const auto by_fence = read<ReleaseUnstarted>(R"({"lease": $fence})");
    const auto* fence = std::get_if<Fence>(&by_fence.lease);
    ASSERT_NE(fence, nullptr);
    EXPECT_EQ(fence->execution_id.to_string(), test::execution);
    EXPECT_EQ(fence->lease_epoch, LeaseEpoch{3});
    EXPECT_EQ(to_json(by_fence), document_of(R"({"lease": $fence})"));
    EXPECT_EQ(to_json(read<ReleaseUnstarted>(R"({"lease": {"execution_id": $execution}})")),
              document_of(R"({"lease": {"execution_id": $execution}})"));
}

TEST(ApiLeases, OthersAreRefused) {
    const auto release = [](const std::string& lease) {
        return refusal_of<ReleaseUnstarted>(R"({"lease": )" + lease + "}");
    };
    EXPECT_EQ(release("7"), "lease: must be a handle or an object that names a lease");
    EXPECT_EQ(release("[]"), "lease: must be a handle or an object that names a lease");
    EXPECT_EQ(release("null"), "lease: is required");
    EXPECT_EQ(release(R"("{fp:7}")"), "lease: is not base64url");
    EXPECT_EQ(release(R"("CQA")"), "lease: has an unknown tag");
    EXPECT_EQ(release("{}"), "lease.execution_id: is required");
    EXPECT_EQ(release(R"({"execution_id": $execution, "epoch": 3})"), "lease.epoch: is not a known field");
    EXPECT_EQ(release(R"({"execution_id": $execution, "attempt_id": 3})"), "lease.attempt_id: must be a string");
}

// ---- documents with a parser of their own -----------------------------------------------------------------------

TEST(ApiDocuments, KeepTheirParsersErrors) {
    EXPECT_EQ(refusal_of<CreateExecution>(R"({"execution_kind": "send", "policy": {"priority": "high"}})",
                                          ErrorKind::invalid_policy_json),
              "policy: malformed: priority: expected an integer in range");
    EXPECT_THAT(
        refusal_of<Suspend>(R"({"lease": $handle, "waitpoints": ["Fresh"], "resume_condition": {"Single": 1}})"),
        ::testing::StartsWith("resume_condition: malformed at path <root>: Single"));
}

}  // namespace
}  // namespace flowfabric::api
