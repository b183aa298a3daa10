#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/engine.hpp"
#include "fuzz/fuzzing.hpp"
#include "fuzz/mutation.hpp"
#include "server/auth/access.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/http_server.hpp"
#include "server/routes/documents.hpp"
#include "server/routes/event_streams.hpp"
#include "server/routes/health.hpp"
#include "server/routes/operation_routes.hpp"
#include "server/routes/output_streams.hpp"
#include "server/routes/worker_round.hpp"
#include "support/raw_http.hpp"
#include "unit/api/samples.hpp"

// Hostile bytes on the wire, to a server with all routes.
namespace flowfabric::test {
namespace {

using ::testing::StartsWith;
namespace json = boost::json;
using namespace server;

constexpr std::chrono::milliseconds silence{200};  // after which a side gives the other up
constexpr std::size_t clients_at_once = 16;

struct RawRequest {
    std::string line;  // METHOD TARGET
    std::string body;
    bool chunked = false;
};

std::string raw(const RawRequest& request) {
    std::string text =
        request.line +
        " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n"
        "Request-Timeout: 10.5\r\n";
    if (!request.chunked) {
        return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
    }
    char size[20];
    std::snprintf(size, sizeof size, "%zx", request.body.size());
    text += "Transfer-Encoding: chunked\r\n\r\n";
    if (!request.body.empty()) text.append(size).append(";a=b\r\n").append(request.body).append("\r\n");
    return text + "0\r\nX-Trailer: x\r\n\r\n";
}

std::vector<RawRequest> requests() {
    std::vector<RawRequest> all{
        {"GET /v1/events?channel=lease&from=start&consumer=billing&partition=7", ""},
        {"HEAD /v1/executions/{fp:7}:0190a1b2-0000-7000-8000-000000000001/events", ""},
        {"GET /v1/executions/{fp:7}:0190a1b2-0000-7000-8000-000000000001/stream?from=start&attempt=1&visibility=all",
         ""},
        {"POST /v1/workers/w/exchange",
         R"({"worker_instance_id":"w-1","done":[{"lease":"x","outcome":"complete","result":{}}],)"
         R"("renew":[{"lease":"x","progress":{"percent":1}}],"claim":{"max":2,"lanes":["mail"],"wait_ms":10}})"},
        {"GET /v1/executions/export?lane_id=mail&public_state=failed&limit=2&input=true&result=1&cursor=1:%7Bfp:7%7D:",
         ""},
        {"OPTIONS /v1/executions", ""},
        {"GET /docs", ""},
        {"GET /readyz", ""},
        {"GET /v1/executions?limit=10&cursor=%7B", ""}};
    for (const auto& [operation, sample] : api::test::samples) {
        const std::string name(operation);
        const std::string body = api::test::filled_in(std::string(sample));
        all.push_back({"POST /v1/operations/" + name, body});
        all.push_back({"POST /v1/operations/" + name + ":batch", R"({"items":[)" + body + ',' + body + "]}"});
    }
    for (const api::Route& route : api::routes()) {
        const auto sample = api::test::samples.find(route.operation);
        if (sample == api::test::samples.end()) continue;
        const std::string body = api::test::filled_in(std::string(sample->second));
        const json::object document = json::parse(body).as_object();
        std::string line = std::string(route.method) + ' ';
        for (std::string_view rest = route.path; !rest.empty();) {
            const auto open = rest.find('{');
            line += rest.substr(0, open);
            if (open == std::string_view::npos) break;
            const auto close = rest.find('}');
            const json::value* value =
                document.if_contains(api::field_of_place(route, rest.substr(open + 1, close - open - 1)));
            line += value != nullptr && value->is_string() ? std::string(value->get_string()) : "x";
            rest.remove_prefix(close + 1);
        }
        all.push_back({line, route.method == "GET" ? "" : body});
    }
    return all;
}

// Half of the time the document alone is damaged, and its frame fits.
std::string hostile(const std::vector<RawRequest>& corpus, Random& random) {
    std::string text;
    do {
        RawRequest request = random.pick(corpus);
        request.chunked = random.chance(30);
        const bool inside = random.chance(50);
        if (inside) request.body = mutated(request.body, random);
        text += inside ? raw(request) : mutated(raw(request), random);
    } while (random.chance(30));
    return text;
}

class HttpFuzz : public ::testing::Test {
  protected:
    HttpFuzz() {
        Service service;
        service.router = routes();
        service.gate = [this](Request& head, const RouteInfo* route) { return access_->gate(head, route); };
        service.asks_for_token = [this] { return access_->asks_for_token(); };
        service.observe = [this](const Served& served) {
            ++served_[served.status / 100 % served_.size()];
            if (served.status != 500) return;
            ADD_FAILURE() << served.method << ' ' << served.path << " broke the server";
        };
        HttpOptions options{.port = 0, .timeout = silence};
        options.cors = CorsRules{.origins = {"https://shop.example"}};
        server_ = *HttpServer::start(options, std::move(service));
    }
    ~HttpFuzz() override {
        server_->stop();
        pool_->finish();
        access_->stop();
    }
    HttpFuzz(const HttpFuzz&) = delete;
    HttpFuzz& operator=(const HttpFuzz&) = delete;

    Router routes() {
        Router router;
        add_health_routes(router, *engine_, pool_, "memory");
        add_operation_routes(router, *engine_, pool_, waits_, access_);
        add_worker_round_route(router, *engine_, pool_);
        add_document_routes(router);
        const auto streams = std::make_shared<EventStreamPool>(*engine_, access_);
        add_event_stream_routes(router, streams);
        add_output_stream_route(router, streams, waits_);
        return router;
    }

    std::unique_ptr<Engine> engine_ = std::move(*Engine::open({.store = "memory:"}));
    std::shared_ptr<BlockingPool> pool_ = std::make_shared<BlockingPool>(2);
    std::shared_ptr<CompletionWaits> waits_ =
        std::make_shared<CompletionWaits>([this] { return engine_->subscribe_completion(); });
    std::shared_ptr<Access> access_ = *Access::open(*engine_, pool_, "sesame");
    std::array<std::atomic<int>, 6> served_{};  // requests by the first digit of their status
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpFuzz, WhateverArrivesIsAnsweredOrTheConnectionCloses) {
    const auto corpus = requests();
    fuzz([&](Random& random) {
        std::vector<std::string> sent;
        std::vector<std::unique_ptr<RawHttp>> clients;
        for (std::size_t i = 0; i < clients_at_once; ++i) {
            sent.push_back(hostile(corpus, random) + "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n");
            clients.push_back(std::make_unique<RawHttp>(server_->port()));
            clients.back()->give_up_after(silence);
            clients.back()->send(sent.back());
        }
        for (std::size_t i = 0; i < clients_at_once; ++i) {
            const std::string answer = clients[i]->read_all();
            EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.")) << sent[i] << answer;
        }
        EXPECT_THAT(http_get(server_->port(), "/livez"), StartsWith("HTTP/1.1 200"));
    });
    EXPECT_GT(served_[2], 0);
    EXPECT_GT(served_[4], 0);
}

}  // namespace
}  // namespace flowfabric::test
