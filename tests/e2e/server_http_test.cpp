#include "e2e/server_process.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpServer : public ServerProcess {
  protected:
    std::string create() {
        const auto created = post("/v1/executions", R"({"execution_kind":"test","lane_id":"default"})");
        return text(created.json().at("Created").at("execution_id"));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpServer, durable_stores(), name_of_param);

TEST_P(HttpServer, ABodyMayBeAsLargeAsItsRouteAllows) {
    serve();
    const std::pair<const char*, std::size_t> limits[] = {
        {"/v1/executions", 1'048'576},
        {"/v1/executions/{id}/signal", 262'144},
        {"/v1/executions/{id}/cancel", 65'536},
        {"/v1/executions/{id}/replay", 65'536},
    };
    for (const auto& [route, limit] : limits) {
        const auto over = post(route, std::string(limit + 1, ' '));
        EXPECT_EQ(over.status, 413) << route;
        EXPECT_EQ(over.json().at("limit_bytes").as_int64(), static_cast<std::int64_t>(limit));
        EXPECT_EQ(text(over.json().at("route")), route);
        EXPECT_EQ(text(over.json().at("error")), "payload_too_large");
        EXPECT_NE(post(route, std::string(limit - 1, ' ')).status, 413) << route;
    }
    EXPECT_EQ(stop(), 0);
}

TEST_P(HttpServer, MetricsCountRequestsByTheTemplateOfTheirRoute) {
    serve();
    const auto id = create();
    EXPECT_EQ(get("/v1/executions/" + id).status, 200);
    EXPECT_EQ(get("/nowhere/" + id).status, 404);
    EXPECT_EQ(http_call(port(), "BREW", "/pot").status, 404);
    const auto metrics = get("/metrics");
    EXPECT_EQ(metrics.status, 200);
    EXPECT_THAT(metrics.headers.at("content-type"), StartsWith("text/plain; version=0.0.4"));
    EXPECT_THAT(
        metrics.body,
        AllOf(HasSubstr(R"(ff_http_requests_total{method="GET",path="/v1/executions/{id}",status="200"} 1)"),
              HasSubstr(R"(ff_http_requests_total{method="GET",path="unknown",status="404"} 1)"),
              HasSubstr(R"(ff_http_requests_total{method="OTHER",path="unknown",status="404"} 1)"),
              HasSubstr(R"(ff_http_request_duration_seconds_bucket{method="GET",path="/v1/executions/{id}",)"),
              HasSubstr("le=\"0.001\""), HasSubstr("le=\"60\""), HasSubstr("ff_http_connections 1"),
              HasSubstr("ff_shutdown_timeout_total 0"), HasSubstr("ff_build_info{version="), Not(HasSubstr(id))));
    EXPECT_EQ(stop(), 0);
}

TEST_P(HttpServer, LogsARequestAsJson) {
    serve({"--log-format", "json"});
    const auto answer =
        get("/v1/executions?partition=0", {{"X-Request-Id", "night-1"}, {"Authorization", "Bearer hush"}});
    EXPECT_EQ(answer.headers.at("x-request-id"), "night-1");
    const auto line = boost::json::parse(server().await_line("night-1"));
    EXPECT_EQ(text(line.at("level")), "info");
    EXPECT_EQ(text(line.at("message")), "request");
    EXPECT_EQ(text(line.at("method")), "GET");
    EXPECT_EQ(text(line.at("path")), "/v1/executions");
    EXPECT_EQ(line.at("status").as_int64(), answer.status);
    EXPECT_EQ(stop(), 0);
    EXPECT_THAT(server().errors(), Not(HasSubstr("hush")));
}

TEST_P(HttpServer, LogsNothingBelowItsLevel) {
    serve({"--log-level", "warn"});
    EXPECT_EQ(get("/v1/executions?partition=0", {{"X-Request-Id", "quiet-1"}}).status, 200);
    EXPECT_EQ(stop(), 0);
    EXPECT_THAT(server().errors(), Not(HasSubstr("quiet-1")));
}

TEST_P(HttpServer, CompressesLargeAnswersForWhoReadsThem) {
    serve();
    const std::string payload(5'000, 'x');
    const auto created =
        post("/v1/executions", R"({"execution_kind":"test","lane_id":"default","tags":{"a.b":")" + payload + "\"}}");
    ASSERT_EQ(created.status, 201) << created.body;
    const auto target = "/v1/executions/" + text(created.json().at("Created").at("execution_id"));
    const auto plain = get(target);
    EXPECT_EQ(plain.headers.count("content-encoding"), 0U);
    const auto packed = get(target, {{"Accept-Encoding", "br, gzip"}});
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_LT(packed.body.size(), plain.body.size() / 2);
    EXPECT_EQ(get(target, {{"Accept-Encoding", "gzip;q=0"}}).headers.count("content-encoding"), 0U);
    const Finished curl = run_program({"curl", "-s", "--compressed", "-g", url() + target});
    EXPECT_EQ(curl.output, plain.body);
    EXPECT_EQ(stop(), 0);
}

TEST_P(HttpServer, ServesTls) {
    const OwnCertificate own;
    serve(own.options());
    EXPECT_THAT(url(), StartsWith("https://127.0.0.1:"));
    const auto curl = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"curl", "-s", "-g", "--cacert", own.certificate()});
        return run_program(words);
    };
    EXPECT_EQ(curl({url() + "/healthz"}).output, R"({"status":"ok"})");
    const Finished twice = curl({"-w", "%{num_connects}", url() + "/livez", url() + "/livez"});
    EXPECT_EQ(twice.output, R"({"status":"ok"}1{"status":"ok"}0)");
    const std::string body(900'000, 'x');
    const ScratchFile request;
    std::ofstream(request.path()) << R"({"execution_kind":"test","lane_id":"default","input":")" << body << "\"}";
    EXPECT_THAT(
        curl({"-H", "Content-Type: application/json", "-d", "@" + request.path(), url() + "/v1/executions"}).output,
        HasSubstr("Created"));
    EXPECT_EQ(http_get(port(), "/healthz"), "") << "plain HTTP";
    EXPECT_NE(run_program({"curl", "-s", "--tls-max", "1.1", "-k", url() + "/healthz"}).status, 0);
    EXPECT_EQ(stop(), 0);
}

