#include <deque>

#include "e2e/http_test.hpp"
#include "support/event_reader.hpp"

// Server-Sent Events of `ff server`.
namespace flowfabric::test {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EventStreams : public HttpApi {
  protected:
    EventReader read(const std::string& target,
                     const std::vector<std::pair<std::string, std::string>>& headers = {}) const {
        return EventReader(port(), target, headers);
    }
    std::string end_one(const std::string& more = "") const {
        const std::string id = create("events", more);
        EXPECT_EQ(post("/v1/executions/" + id + "/cancel", R"({"reason":"done with"})").status, 200);
        return id;
    }
    static std::string subject(const EventReader::Message& message) { return text(message.data.at("execution_id")); }
    std::string acknowledged_position(const std::string& consumer) const {
        const auto listed = get("/v1/consumers").json();
        for (const auto& one : listed.at("consumers").as_array()) {
            if (one.at("consumer") == json::value(consumer)) return text(one.at("cursor"));
        }
        return "";
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, EventStreams, durable_stores(), name_of_param);

TEST_P(EventStreams, AChannelIsFollowedFromItsStartAndOn) {
    const std::string first = end_one();
    auto events = read("/v1/events?channel=completion&from=start");
    EXPECT_THAT(events.head(), HasSubstr(" 200 OK"));
    EXPECT_THAT(events.head(), HasSubstr("text/event-stream"));
    const auto message = events.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->name, "completion");
    EXPECT_EQ(message->data.at("outcome"), "cancelled");
    EXPECT_EQ(subject(*message), first);
    const std::string second = end_one();
    EXPECT_EQ(subject(*events.next()), second);
}

TEST_P(EventStreams, AClientThatComesBackMissesNothingAndSeesNothingTwice) {
    std::vector<std::string> ids;
    std::vector<std::string> seen;
    std::string last;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 5; ++i) ids.push_back(end_one());
        std::vector<std::pair<std::string, std::string>> headers;
        if (!last.empty()) headers.emplace_back("Last-Event-ID", last);
        auto events = read("/v1/events?channel=completion&from=start", headers);
        for (int i = 0; i < 5; ++i) {
            seen.push_back(subject(*events.next()));
            last = events.last_id();
        }
    }
    EXPECT_EQ(seen, ids);
}

TEST_P(EventStreams, FiltersAdmitWhatTheyName) {
    auto of_shop = read("/v1/events?channel=completion&namespace=shop");
    auto on_nine = read("/v1/events?channel=completion&partition=9");
    end_one();
    const std::string shop = end_one(R"(,"namespace":"shop")");
    const std::string nine = end_one(R"(,"execution_id":"{fp:9}:0190a1b2-0000-7000-8000-000000000009")");
    EXPECT_EQ(subject(*of_shop.next()), shop);
    EXPECT_EQ(subject(*on_nine.next()), nine);
}

TEST_P(EventStreams, WhatCannotBeFollowedIsRefusedBeforeTheStreamOpens) {
    for (const auto& [target, status, named] : std::vector<std::tuple<std::string, int, std::string>>{
             {"/v1/events", 400, "channel"},
             {"/v1/events?channel=weather", 400, "channel"},
             {"/v1/events?channel=lease&from=yesterday", 400, "from"},
             {"/v1/events?channel=lease&from=0212", 400, "cursor"},
             {"/v1/events?channel=lease&partition=many", 400, "partition"},
             {"/v1/events?channel=lease&partition=256", 400, "partition"},
             {"/v1/executions/{fp:9}:0190a1b2-0000-7000-8000-000000000009/events", 404, "not found"},
             {"/v1/executions/nonsense/events", 400, "execution"}}) {
        const auto answer = get(target);
        EXPECT_EQ(answer.status, status) << target << '\n' << answer.body;
        EXPECT_THAT(answer.body, HasSubstr(named)) << target;
    }
    const auto answer = http_call(port(), "GET", "/v1/events?channel=lease", "", {{"Last-Event-ID", "zz"}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("Last-Event-ID"));
}

TEST_P(EventStreams, OneExecutionIsFollowedToItsEnd) {
    const std::string id = create("one");
    auto live = read("/v1/executions/" + id + "/events");
    const std::string lease = claim("one");
    end_one();
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + "\"}").status, 200);
    std::vector<std::string> cursors;
    const auto names = [&](EventReader& events) {
        std::vector<std::string> all;
        while (const auto message = events.next()) {
            all.push_back(message->name);
            cursors.push_back(message->id);
        }
        return all;
    };
    EXPECT_THAT(names(live), ElementsAre("lease", "lease", "completion", "end"));
    cursors.clear();
    auto past = read("/v1/executions/" + id + "/events?from=start");
    EXPECT_THAT(names(past), ElementsAre("lease", "lease", "completion", "end"));
    auto resumed = read("/v1/executions/" + id + "/events", {{"Last-Event-ID", cursors.at(1)}});
    EXPECT_THAT(names(resumed), ElementsAre("completion", "end"));
    EXPECT_EQ(
        http_call(port(), "GET", "/v1/executions/" + id + "/events", "", {{"Last-Event-ID", cursors.at(2)}}).status,
        204)
        << "a browser does not come back";
}

TEST_P(EventStreams, AConsumerKnownByNameGoesOnWhereItWas) {
    const std::string target = "/v1/events?channel=completion&consumer=billing&from=start";
    const std::string first = end_one();
    {
        auto events = read(target);
        EXPECT_EQ(subject(*events.next()), first);
        await("the acknowledgement", [&] { return acknowledged_position("billing") == events.last_id(); });
    }
    const std::string second = end_one();
    auto events = read(target);
    EXPECT_EQ(subject(*events.next()), second);
    EXPECT_EQ(send("DELETE", "/v1/consumers/completion/billing", "").status, 200);
    end_one();
    while (const auto message = events.next()) {
        if (message->name == "problem") return;
    }
    FAIL() << "a consumer that was removed must notice";
}

TEST_P(EventStreams, AThousandOfThemAreServedAtOnce) {
    constexpr int count = 1'000;
    std::deque<EventReader> streams;
    for (int i = 0; i < count; ++i) streams.emplace_back(port(), "/v1/events?channel=completion");
    const std::string id = end_one();
    for (EventReader& events : streams) EXPECT_EQ(subject(*events.next()), id);
    EXPECT_EQ(get("/healthz").status, 200);
}

TEST_P(EventStreams, AClientThatDoesNotReadHoldsUpNoOther) {
    RawHttp lazy(port());
    lazy.send("GET /v1/events?channel=completion HTTP/1.1\r\nHost: localhost\r\n\r\n");
    lazy.read_until("id: ");
    auto eager = read("/v1/events?channel=completion");
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(end_one());
    for (const std::string& id : ids) EXPECT_EQ(subject(*eager.next()), id);
    EXPECT_EQ(get("/healthz").status, 200);
}

TEST_P(EventStreams, AStoppingServerEndsThem) {
    Process another(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    const std::string url = text(json::parse(another.await_line("url")).at("url"));
    EventReader events(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))),
                       "/v1/events?channel=completion");
    another.signal(SIGTERM);
    EXPECT_FALSE(events.next());
    EXPECT_EQ(another.wait(), 0);
}

}  // namespace
}  // namespace flowfabric::test
