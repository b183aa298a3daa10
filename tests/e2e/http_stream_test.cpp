#include <deque>
#include <filesystem>
#include <future>

#include "e2e/http_test.hpp"
#include "e2e/server_process.hpp"
#include "support/event_reader.hpp"

// What attempts put out, over HTTP (docs/streams.md).
namespace flowfabric::test {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string retried = R"(,"policy":{"retry_policy":{"max_retries":2,"backoff":{"type":"fixed","delay_ms":1}}})";

class HttpStreams : public HttpApi {
  protected:
    std::string stream(const std::string& id, int attempt = 0) const {
        return "/v1/executions/" + id + "/attempts/" + std::to_string(attempt) + "/stream";
    }
    std::string output(const std::string& id) const { return "/v1/executions/" + id + "/stream"; }
    // The task's next lease, when it comes.
    std::string claim_again(const std::string& lane) const {
        const auto answer =
            post("/v1/tasks/claim",
                 R"({"worker_id":"w","worker_instance_id":"w-1","wait_ms":20000,"lanes":[")" + lane + R"("]})");
        return text(answer.json().at("tasks").at(0).at("lease"));
    }
    void append(const std::string& lease, const std::string& line) const {
        const auto answer = post("/v1/tasks/frames", R"({"lease":")" + lease + R"(","text":")" + line + "\"}");
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    void complete(const std::string& lease) const {
        EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + "\"}").status, 200);
    }
    void fail(const std::string& lease) const {
        const auto answer = post("/v1/tasks/fail", R"({"lease":")" + lease + R"(","reason":"no","category":"x"})");
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    // "0 frame one" for a frame, "0 closed attempt_success" for the end of an attempt.
    static std::string told(const EventReader::Message& message) {
        if (message.name == "end") return "end";
        const std::string attempt = json::serialize(message.data.at("attempt_index"));
        const json::value& what =
            message.name == "frame" ? message.data.at("fields").at("payload") : message.data.at("closed_reason");
        return attempt + ' ' + message.name + ' ' + text(what);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpStreams, durable_stores(), name_of_param);

TEST_P(HttpStreams, AReadHasLimitsAndAnUnknownAttemptIsOpenAndEmpty) {
    const std::string id = create("streams");
    for (const std::string wrong : {"limit=0", "limit=1001", "from=-", "from=%2B", "from=5-", "to=a", "limit=x"}) {
        const auto refused = get(stream(id) + '?' + wrong);
        EXPECT_EQ(refused.status, 400) << wrong << ": " << refused.body;
        EXPECT_EQ(refused.json().at("kind"), "invalid_input") << wrong;
    }
    EXPECT_EQ(get("/v1/executions/" + id + "/attempts/x/stream").status, 400);
    const auto unknown = get(stream(id, 7));
    EXPECT_EQ(unknown.status, 200);
    EXPECT_EQ(unknown.json(), json::parse(R"({"frames":[],"count":0})"));
}

TEST_P(HttpStreams, FramesAreMapsOfTextsWhateverTheyAre) {
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    const auto put = [&](const std::string& fields) {
        const auto answer = post("/v1/tasks/frames", R"({"lease":")" + lease + "\"," + fields + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    };
    const auto first = put(R"("text":"half of it","frame_type":"log","correlation_id":"c-1")");
    EXPECT_EQ(first.at("frame_count"), 1);
    put(R"("payload":{"pages":3},"mode":"summary","kind":"stdout")");
    put(R"("payload_b64":"AP8=","kind":"blob")");
    EXPECT_EQ(post("/v1/tasks/frames", R"({"lease":")" + lease + R"(","text":7})").status, 422);

    const auto page = get(stream(id)).json();
    EXPECT_EQ(page.at("count"), 3);
    const auto& frames = page.at("frames").as_array();
    ASSERT_THAT(frames, SizeIs(3));
    EXPECT_EQ(frames[0].at("id"), first.at("stream_id"));
    json::object fields = frames[0].at("fields").as_object();
    EXPECT_FALSE(text(fields.at("ts")).empty());
    fields.erase("ts");
    EXPECT_EQ(fields, json::parse(R"({"correlation_id":"c-1","encoding":"utf8","frame_type":"log","mode":"durable",
        "payload":"half of it","source":"worker"})"));
    EXPECT_EQ(frames[1].at("fields").at("payload"), R"({"pages":3})");
    EXPECT_EQ(frames[1].at("fields").at("mode"), "summary");
    EXPECT_EQ(frames[1].at("fields").at("summary_version"), "1");
    EXPECT_EQ(frames[1].at("fields").at("frame_type"), "stdout");
    EXPECT_EQ(frames[2].at("fields").at("encoding"), "base64");
    EXPECT_EQ(frames[2].at("fields").at("payload"), "AP8=");

    const auto one = get(stream(id) + "?limit=1").json();
    ASSERT_THAT(one.at("frames").as_array(), SizeIs(1));
    const auto rest = get(stream(id) + "?from=" + text(one.at("next_cursor"))).json();
    ASSERT_THAT(rest.at("frames").as_array(), SizeIs(2));
    EXPECT_EQ(rest.at("frames").at(0), frames[1]);
    const auto last = get(stream(id) + "/tail?limit=10&after=" + text(frames[1].at("id"))).json();
    ASSERT_THAT(last.at("frames").as_array(), SizeIs(1));
    EXPECT_EQ(last.at("frames").at(0), frames[2]);

    const auto summary = get("/v1/executions/" + id + "/attempts/0/summary");
    EXPECT_EQ(summary.json().at("document"), json::parse(R"({"pages":3})"));
    EXPECT_EQ(summary.json().at("version"), 1);
    const auto none = get("/v1/executions/" + id + "/attempts/1/summary");
    EXPECT_EQ(none.status, 404);
    EXPECT_THAT(none.body, HasSubstr("stream summary not found"));
}

TEST_P(HttpStreams, ABatchOfFramesKeepsItsOrderAndABadOneFailsNoOther) {
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    std::string items;
    for (int i = 0; i < 300; ++i) {
        items += R"({"lease":")" + lease + R"(","text":")" + std::to_string(i) + "\"},";
        if (i == 100) items += R"({"lease":"nonsense","text":"x"},)";
    }
    items.pop_back();
    const auto answer = post("/v1/tasks/frames:batch", R"({"items":[)" + items + "]}").json();
    ASSERT_THAT(answer.at("items").as_array(), SizeIs(301));
    EXPECT_EQ(answer.at("items").at(101).at("problem").at("status"), 422);
    const auto page = get(stream(id) + "?limit=1000").json();
    ASSERT_EQ(page.at("count"), 300);
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(text(page.at("frames").at(i).at("fields").at("payload")), std::to_string(i));
    }
}

