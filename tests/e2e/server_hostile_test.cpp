#include <future>

#include "e2e/server_process.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AnyOf;
using ::testing::StartsWith;

// Clients that break the rules get the right status or a closed connection; others are served meanwhile.
class HostileClient : public ServerProcess {
  protected:
    std::string answer_to(const std::string& request) {
        RawHttp client(port());
        client.send(request);
        return client.read_all();
    }
    std::string post_of(const std::string& body) {
        return answer_to(
            "POST /v1/executions HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    void expect_health() { EXPECT_EQ(get("/healthz").status, 200); }
    std::size_t resident_kib() {
        std::ifstream status("/proc/" + std::to_string(server().id()) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
        }
        throw std::runtime_error("no VmRSS");
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HostileClient, durable_stores(), name_of_param);

TEST_P(HostileClient, GetsTheRightStatus) {
    serve();
    const std::string get_line = "GET /healthz HTTP/1.1\r\n";
    const std::string post_line = "POST /v1/executions HTTP/1.1\r\n";
    EXPECT_THAT(answer_to("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("GET /v1/%C3%28 HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("GET /v1/executions?cursor=%FF HTTP/1.1\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("GET http://elsewhere/ HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to(get_line + "bad header\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to(post_line + "Content-Length: -1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to(post_line + "Content-Length: 99999999999999999999999\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to(post_line + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to(post_line + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), StartsWith("HTTP/1.1 400"));
    for (const std::string coding : {"gzip", "identity", "xchunked", "chunked, identity"}) {
        const std::string next = "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n";
        for (const std::string length : {"", "Content-Length: 2\r\n"}) {
            const auto answer = answer_to(get_line + "Transfer-Encoding: " + coding + "\r\n" + length + "\r\n" + next);
            EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << coding;
            EXPECT_EQ(answer.rfind("HTTP/1.1"), 0U) << "nothing behind it counts as a request: " << answer;
        }
    }
    for (const std::string endless : {"1;", "0\r\nX: "}) {
        EXPECT_THAT(answer_to("GET /livez HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + endless +
                              std::string(1'000'000, 'a')),
                    StartsWith("HTTP/1.1 400"))
            << endless;
    }
    EXPECT_THAT(answer_to(post_line + "Content-Length: 1048577\r\n\r\n"), StartsWith("HTTP/1.1 413"));
    EXPECT_THAT(answer_to(get_line + "X: " + std::string(20'000, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 431"));
    std::string flood = get_line;
    for (int i = 0; i < 10'000; ++i) flood += "X-" + std::to_string(i) + ": 1\r\n";
    EXPECT_THAT(answer_to(flood + "\r\n"), StartsWith("HTTP/1.1 431"));
    EXPECT_THAT(post_of("{\"execution_kind\":\"\xC3\x28\"}"),
                AnyOf(StartsWith("HTTP/1.1 400"), StartsWith("HTTP/1.1 422")));
    EXPECT_THAT(post_of(std::string(100'000, '[')), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(post_of(R"({"input":)" + std::string(100, '[') + std::string(100, ']') + "}"),
                StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(post_of(R"({"execution_kind":)"), StartsWith("HTTP/1.1 400"));
    expect_health();
    EXPECT_EQ(stop(), 0);
}

TEST_P(HostileClient, WhoLeavesInTheMiddleHoldsNothingUp) {
    serve();
    for (int i = 0; i < 100; ++i) {
        RawHttp(port()).send("POST /v1/executions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{");
        RawHttp(port()).send("GET /v1/exec");
        RawHttp(port()).send("GET /healthz HTTP/1.1\r\n\r\n");
    }
    expect_health();
    EXPECT_EQ(stop(), 0);
}

TEST_P(HostileClient, WhoIsTooSlowIsClosed) {
    serve({"--request-timeout", "100ms"});
    RawHttp head(port());
    head.send("GET /healthz HTTP/1.1\r\nX-Slow: ");
    RawHttp body(port());
    body.send("POST /v1/executions HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    EXPECT_EQ(head.read_all(), "");
    EXPECT_EQ(body.read_all(), "");
    expect_health();
    EXPECT_EQ(stop(), 0);
}

TEST_P(HostileClient, WhoNeverReadsIsClosed) {
    serve({"--request-timeout", "300ms"});
    std::string many;
    for (int i = 0; i < 1'000; ++i) many += "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const auto flood = std::async(std::launch::async, [&] {
        const RawHttp client(port());
        // Sending ends when the server has closed.
        for (int i = 0; i < 1'000; ++i) client.send(many);
    });
    while (flood.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) expect_health();
    EXPECT_EQ(stop(), 0);
}

TEST_P(HostileClient, LargeAnnouncementsCostNoMemory) {
    serve();
    expect_health();
    const std::size_t before = resident_kib();
    std::vector<std::unique_ptr<RawHttp>> clients;
    for (int i = 0; i < 200; ++i) {
        clients.push_back(std::make_unique<RawHttp>(port()));
        clients.back()->send(
            "POST /v1/executions:batch HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 16777216\r\n\r\n" +
            std::string(1'000, ' '));
        clients.push_back(std::make_unique<RawHttp>(port()));
        clients.back()->send("GET /healthz HTTP/1.1\r\nX: " + std::string(10'000, 'x'));
    }
    expect_health();
    constexpr std::size_t bound_kib = 65'536;
    EXPECT_LT(resident_kib(), before + bound_kib);
    clients.clear();
    EXPECT_EQ(stop(), 0);
}

TEST_P(HostileClient, BodiesThatDoNotEndHaveABound) {
    constexpr std::size_t bound_bytes = 33'554'432;
    constexpr std::size_t announced_bytes = 16'777'216;
    constexpr std::size_t slack_kib = 65'536;
    serve({"--max-body-bytes", std::to_string(bound_bytes)});
    expect_health();
    const std::size_t before = resident_kib();
    const std::string most_of_it(announced_bytes / 2, ' ');
    std::vector<std::unique_ptr<RawHttp>> clients;
    for (int i = 0; i < 24; ++i) {
        clients.push_back(std::make_unique<RawHttp>(port()));
        clients.back()->send(
            "POST /v1/executions:batch HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " +
            std::to_string(announced_bytes) + "\r\n\r\n" + most_of_it);
    }
    expect_health();
    EXPECT_LT(resident_kib(), before + bound_bytes / 1024 + slack_kib);

    const auto refused = post("/v1/executions", R"({"execution_kind":"k","lane_id":"l"})");
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_EQ(refused.json().at("kind"), "overloaded");
    EXPECT_EQ(refused.headers.count("retry-after"), 1U);
    EXPECT_THAT(answer_to("POST /v1/executions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"),
                StartsWith("HTTP/1.1 503"));
    EXPECT_EQ(get("/v1/executions").status, 200) << "what has no body needs no room";
    clients.clear();
    await("room for a body",
          [&] { return post("/v1/executions", R"({"execution_kind":"k","lane_id":"l"})").status == 201; });
    EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace flowfabric::test
