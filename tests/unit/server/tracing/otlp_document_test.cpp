#include "server/tracing/otlp_document.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace flowfabric::server {
namespace {

// Field by field as the protocol's JSON encoding writes them.
TEST(OtlpDocument, IsAsTheProtocolEncodesIt) {
    const std::vector<Span> spans{{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                                   .span_id = "00f067aa0ba902b7",
                                   .parent_id = "b7ad6b7169203331",
                                   .trace_state = "shop=1",
                                   .name = "attempt mail",
                                   .kind = SpanKind::consumer,
                                   .start_ns = 1'700'000'000'000'000'001,
                                   .end_ns = 1'700'000'000'000'000'002,
                                   .attributes = {{"flowfabric.lane", "a \"b\""}, {"flowfabric.attempt_index", 2}},
                                   .failed = true,
                                   .failure = "smtp"},
                                  {.trace_id = "0af7651916cd43dd8448eb211c80319d",
                                   .span_id = "00f067aa0ba902b8",
                                   .name = "GET /v1/stats",
                                   .start_ns = 1,
                                   .end_ns = 2}};
    const auto expected = boost::json::parse(R"({"resourceSpans": [{
        "resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "shop"}},
            {"key": "service.version", "value": {"stringValue": ")" FF_VERSION R"("}}]},
        "scopeSpans": [{
            "scope": {"name": "flowfabric", "version": ")" FF_VERSION R"("},
            "spans": [{
                "traceId": "0af7651916cd43dd8448eb211c80319c",
                "spanId": "00f067aa0ba902b7",
                "parentSpanId": "b7ad6b7169203331",
                "traceState": "shop=1",
                "name": "attempt mail",
                "kind": 5,
                "startTimeUnixNano": "1700000000000000001",
                "endTimeUnixNano": "1700000000000000002",
                "attributes": [
                    {"key": "flowfabric.lane", "value": {"stringValue": "a \"b\""}},
                    {"key": "flowfabric.attempt_index", "value": {"intValue": "2"}}],
                "status": {"code": 2, "message": "smtp"}
            }, {
                "traceId": "0af7651916cd43dd8448eb211c80319d",
                "spanId": "00f067aa0ba902b8",
                "name": "GET /v1/stats",
                "kind": 2,
                "startTimeUnixNano": "1",
                "endTimeUnixNano": "2",
                "attributes": [],
                "status": {}
            }]}]}]})");
    EXPECT_EQ(boost::json::parse(otlp_document(spans, "shop")), expected);
}

TEST(OtlpAnswer, TellsWhetherToSendAgain) {
    for (const unsigned status : {429U, 502U, 503U, 504U}) {
        const OtlpAnswer answer = otlp_answer({.status = status, .retry_after_ms = 7'000}, 5);
        EXPECT_TRUE(answer.again) << status;
        EXPECT_EQ(answer.retry_after_ms, 7'000);
        EXPECT_EQ(answer.rejected, 0U);
    }
    const OtlpAnswer unreachable = otlp_answer({.error = "nobody there"}, 5);
    EXPECT_TRUE(unreachable.again);
    EXPECT_EQ(unreachable.trouble, "nobody there");
    for (const unsigned status : {301U, 400U, 401U, 404U, 413U, 500U}) {
        const OtlpAnswer answer = otlp_answer({.status = status}, 5);
        EXPECT_FALSE(answer.again) << status;
        EXPECT_EQ(answer.rejected, 5U);
        EXPECT_EQ(answer.trouble, "HTTP " + std::to_string(status));
    }
}

TEST(OtlpAnswer, TellsHowManyAreRefused) {
    const auto answer = [](std::string body) {
        remote::PostReply reply{.status = 200};
        reply.body = std::move(body);
        return otlp_answer(reply, 5);
    };
    for (const char* all_taken :
         {"", "{}", "[]", "nonsense", R"({"partialSuccess": {}})", R"({"partialSuccess": 1})",
          R"({"partialSuccess": {"errorMessage": "a hint"}})", R"({"partialSuccess": {"rejectedSpans": "x"}})"}) {
        EXPECT_EQ(answer(all_taken).rejected, 0U) << all_taken;
        EXPECT_EQ(answer(all_taken).trouble, "") << all_taken;
    }
    const OtlpAnswer some = answer(R"({"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}})");
    EXPECT_FALSE(some.again);
    EXPECT_EQ(some.rejected, 2U);
    EXPECT_EQ(some.trouble, "2 are refused: too old");
    EXPECT_EQ(answer(R"({"partialSuccess": {"rejectedSpans": 3}})").rejected, 3U);
    EXPECT_EQ(answer(R"({"partialSuccess": {"rejectedSpans": 99}})").rejected, 5U);
}

}  // namespace
}  // namespace flowfabric::server
