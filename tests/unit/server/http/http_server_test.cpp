#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "server/http/http_server.hpp"
#include "server/http/router.hpp"
#include "support/raw_http.hpp"

namespace flowfabric::server {
namespace {

using test::http_get;
using test::RawHttp;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Http : public ::testing::Test {
  protected:
    std::uint16_t serve(Handler handler, HttpOptions options = {}) {
        options.port = 0;
        auto started = HttpServer::start(options, std::move(handler));
        EXPECT_TRUE(started);
        server_ = *std::move(started);
        return server_->port();
    }
    void stop() { server_.reset(); }

  private:
    std::unique_ptr<HttpServer> server_;
};

std::string request(const std::string& method, const std::string& path, const std::string& body = "") {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

TEST_F(Http, AHandlerSeesTheWholeRequest) {
    std::promise<Request> seen;
    const auto port = serve([&](Request request, const Responder& responder) {
        seen.set_value(std::move(request));
        responder.respond({201, "{}", "application/json", {{"X-Extra", "1"}}});
    });
    RawHttp client(port);
    client.send(
        "POST /v1/a%20b/%7Bfp:7%7D:x?limit=5&name=%C3%A4&limit=6 HTTP/1.1\r\nHost: h\r\nx-token: T\r\n"
        "Content-Length: 2\r\n\r\nhi");
    EXPECT_THAT(client.read_until("{}"), AllOf(StartsWith("HTTP/1.1 201"), HasSubstr("X-Extra: 1")));
    const Request request = seen.get_future().get();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, (std::vector<std::string>{"v1", "a b", "{fp:7}:x"}));
    EXPECT_EQ(request.query_value("limit"), "5");
    EXPECT_EQ(request.query_value("name"), "ä");
    EXPECT_EQ(request.query_value("none"), std::nullopt);
    EXPECT_EQ(request.headers.find("X-TOKEN"), "T");
    EXPECT_EQ(request.body, "hi");
}

TEST_F(Http, BracesInAPathNeedNotBeEncoded) {
    const auto port = serve(
        [](const Request& request, const Responder& responder) { responder.respond({200, request.path.back()}); });
    EXPECT_THAT(http_get(port, "/v1/executions/{fp:7}:x"), EndsWith("\r\n\r\n{fp:7}:x"));
}

TEST_F(Http, AnAnswerMayComeLaterFromAnotherThread) {
    std::thread answering;
    const auto port = serve([&](const Request&, const Responder& responder) {
        answering = std::thread([responder] { responder.respond({200, "later"}); });
    });
    EXPECT_THAT(http_get(port, "/"), EndsWith("later"));
    answering.join();
}

TEST_F(Http, OneThatWaitsHoldsUpNoOther) {
    std::optional<Responder> first;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        if (request.path.front() == "slow") {
            first = responder;
        } else {
            responder.respond({200, "quick"});
        }
    });
    RawHttp slow(port);
    slow.send(request("GET", "/slow"));
    EXPECT_THAT(http_get(port, "/quick"), EndsWith("quick"));
    first->respond({200, "slow"});
    EXPECT_THAT(slow.read_until("slow"), EndsWith("slow"));
    first.reset();
}

TEST_F(Http, RequestsOfOneConnectionAreAnsweredInTheirOrder) {
    std::vector<std::pair<std::string, Responder>> open;
    std::promise<void> first_seen;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        if (request.path.front() == "1") {
            open.emplace_back("1", responder);
            first_seen.set_value();
        } else {
            responder.respond({200, "answer " + request.path.front()});
        }
    });
    RawHttp client(port);
    client.send(request("GET", "/1") + request("GET", "/2"));
    first_seen.get_future().get();
    open.front().second.respond({200, "answer 1"});
    EXPECT_THAT(client.read_until("answer 2"), HasSubstr("answer 1"));
    open.clear();
}

TEST_F(Http, ABodyMayComeInParts) {
    const auto port = serve([](const Request&, const Responder& responder) {
        BodyStream body = responder.stream({200, "one ", "text/plain"});
        body.write("two ");
        body.write("");
        body.write("three");
        body.end();
    });
    RawHttp client(port);
    client.send(request("GET", "/") + request("GET", "/"));
    const std::string chunks = "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n";
    EXPECT_THAT(client.read_until(chunks),
                AllOf(HasSubstr("Transfer-Encoding: chunked"), HasSubstr("text/plain"), EndsWith(chunks)));
    EXPECT_THAT(client.read_until(chunks), EndsWith(chunks)) << "the connection goes on";
}

TEST_F(Http, WithoutChunksTheEndOfTheConnectionEndsTheBody) {
    const auto port = serve([](const Request&, const Responder& responder) {
        BodyStream body = responder.stream({200, "one ", "text/plain"});
        body.write("two");
    });
    RawHttp client(port);
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(client.read_all(), EndsWith("\r\n\r\none two"));
}

TEST_F(Http, AStreamTellsWhenItIsDrained) {
    std::promise<void> drained;
    const auto port = serve([&](const Request&, const Responder& responder) {
        BodyStream body = responder.stream({200, "", "text/plain"});
        EXPECT_EQ(body.write(std::string(1000, 'x')), 1000U);
        body.when_drained([&drained, body]() mutable {
            body.end();
            drained.set_value();
        });
    });
    RawHttp client(port);
    client.send(request("GET", "/"));
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("xxx"));
    drained.get_future().get();
}