TEST_P(HttpStreams, AnExchangeTakesFramesInFrontOfWhatItReports) {
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    const auto round =
        post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1","done":[{"lease":")" + lease +
                                           R"(","outcome":"complete"}],"frames":[{"lease":")" + lease +
                                           R"(","text":"the last word"},{"lease":"nonsense","text":"x"},7]})")
            .json();
    EXPECT_EQ(round.at("frames").at(0).at("answer").at("frame_count"), 1);
    EXPECT_EQ(round.at("frames").at(1).at("problem").at("kind"), "invalid_input");
    EXPECT_EQ(round.at("frames").at(2).at("problem").at("kind"), "invalid_input");
    EXPECT_EQ(round.at("done").at(0).at("answer").at("public_state"), "completed");
    const auto page = get(stream(id)).json();
    EXPECT_EQ(page.at("frames").at(0).at("fields").at("payload"), "the last word");
    EXPECT_EQ(page.at("closed_reason"), "attempt_success");
    const auto late = post("/v1/tasks/frames", R"({"lease":")" + lease + R"(","text":"too late"})");
    EXPECT_EQ(late.status, 409) << late.body;
}

TEST_P(HttpStreams, ATailHasAFrameAsSoonAsThereIsOne) {
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    EXPECT_EQ(get(stream(id) + "/tail?block_ms=30001").status, 400);
    EXPECT_EQ(get(stream(id) + "/tail?after=start").status, 400);
    EXPECT_EQ(get(stream(id) + "/tail?limit=1001").status, 400);
    auto waiting = std::async(std::launch::async, [&] {
        const auto answer = get(stream(id) + "/tail?after=0-0&block_ms=20000&limit=100");
        return std::pair(answer, std::chrono::steady_clock::now());
    });
    std::this_thread::sleep_for(200ms);
    append(lease, "at last");
    const auto appended_at = std::chrono::steady_clock::now();
    const auto [answer, at] = waiting.get();
    EXPECT_EQ(answer.json().at("frames").at(0).at("fields").at("payload"), "at last");
    EXPECT_LT(at - appended_at, 5s) << "long before its time is over";
}

