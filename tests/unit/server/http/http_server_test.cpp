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
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t body_limit = 1'000'000;

// Every short path is served by the handler.
Router everything(const Handler& handler) {
    Router router;
    for (const char* method : {"GET", "POST"}) {
        for (const char* path : {"/", "/{a}", "/{a}/{b}", "/{a}/{b}/{c}"}) {
            router.add(method, path, handler, {.body_limit = body_limit, .changing_query = "consumer"});
        }
    }
    return router;
}

class Http : public ::testing::Test {
  protected:
    std::uint16_t serve(const Handler& handler, const HttpOptions& options = {}) {
        return serve({.router = everything(handler)}, options);
    }
    std::uint16_t serve(Service service, HttpOptions options = {}) {
        options.port = 0;
        auto started = HttpServer::start(options, std::move(service));
        EXPECT_TRUE(started);
        server_ = *std::move(started);
        return server_->port();
    }
    bool drain(std::chrono::milliseconds deadline) { return server_->drain(deadline); }
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

TEST_F(Http, AHeadOfAStreamIsAnsweredAndItsHandlerToldThatNobodyReads) {
    std::promise<void> told;
    std::optional<std::stop_callback<std::function<void()>>> on_gone;
    std::optional<BodyStream> body;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        if (request.method == "GET") return responder.respond({200, "the next"});
        body = responder.stream({200, "some of it", "text/plain"});
        on_gone.emplace(request.gone, [&] { told.set_value(); });
    });
    RawHttp client(port);
    client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + request("GET", "/"));
    EXPECT_THAT(client.read_until("the next"), AllOf(HasSubstr("Transfer-Encoding: chunked"), Not(HasSubstr("some"))));
    told.get_future().get();
}

