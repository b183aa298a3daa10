#include "e2e/server_process.hpp"
#include "support/collector.hpp"

// Spans of a real server (docs/tracing.md).
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace json = boost::json;

const std::string trace_id = "0af7651916cd43dd8448eb211c80319c";
const std::string caller = "b7ad6b7169203331";
const std::string sampled = "00-" + trace_id + '-' + caller + "-01";
const std::string unsampled = "00-1111651916cd43dd8448eb211c80319c-" + caller + "-00";

using Object = Collector::Object;
using Headers = std::vector<std::pair<std::string, std::string>>;

std::string field(const Object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value == nullptr ? "" : text(*value);
}

class TracedServer : public ServerProcess {
  protected:
    json::value call(const std::string& target, const std::string& body, Headers headers = {}) {
        headers.emplace_back("Content-Type", "application/json");
        const auto answer = http_call(port(), "POST", target, body, headers);
        EXPECT_LT(answer.status, 300) << answer.body;
        return answer.json();
    }
    std::string create(const std::string& lane, const std::string& traceparent) {
        const auto created =
            call("/v1/executions",
                 R"({"execution_kind":"mail","lane_id":")" + lane +
                     R"(","policy":{"retry_policy":{"max_retries":1,"backoff":{"type":"fixed","delay_ms":0}}}})",
                 {{"traceparent", traceparent}, {"tracestate", "shop=1"}});
        return text(created.at("Created").at("execution_id"));
    }
    std::string claim(const std::string& lane) {
        const auto claimed = call("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":[")" +
                                                         lane + R"("],"max_wait_ms":20000})");
        return text(claimed.at("tasks").at(0).at("lease"));
    }
    // An execution whose first attempt fails.
    std::string work(const std::string& lane, const std::string& traceparent) {
        const std::string id = create(lane, traceparent);
        call("/v1/tasks/fail", R"({"lease":")" + claim(lane) + R"(","reason":"no route","category":"smtp"})");
        call("/v1/tasks/complete", R"({"lease":")" + claim(lane) + R"("})");
        return id;
    }
    static Object await_attempt(Collector& collector, const std::string& id, const std::string& index) {
        return collector.await_span([&](const Object& span) {
            return Collector::attribute(span, "flowfabric.execution_id") == id &&
                   Collector::attribute(span, "flowfabric.attempt_index") == index;
        });
    }
    static Object await_named(Collector& collector, const std::string& name) {
        return collector.await_span([&](const Object& span) { return field(span, "name") == name; });
    }
    static void expect_failed(const Object& span, const std::string& why) {
        EXPECT_EQ(span.at("status").at("code"), 2);
        EXPECT_EQ(text(span.at("status").at("message")), why);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, TracedServer, durable_stores(), name_of_param);

TEST_P(TracedServer, RequestsAndAttemptsAreSpansOfTheCallersTrace) {
    Collector collector;
    serve({"--otlp-endpoint", collector.url()});
    work("quiet", unsampled);
    EXPECT_EQ(get("/healthz").status, 200);
    const std::string id = work("mail", sampled);

    const Object request = await_named(collector, "POST /v1/executions");
    EXPECT_EQ(field(request, "traceId"), trace_id);
    EXPECT_EQ(field(request, "parentSpanId"), caller);
    EXPECT_EQ(field(request, "traceState"), "shop=1");
    EXPECT_EQ(request.at("kind"), 2);
    EXPECT_EQ(Collector::attribute(request, "http.response.status_code"), "201");

    const Object failed = await_attempt(collector, id, "0");
    const Object completed = await_attempt(collector, id, "1");
    for (const Object& attempt : {failed, completed}) {
        EXPECT_EQ(field(attempt, "name"), "attempt mail");
        EXPECT_EQ(attempt.at("kind"), 5);
        EXPECT_EQ(field(attempt, "traceId"), trace_id);
        EXPECT_EQ(field(attempt, "parentSpanId"), caller);
        EXPECT_EQ(field(attempt, "traceState"), "shop=1");
        EXPECT_EQ(Collector::attribute(attempt, "flowfabric.lane"), "mail");
        EXPECT_EQ(Collector::attribute(attempt, "flowfabric.worker_id"), "w");
        EXPECT_LE(field(attempt, "startTimeUnixNano"), field(attempt, "endTimeUnixNano"));
    }
    EXPECT_NE(field(failed, "spanId"), field(completed, "spanId"));
    EXPECT_LE(field(failed, "endTimeUnixNano"), field(completed, "startTimeUnixNano"));
    EXPECT_EQ(Collector::attribute(failed, "flowfabric.outcome"), "retry");
    expect_failed(failed, "smtp");
    EXPECT_EQ(Collector::attribute(completed, "flowfabric.outcome"), "ok");
    EXPECT_TRUE(completed.at("status").as_object().empty());

    const Object claimed = await_named(collector, "POST /v1/tasks/claim");
    EXPECT_EQ(field(claimed, "parentSpanId"), "") << "workers' requests begin traces of their own";
    EXPECT_NE(field(claimed, "traceId"), trace_id);

    await("spans to be counted", [&] {
        return get("/metrics").body.find(R"(ff_otlp_spans_total{outcome="exported"} 0)") == std::string::npos;
    });
    EXPECT_EQ(stop(), 0);
    for (const Object& span : collector.spans()) {
        EXPECT_NE(field(span, "traceId"), unsampled.substr(3, trace_id.size()));
        EXPECT_EQ(Collector::attribute(span, "http.route").value_or("").find("/healthz"), std::string::npos);
    }
}

TEST_P(TracedServer, SpansWaitForACollectorThatIsDown) {
    const std::uint16_t free_port = Collector().port();
    serve({"--otlp-endpoint", "http://127.0.0.1:" + std::to_string(free_port)});
    const std::string id = work("mail", sampled);
    server().await_line("spans do not reach the collector");
    Collector collector(free_port);
    EXPECT_EQ(field(await_attempt(collector, id, "1"), "parentSpanId"), caller);
    server().await_line("spans are taken again");
    EXPECT_EQ(stop(), 0);
}

TEST_P(TracedServer, WhatIsLeftIsSentAtTheEndWithTheHeadersOfTheConfiguration) {
    Collector collector;
    const ScratchFile file;
    std::ofstream(file.path()) << "otlp-endpoint = \"" << collector.url() << "\"\n"
                               << "otlp-headers = \"authorization=Bearer%20hush\"\n"
                               << "otlp-service-name = \"jobs\"\n";
    serve({"--config", file.path()});
    const std::string id = work("mail", sampled);
    EXPECT_EQ(stop(), 0);
    // A batch waits for a second: this one has not.
    bool has_arrived = false;
    while (!has_arrived) {
        const auto request = collector.receiver().next();
        EXPECT_EQ(request.headers.find("authorization"), "Bearer hush");
        EXPECT_THAT(request.body, HasSubstr(R"({"stringValue":"jobs"})"));
        has_arrived = request.body.find("POST /v1/tasks/complete") != std::string::npos;
    }
    EXPECT_THAT(server().errors(), Not(HasSubstr("hush")));
}

TEST_P(TracedServer, WithoutACollectorNothingIsSaidOfSpans) {
    serve();
    work("mail", sampled);
    EXPECT_THAT(get("/metrics").body, Not(HasSubstr("ff_otlp")));
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