TEST_P(HttpStreams, ATailEndsEmptyWhenItsTimeIsOver) {
    const std::string id = create("streams");
    const auto answer = get(stream(id) + "/tail?block_ms=100");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json(), json::parse(R"({"frames":[],"count":0})"));
}

TEST_P(HttpStreams, ATailSaysThatAndWhyAStreamHasClosed) {
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    append(lease, "done");
    auto waiting = std::async(std::launch::async, [&] {
        std::string after = "0-0";
        for (;;) {
            auto page = get(stream(id) + "/tail?block_ms=20000&after=" + after).json();
            const auto& frames = page.at("frames").as_array();
            if (frames.empty()) return page;
            after = text(frames.back().at("id"));
        }
    });
    complete(lease);
    const auto page = waiting.get();
    EXPECT_EQ(page.at("closed_reason"), "attempt_success");
    EXPECT_GT(page.at("closed_at").to_number<std::int64_t>(), 0);
}

// ---- Server-Sent Events -----------------------------------------------------------------------------------------

TEST_P(HttpStreams, OutputIsFollowedFromAttemptToAttemptUntilTheExecutionEnds) {
    const std::string id = create("streams", retried);
    EventReader events(port(), output(id));
    EXPECT_THAT(events.head(), HasSubstr("text/event-stream"));
    std::string lease = claim("streams");
    append(lease, "one");
    EXPECT_EQ(told(*events.next()), "0 frame one");
    append(lease, "two");
    EXPECT_EQ(told(*events.next()), "0 frame two");
    fail(lease);
    EXPECT_EQ(told(*events.next()), "0 closed attempt_failure");
    lease = claim_again("streams");
    append(lease, "three");
    EXPECT_EQ(told(*events.next()), "1 frame three");
    complete(lease);
    EXPECT_EQ(told(*events.next()), "1 closed attempt_success");
    EXPECT_EQ(told(*events.next()), "end");
    EXPECT_FALSE(events.next());

    std::vector<std::string> all;
    EventReader again(port(), output(id) + "?from=start");
    while (const auto message = again.next()) all.push_back(told(*message));
    EXPECT_THAT(all, ElementsAre("0 frame one", "0 frame two", "0 closed attempt_failure", "1 frame three",
                                 "1 closed attempt_success", "end"));
    EventReader current(port(), output(id));
    EXPECT_EQ(told(*current.next()), "1 frame three");
    EventReader only(port(), output(id) + "?attempt=0");
    EXPECT_EQ(told(*only.next()), "0 frame one");
    EXPECT_EQ(told(*only.next()), "0 frame two");
    EXPECT_EQ(told(*only.next()), "0 closed attempt_failure");
    EXPECT_EQ(told(*only.next()), "end");
    const EventReader behind(port(), output(id), {{"Last-Event-ID", again.last_id()}});
    EXPECT_THAT(behind.head(), HasSubstr(" 204 "));
}

TEST_P(HttpStreams, AFollowerThatComesBackMissesNothingAndSeesNothingTwice) {
    const std::string id = create("streams", retried);
    std::vector<std::string> seen;
    std::string last;
    const auto follow = [&](std::size_t count) {
        std::vector<std::pair<std::string, std::string>> headers;
        if (!last.empty()) headers.emplace_back("Last-Event-ID", last);
        EventReader events(port(), output(id) + "?from=start", headers);
        for (std::size_t i = 0; i < count; ++i) {
            seen.push_back(told(*events.next()));
            last = events.last_id();
        }
    };
    std::string lease = claim("streams");
    for (const std::string line : {"a", "b", "c"}) append(lease, line);
    follow(2);
    fail(lease);
    follow(2);
    lease = claim_again("streams");
    append(lease, "d");
    follow(1);
    complete(lease);
    follow(1);
    EXPECT_THAT(seen, ElementsAre("0 frame a", "0 frame b", "0 frame c", "0 closed attempt_failure", "1 frame d",
                                  "1 closed attempt_success"));
}