TEST_F(Http, WithoutTokensPagesOfOtherOriginsChangeNothing) {
    HttpOptions options;
    options.cors = CorsRules{.origins = {"https://shop.example"}};
    const auto port =
        serve([](const Request&, const Responder& responder) { responder.respond({200, "done"}); }, options);
    const auto answer_to = [port](const std::string& line, const std::string& header) {
        RawHttp client(port);
        client.send(line + " HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n" + header +
                    "\r\nContent-Length: 0\r\n\r\n");
        return client.read_all();
    };
    for (const char* foreign : {"Origin: https://evil.example", "Origin: http://h:2", "Origin: null",
                                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"}) {
        for (const char* line : {"POST /", "GET /?consumer=billing", "HEAD /?consumer="}) {
            EXPECT_THAT(answer_to(line, foreign), StartsWith("HTTP/1.1 403")) << line << ' ' << foreign;
        }
        EXPECT_THAT(answer_to("POST /", foreign), HasSubstr("foreign_origin"));
        EXPECT_THAT(answer_to("GET /?other=billing", foreign), StartsWith("HTTP/1.1 200")) << foreign;
    }
    for (const char* own : {"Origin: http://h:1", "Origin: https://H:1", "Origin: https://shop.example",
                            "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"}) {
        EXPECT_THAT(answer_to("POST /", own), StartsWith("HTTP/1.1 200")) << own;
    }
}

TEST_F(Http, WhatCannotBeReadIsRefusedByName) {
    const auto port =
        serve([](const Request&, const Responder& responder) { responder.respond({}); }, {.max_header_bytes = 512});
    const auto answer_to = [port](const std::string& text) {
        RawHttp client(port);
        client.send(text);
        return client.read_all();
    };
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
    const auto port = serve({.router = router});

    EXPECT_THAT(http_get(port, "/v1/executions?limit=1"), EndsWith("list"));
    EXPECT_THAT(http_get(port, "/v1/executions/%7Bfp:1%7D:u"), EndsWith("get {fp:1}:u"));
    EXPECT_THAT(http_get(port, "/v1/executions/search"), EndsWith("\r\n\r\nsearch"));
    EXPECT_THAT(http_get(port, "/v1/executions/search/state"), EndsWith("state search"));
    EXPECT_THAT(http_get(port, "/v1/executions//state"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(http_get(port, "/v1"), StartsWith("HTTP/1.1 404"));
    RawHttp client(port);
    client.send(request("DELETE", "/v1/executions"));
    EXPECT_THAT(client.read_until("request_id"), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, POST")));
}

TEST_F(Http, ABodyBeyondTheLimitOfItsRouteIsRefusedBeforeItIsRead) {
    Router router;
    router.add("POST", "/v1/things/{id}/note",
               [](const Request&, const Responder& responder) { responder.respond({}); }, {.body_limit = 100});
    const auto port = serve({.router = router});
    const std::string refused =
        R"({"error":"payload_too_large","kind":"payload_too_large","limit_bytes":100,"route":"/v1/things/{id}/note",)"
        R"("request_id":"r-1"})";

    RawHttp client(port);
    client.send("POST /v1/things/7/note HTTP/1.1\r\nX-Request-Id: r-1\r\nContent-Length: 101\r\n\r\n");
    EXPECT_THAT(client.read_all(), AllOf(StartsWith("HTTP/1.1 413"), EndsWith(refused)));
    RawHttp chunked(port);
    chunked.send("POST /v1/things/7/note HTTP/1.1\r\nX-Request-Id: r-1\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                 std::string(101, 'x'));
    EXPECT_THAT(chunked.read_all(), AllOf(StartsWith("HTTP/1.1 413"), EndsWith(refused)));
    RawHttp exact(port);
    exact.send(request("POST", "/v1/things/7/note", std::string(100, 'x')));
    EXPECT_THAT(exact.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Http, ALargeBodyThatIsRefusedDoesNotCostTheClientItsAnswer) {
    const auto port = serve({.router = {}});
    RawHttp client(port);
    client.send(request("POST", "/nothing", std::string(4'000'000, 'x')));
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 404"));
}

TEST_F(Http, TheGateSeesTheHeadAndTheRouteBeforeTheBodyIsThere) {
    Router router = everything([](const Request&, const Responder& responder) { responder.respond({}); });
    std::vector<std::pair<std::string, bool>> seen;
    const Gate gate = [&](Request& head, const RouteInfo* route) -> std::optional<Response> {
        seen.emplace_back(head.route, route != nullptr && route->rules.body_limit == body_limit);
        if (head.headers.find("Authorization")) return std::nullopt;
        return Response{401, R"({"error":"who?"})"};
    };
    const auto port = serve({.router = std::move(router), .gate = gate});
    RawHttp client(port);
    client.send("POST /v1/things HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
    EXPECT_THAT(client.read_all(), AllOf(StartsWith("HTTP/1.1 401"), EndsWith(R"({"error":"who?"})")));
    EXPECT_THAT(http_get(port, "/a/b/c/d"), StartsWith("HTTP/1.1 401"));
    RawHttp known(port);
    known.send("GET /v1 HTTP/1.1\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(known.read_all(), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(seen,
                ::testing::ElementsAre(std::pair("/{a}/{b}", true), std::pair("", false), std::pair("/{a}", true)));
}

TEST_F(Http, AClientThatAsksFirstIsToldToContinue) {
    const auto port =
        serve([](const Request& request, const Responder& responder) { responder.respond({200, request.body}); });
    RawHttp client(port);
    client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
    client.send("hi");
    EXPECT_THAT(client.read_all(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("hi")));
}

TEST_F(Http, EachAnswerNamesItsRequest) {
    const auto port =
        serve([](const Request& request, const Responder& responder) { responder.respond({200, request.request_id}); });
    const auto answer_to = [port](const std::string& header) {
        RawHttp client(port);
        client.send("GET / HTTP/1.1\r\nConnection: close\r\n" + header + "\r\n");
        return client.read_all();
    };
    EXPECT_THAT(answer_to("x-request-id: order-7.a\r\n"),
                AllOf(HasSubstr("\r\nX-Request-Id: order-7.a\r\n"), EndsWith("\r\n\r\norder-7.a")));
    const auto made = answer_to("");
    EXPECT_THAT(made, HasSubstr("\r\nX-Request-Id: " + made.substr(made.rfind("\r\n") + 2) + "\r\n"));
    EXPECT_THAT(answer_to("X-Request-Id: two words\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer_to("X-Request-Id: " + std::string(129, 'x') + "\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(Http, AnAnswerThatIsAwaitedIsFilledUntilItComes) {
    std::promise<Responder> asked;
    const auto port = serve([&](const Request&, const Responder& responder) {
        responder.fill_silence(" ", std::chrono::milliseconds(1));
        asked.set_value(responder);
    });
    RawHttp client(port);
    client.send(request("GET", "/") + request("GET", "/"));
    EXPECT_THAT(client.read_until("1\r\n \r\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("application/json")));
    client.read_until("1\r\n \r\n");
    std::promise<Responder> next;
    const auto first = asked.get_future().get();
    asked = std::move(next);
    first.respond({409, "{}"});
    EXPECT_THAT(client.read_until("0\r\n\r\n"), EndsWith("2\r\n{}\r\n0\r\n\r\n"));
    asked.get_future().get().respond({200, "[]"});
    client.read_until("[]");
}

TEST_F(Http, AStreamIsFilledWhileItIsSilent) {
    std::promise<BodyStream> begun;
    const auto port = serve([&](const Request&, const Responder& responder) {
        responder.fill_silence(":\n\n", std::chrono::milliseconds(1));
        begun.set_value(responder.stream({200, "", "text/event-stream"}));
    });
    RawHttp client(port);
    client.send(request("GET", "/"));
    EXPECT_THAT(client.read_until("3\r\n:\n\n\r\n"), HasSubstr("text/event-stream"));
    BodyStream stream = begun.get_future().get();
    stream.write("event");
    stream.end();
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("5\r\nevent\r\n"));
}

TEST_F(Http, ADrainWaitsForWhatIsUnderWayAndRefusesTheRest) {
    std::promise<Responder> asked;
    Router router = everything([&](const Request&, const Responder& responder) { asked.set_value(responder); });
    router.add("GET", "/livez", [](const Request&, const Responder& responder) { responder.respond({}); },
               {.open = true});
    const auto port = serve({.router = std::move(router)});
    RawHttp idle(port);
    RawHttp client(port);
    client.send(request("GET", "/"));
    const auto responder = asked.get_future().get();
    EXPECT_FALSE(drain(std::chrono::milliseconds(1))) << "one request is under way";

    EXPECT_EQ(idle.read_all(), "") << "what only waits is closed";
    EXPECT_THAT(http_get(port, "/new"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After")));
    EXPECT_THAT(http_get(port, "/livez"), StartsWith("HTTP/1.1 200"));
    responder.respond({200, "done"});
    EXPECT_THAT(client.read_all(), EndsWith("done")) << "and the connection is closed";
    EXPECT_TRUE(drain(std::chrono::seconds(60)));
}

TEST_F(Http, WhatWaitsMayBeAnsweredEarlyWhenTheServerEnds) {
    std::promise<Responder> asked;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        responder.respond_at(request.ending, {200, "early"});
        asked.set_value(responder);
    });
    RawHttp client(port);
    client.send(request("GET", "/"));
    const auto responder = asked.get_future().get();
    EXPECT_TRUE(drain(std::chrono::seconds(60)));
    EXPECT_THAT(client.read_all(), EndsWith("early"));
    EXPECT_FALSE(responder.try_respond({200, "late"}));
}

std::string request_within(const std::string& timeout, const std::string& method = "GET") {
    return method + " / HTTP/1.1\r\nHost: localhost\r\nRequest-Timeout: " + timeout + "\r\n\r\n";
}

TEST_F(Http, WhatIsNotAnsweredInTheTimeThatItsClientGivesGets504) {
    std::promise<std::pair<Request, Responder>> asked;
    const auto port =
        serve([&](Request request, const Responder& responder) { asked.set_value({std::move(request), responder}); });
    RawHttp client(port);
    client.send(request_within("0.05"));
    const auto answer = client.read_until("}");
    EXPECT_THAT(answer,
                AllOf(StartsWith("HTTP/1.1 504"), HasSubstr(R"("kind":"timeout")"), HasSubstr(R"("retryable":false)")));
    const auto [request, responder] = asked.get_future().get();
    EXPECT_TRUE(request.deadline);
    std::promise<void> told;
    const std::stop_callback gone(request.gone, [&] { told.set_value(); });
    told.get_future().get();
    EXPECT_FALSE(responder.try_respond({200, "late"}));
}

TEST_F(Http, AfterSuchAnAnswerItsConnectionGoesOn) {
    std::optional<Responder> kept;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        if (request.deadline) {
            kept = responder;
        } else {
            responder.respond({200, "next"});
        }
    });
    RawHttp client(port);
    client.send(request_within("20ms") + request("GET", "/"));
    EXPECT_THAT(client.read_until("next"), AllOf(StartsWith("HTTP/1.1 504"), EndsWith("next")));
    kept.reset();
}

TEST_F(Http, AnAnswerThatIsThereInTimeIsSent) {
    const auto port = serve([](const Request&, const Responder& responder) { responder.respond({200, "in time"}); });
    RawHttp client(port);
    client.send(request_within("0.001"));
    // A millisecond may be over before the handler is asked: then nothing was done.
    EXPECT_THAT(client.read_until("}"), AnyOf(EndsWith("in time"), HasSubstr("nothing was done")));
    RawHttp other(port);
    other.send(request_within("60"));
    EXPECT_THAT(other.read_until("in time"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Http, AStreamIsToldToEndWhenItsTimeIsOver) {
    std::promise<void> ended;
    std::optional<BodyStream> stream;
    std::optional<std::stop_callback<std::function<void()>>> at_end;
    const auto port = serve([&](const Request& request, const Responder& responder) {
        stream.emplace(responder.stream({200, "", "text/event-stream"}));
        stream->write("event");
        at_end.emplace(request.gone, [&] {
            stream->end();
            ended.set_value();
        });
    });
    RawHttp client(port);
    client.send(request_within("0.05"));
    EXPECT_THAT(client.read_until("0\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("5\r\nevent\r\n")));
    ended.get_future().get();
    at_end.reset();
    stream.reset();
}

TEST_F(Http, ATimeThatIsNoneIsRefusedByName) {
    const auto port = serve([](const Request&, const Responder& responder) { responder.respond({200, "served"}); });
    for (const std::string wrong :
         {"", "0", "-1", "soon", "nan", "inf", "86401", "2d", "1e3", "0x10", "1 2", "0.0001"}) {
        RawHttp client(port);
        client.send(request_within(wrong));
        EXPECT_THAT(client.read_until("]"), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(R"("kind":"invalid_input")"),
                                                  HasSubstr(R"("field":"Request-Timeout")")))
            << wrong;
    }
    for (const std::string right : {"1", "86400", "0.5", "30s", "1500ms", "1d"}) {
        RawHttp client(port);
        client.send(request_within(right));
        EXPECT_THAT(client.read_until("served"), StartsWith("HTTP/1.1 200")) << right;
    }
}

TEST_F(Http, EveryRequestIsObserved) {
    std::promise<Served> first;
    std::promise<Served> second;
    Service service{.router =
                        everything([](const Request&, const Responder& responder) { responder.respond({201, "{}"}); })};
    service.observe = [&, count = 0](const Served& served) mutable {
        (count++ == 0 ? first : second).set_value(served);
    };
    const auto port = serve(std::move(service));
    RawHttp client(port);
    client.send("GET /v1/a%20b?x=1 HTTP/1.1\r\nX-Request-Id: r-1\r\ntraceparent: 00-a-b-01\r\n\r\nnonsense\r\n\r\n");
    client.read_all();
    const Served served = first.get_future().get();
    EXPECT_EQ(served.method, "GET");
    EXPECT_EQ(served.path, "/v1/a%20b");
    EXPECT_EQ(served.route, "/{a}/{b}");
    EXPECT_EQ(served.request_id, "r-1");
    EXPECT_EQ(served.traceparent, "00-a-b-01");
    EXPECT_EQ(served.status, 201U);
    EXPECT_EQ(served.bytes, 2U);
    const Served unreadable = second.get_future().get();
    EXPECT_EQ(unreadable.method, "");
    EXPECT_EQ(unreadable.status, 400U);
}

}  // namespace
}  // namespace flowfabric::server
