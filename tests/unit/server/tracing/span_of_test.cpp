#include "server/tracing/span_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::server {
namespace {

using namespace std::chrono_literals;

const std::string trace = "0af7651916cd43dd8448eb211c80319c";
const std::string parent = "b7ad6b7169203331";
const std::string sampled = "00-" + trace + '-' + parent + "-01";
const std::string unsampled = "00-" + trace + '-' + parent + "-00";
constexpr std::int64_t ended = 1'700'000'000'123'456'789;

std::map<std::string_view, std::variant<std::string, std::int64_t>> attributes_of(const Span& span) {
    std::map<std::string_view, std::variant<std::string, std::int64_t>> attributes;
    for (const SpanAttribute& attribute : span.attributes) attributes.emplace(attribute.name, attribute.value);
    EXPECT_EQ(attributes.size(), span.attributes.size()) << "no name comes twice";
    return attributes;
}

Served served() {
    return {.method = "POST",
            .path = "/v1/executions/%7Bfp:1%7D:x/cancel",
            .route = "/v1/executions/{id}/cancel",
            .request_id = "r-1",
            .traceparent = sampled,
            .tracestate = "shop=1",
            .status = 200,
            .took = 5ms};
}

std::optional<Span> span_of_request(const Served& request) {
    return span_of(request, ended, true, [next = std::uint64_t{0}]() mutable { return next++; });
}

ObservedAttempt attempt() {
    return {.execution_id = *ExecutionId::parse("{fp:7}:01890a5d-ac96-774b-bcce-b302099a8057"),
            .attempt_id = *AttemptId::parse("01890a5d-ac96-774b-8cce-b302099a80aa"),
            .attempt_index = 3,
            .execution_kind = "mail.send",
            .lane_id = "mail",
            .worker_id = "w",
            .traceparent = sampled,
            .tracestate = "shop=1",
            .started_at_ms = 1'000,
            .ended_at_ms = 1'250,
            .end = AttemptEnd::ok};
}

TEST(SpanOfARequest, IsAChildOfTheCallersSpan) {
    const auto span = span_of_request(served());
    ASSERT_TRUE(span);
    EXPECT_EQ(span->trace_id, trace);
    EXPECT_EQ(span->parent_id, parent);
    EXPECT_EQ(span->span_id, "0000000000000001") << "an id of zeros is none";
    EXPECT_EQ(span->trace_state, "shop=1");
    EXPECT_EQ(span->name, "POST /v1/executions/{id}/cancel");
    EXPECT_EQ(span->kind, SpanKind::server);
    EXPECT_EQ(span->end_ns, ended);
    EXPECT_EQ(span->start_ns, ended - 5'000'000);
    EXPECT_FALSE(span->failed);
    auto attributes = attributes_of(*span);
    EXPECT_EQ(std::get<std::string>(attributes.at("http.request.method")), "POST");
    EXPECT_EQ(std::get<std::string>(attributes.at("http.route")), served().route);
    EXPECT_EQ(std::get<std::string>(attributes.at("url.path")), served().path);
    EXPECT_EQ(std::get<std::string>(attributes.at("url.scheme")), "https");
    EXPECT_EQ(std::get<std::int64_t>(attributes.at("http.response.status_code")), 200);
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.request_id")), "r-1");
}

TEST(SpanOfARequest, BeginsATraceWithoutOne) {
    for (const std::string header : {"", "nonsense"}) {
        Served request = served();
        request.traceparent = header;
        const auto span = span_of_request(request);
        ASSERT_TRUE(span);
        EXPECT_EQ(span->trace_id, "00000000000000010000000000000002");
        EXPECT_EQ(span->span_id, "0000000000000003");
        EXPECT_EQ(span->parent_id, "");
        EXPECT_EQ(span->trace_state, "") << "of no trace that is known";
    }
}

TEST(SpanOfARequest, IsNotMadeOfProbesOfUnknownRoutesAndOfTracesThatAreNotSampled) {
    Served probe = served();
    probe.open = true;
    Served unknown = served();
    unknown.route.clear();
    Served quiet = served();
    quiet.traceparent = unsampled;
    for (const Served& request : {probe, unknown, quiet}) EXPECT_FALSE(span_of_request(request));
}

TEST(SpanOfARequest, HasFailedIfTheServerHas) {
    Served request = served();
    request.status = 404;
    EXPECT_FALSE(span_of_request(request)->failed) << "the caller is to blame";
    request.status = 503;
    const auto span = span_of_request(request);
    EXPECT_TRUE(span->failed);
    EXPECT_EQ(std::get<std::string>(attributes_of(*span).at("error.type")), "503");
    request.status = 0;
    const auto left = span_of_request(request);
    EXPECT_FALSE(left->failed);
    EXPECT_FALSE(attributes_of(*left).contains("http.response.status_code"));
}

TEST(SpanOfAnAttempt, IsAChildOfTheSubmittersSpan) {
    const auto span = span_of(attempt());
    ASSERT_TRUE(span);
    EXPECT_EQ(span->trace_id, trace);
    EXPECT_EQ(span->parent_id, parent);
    EXPECT_EQ(span->span_id, "8cceb302099a80aa") << "the same, whoever makes it";
    EXPECT_EQ(span->trace_state, "shop=1");
    EXPECT_EQ(span->name, "attempt mail.send");
    EXPECT_EQ(span->kind, SpanKind::consumer);
    EXPECT_EQ(span->start_ns, 1'000'000'000);
    EXPECT_EQ(span->end_ns, 1'250'000'000);
    EXPECT_FALSE(span->failed);
    auto attributes = attributes_of(*span);
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.execution_id")), attempt().execution_id.to_string());
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.execution_kind")), "mail.send");
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.lane")), "mail");
    EXPECT_EQ(std::get<std::int64_t>(attributes.at("flowfabric.attempt_index")), 3);
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.worker_id")), "w");
    EXPECT_EQ(std::get<std::string>(attributes.at("flowfabric.outcome")), "ok");
}

TEST(SpanOfAnAttempt, HasFailedWithItsCategory) {
    ObservedAttempt failed = attempt();
    failed.end = AttemptEnd::retry;
    failed.failure_category = "smtp";
    const auto span = span_of(failed);
    EXPECT_TRUE(span->failed);
    EXPECT_EQ(span->failure, "smtp");
    EXPECT_EQ(std::get<std::string>(attributes_of(*span).at("error.type")), "smtp");
    EXPECT_EQ(std::get<std::string>(attributes_of(*span).at("flowfabric.outcome")), "retry");
    ObservedAttempt lost = attempt();
    lost.end = AttemptEnd::lost;
    EXPECT_EQ(span_of(lost)->failure, "lost");
    ObservedAttempt cancelled = attempt();
    cancelled.end = AttemptEnd::cancelled;
    EXPECT_FALSE(span_of(cancelled)->failed);
}

TEST(SpanOfAnAttempt, IsNotMadeOfATraceThatIsNotSampled) {
    ObservedAttempt quiet = attempt();
    quiet.traceparent = unsampled;
    EXPECT_FALSE(span_of(quiet));
}

}  // namespace
}  // namespace flowfabric::server