TEST_P(HttpStreams, AnExecutionThatPutsNothingOutIsFollowedToItsEnd) {
    const std::string id = create("streams");
    EventReader events(port(), output(id));
    EXPECT_EQ(post("/v1/executions/" + id + "/cancel", R"({"reason":"not needed"})").status, 200);
    EXPECT_EQ(told(*events.next()), "end");
}

TEST_P(HttpStreams, WhatCannotBeFollowedIsRefused) {
    const std::string id = create("streams");
    for (const std::string wrong :
         {"from=now", "from=02", "from=020000000000000001", "attempt=-1", "attempt=x", "visibility=some"}) {
        EXPECT_EQ(get(output(id) + '?' + wrong).status, 400) << wrong;
    }
    EXPECT_EQ(get(output("{fp:7}:00000000-0000-7000-8000-000000000001")).status, 404);
    EXPECT_EQ(get(output("nonsense")).status, 400);
}

TEST_P(HttpStreams, ManyFollowersNeedFewThreads) {
    constexpr int count = 200;
    const std::string id = create("streams");
    const std::string lease = claim("streams");
    std::deque<EventReader> followers;
    for (int i = 0; i < count; ++i) followers.emplace_back(port(), output(id));
    const auto threads = [&] {
        const std::string tasks = "/proc/" + std::to_string(server().id()) + "/task";
        return std::distance(std::filesystem::directory_iterator(tasks), {});
    };
    EXPECT_LT(threads(), 60);
    append(lease, "to all");
    for (EventReader& events : followers) EXPECT_EQ(told(*events.next()), "0 frame to all");
    complete(lease);
    for (EventReader& events : followers) EXPECT_EQ(told(*events.next()), "0 closed attempt_success");
    EXPECT_EQ(get("/healthz").status, 200);
}

// ---- how many at once -------------------------------------------------------------------------------------------

class StreamLimit : public ServerProcess {};
INSTANTIATE_TEST_SUITE_P(Stores, StreamLimit, ::testing::Values(StoreKind::sqlite), name_of_param);

TEST_P(StreamLimit, MoreTailsThanTheServerIsToldAreRefused) {
    serve({"--max-concurrent-stream-ops", "2"});
    const auto created = post("/v1/executions", R"({"execution_kind":"test","lane_id":"streams"})").json();
    const std::string tail =
        "/v1/executions/" + text(created.at("Created").at("execution_id")) + "/attempts/0/stream/tail?block_ms=2000";
    std::vector<std::future<HttpAnswer>> tails;
    for (int i = 0; i < 5; ++i) tails.push_back(std::async(std::launch::async, [&] { return get(tail); }));
    int refused = 0;
    for (auto& each : tails) {
        const HttpAnswer answer = each.get();
        if (answer.status == 200) continue;
        ++refused;
        EXPECT_EQ(answer.status, 429);
        EXPECT_EQ(answer.json().at("kind"), "resource_exhausted");
        EXPECT_EQ(answer.json().at("retryable"), true);
    }
    EXPECT_EQ(refused, 3);
    EXPECT_EQ(get(tail + "&block_ms=0").status, 200);
    stop();
}

TEST_P(StreamLimit, ATailWhoseClientHasGoneCountsNoMore) {
    serve({"--max-concurrent-stream-ops", "1"});
    const auto created = post("/v1/executions", R"({"execution_kind":"test","lane_id":"streams"})").json();
    const std::string stream =
        "/v1/executions/" + text(created.at("Created").at("execution_id")) + "/attempts/0/stream";
    {
        const RawHttp leaving(port());
        leaving.send("GET " + stream + "/tail?block_ms=30000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await("the tail's turn", [&] { return get(stream).status == 429; });
    }
    await("room", [&] { return get(stream).status == 200; });
    stop();
}

}  // namespace
}  // namespace flowfabric::test