TEST_F(Http, ARequestThatNobodyAnswersIsAnsweredWith500) {
    const auto port = serve([](const Request& request, const Responder&) {
        if (request.path.front() == "throw") throw std::runtime_error("broken");
    });
    EXPECT_THAT(http_get(port, "/forgotten"), StartsWith("HTTP/1.1 500"));
    EXPECT_THAT(http_get(port, "/throw"), StartsWith("HTTP/1.1 500"));
}

TEST_F(Http, OnlyTheFirstAnswerCounts) {
    const auto port = serve([](const Request&, const Responder& responder) {
        responder.respond({200, "first"});
        responder.respond({200, "second"});
    });
    EXPECT_THAT(http_get(port, "/"), EndsWith("first"));
}

TEST_F(Http, AHandlerIsToldWhenItsClientGoesAway) {
    std::promise<std::pair<std::stop_token, Responder>> waiting;
    const auto port = serve(
        [&](const Request& request, const Responder& responder) { waiting.set_value({request.gone, responder}); });
    std::optional<RawHttp> client(std::in_place, port);
    client->send(request("GET", "/"));
    const auto [gone, responder] = waiting.get_future().get();
    EXPECT_FALSE(gone.stop_requested());
    std::promise<void> told;
    const std::stop_callback on_gone(gone, [&] { told.set_value(); });
    client.reset();
    told.get_future().get();
    responder.respond({200, "nobody hears it"});
}

TEST_F(Http, AServerStopsAlthoughAnswersAreOwed) {
    std::optional<Responder> owed;
    std::promise<void> asked;
    std::stop_token gone;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        owed = responder;
        gone = request.gone;
        asked.set_value();
    });
    RawHttp client(port);
    client.send(request("GET", "/"));
    asked.get_future().get();
    stop();
    EXPECT_TRUE(gone.stop_requested());
    owed->respond({200, "too late"});
    EXPECT_EQ(client.read_all(), "");
}

TEST_F(Http, AHeadHasTheHeadersOfItsGetAndNoBody) {
    const auto port = serve([](const Request&, const Responder& responder) { responder.respond({200, "12345"}); });
    RawHttp client(port);
    client.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read_all(), AllOf(HasSubstr("Content-Length: 5"), EndsWith("\r\n\r\n")));
}

TEST_F(Http, WhatCannotBeReadIsRefusedByName) {
    const auto port = serve([](const Request&, const Responder& responder) { responder.respond({}); },
                            {.max_header_bytes = 512, .max_body_bytes = 16});
    const auto answer_to = [port](const std::string& text) {
        RawHttp client(port);
        client.send(text);
        return client.read_all();
    };
    EXPECT_THAT(answer_to(request("POST", "/", std::string(17, 'x'))), StartsWith("HTTP/1.1 413"));
    EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nX: " + std::string(600, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 431"));
    EXPECT_THAT(answer_to("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("GET relative HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("GET /%zz HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(Http, BeyondItsConnectionsTheOneThatWaitedLongestGivesWay) {
    const auto port = serve([](const Request&, const Responder& responder) { responder.respond({200, "ok"}); },
                            {.max_connections = 2});
    RawHttp oldest(port);
    oldest.send(request("GET", "/"));
    oldest.read_until("ok");
    RawHttp second(port);
    second.send(request("GET", "/"));
    second.read_until("ok");
    EXPECT_THAT(http_get(port, "/"), EndsWith("ok"));
    EXPECT_EQ(oldest.read_all(), "");
    second.send(request("GET", "/"));
    EXPECT_THAT(second.read_until("ok"), EndsWith("ok"));
}

TEST_F(Http, ARouteIsFoundByPathAndMethod) {
    Router router;
    const auto names = [](const std::string& name) {
        return [name](const Request& request, const Responder& responder) {
            const auto place = request.places.find("id");
            responder.respond({200, name + (place == request.places.end() ? "" : " " + place->second)});
        };
    };
    router.add("GET", "/v1/executions", names("list"));
    router.add("POST", "/v1/executions", names("create"));
    router.add("GET", "/v1/executions/{id}", names("get"));
    router.add("GET", "/v1/executions/search", names("search"));
    router.add("GET", "/v1/executions/{id}/state", names("state"));
    const auto port = serve(router);

    EXPECT_THAT(http_get(port, "/v1/executions?limit=1"), EndsWith("list"));
    EXPECT_THAT(http_get(port, "/v1/executions/%7Bfp:1%7D:u"), EndsWith("get {fp:1}:u"));
    EXPECT_THAT(http_get(port, "/v1/executions/search"), EndsWith("\r\n\r\nsearch"));
    EXPECT_THAT(http_get(port, "/v1/executions/search/state"), EndsWith("state search"));
    EXPECT_THAT(http_get(port, "/v1/executions//state"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(http_get(port, "/v1"), StartsWith("HTTP/1.1 404"));
    RawHttp client(port);
    client.send(request("DELETE", "/v1/executions"));
    EXPECT_THAT(client.read_until("not_allowed\"}"), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, POST")));
}

}  // namespace
}  // namespace flowfabric::server