TEST_P(HttpServer, RefusesACertificateThatItCannotRead) {
    const Finished finished =
        run({"server", "--listen", "127.0.0.1:0", "--tls-certificate", "/nonexistent", "--tls-key", "/x"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, AllOf(HasSubstr("tls-certificate"), HasSubstr("/nonexistent")));
}

TEST_P(HttpServer, AnswersPagesOfTheOriginsThatItIsToldOf) {
    serve({"--cors-origins", "https://shop.example, nonsense"});
    const auto preflight = [&](const std::string& origin) {
        return http_call(port(), "OPTIONS", "/v1/executions", "",
                         {{"Origin", origin}, {"Access-Control-Request-Method", "POST"}});
    };
    const auto listed = preflight("https://shop.example");
    EXPECT_EQ(listed.status, 200);
    EXPECT_EQ(listed.headers.at("access-control-allow-origin"), "https://shop.example");
    EXPECT_THAT(listed.headers.at("access-control-allow-headers"),
                AllOf(HasSubstr("content-type"), Not(HasSubstr("authorization"))));
    EXPECT_EQ(preflight("https://other.example").headers.count("access-control-allow-origin"), 0U);
    EXPECT_EQ(get("/livez", {{"Origin", "https://shop.example"}}).headers.at("access-control-allow-origin"),
              "https://shop.example");
    EXPECT_EQ(get("/livez").headers.count("access-control-allow-origin"), 0U);
    EXPECT_THAT(server().errors(), HasSubstr("nonsense"));
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
