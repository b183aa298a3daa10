#include <set>
#include <sstream>

#include "e2e/http_test.hpp"

// What leaves the store: attempts one by one, executions as lines of JSON, and ended ones for good. Over HTTP and by
// `ff`.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace json = boost::json;

// Of a body that came in chunks; empty if its end is missing.
std::string whole_of(const std::string& chunks) {
    std::string body;
    for (std::size_t at = 0;;) {
        const auto line = chunks.find("\r\n", at);
        if (line == std::string::npos) return "";
        const auto size = std::stoul(chunks.substr(at, line - at), nullptr, 16);
        if (size == 0) return body;
        body += chunks.substr(line + 2, size);
        at = line + 2 + size + 2;
    }
}

std::vector<json::object> lines_of(const std::string& text) {
    std::istringstream all(text);
    std::vector<json::object> lines;
    for (std::string line; std::getline(all, line);) lines.push_back(json::parse(line).as_object());
    return lines;
}

class HttpLeaving : public HttpApi {
  protected:
    std::vector<json::object> exported(const std::string& query) const {
        const auto answer = get("/v1/executions/export?" + query);
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.headers.at("content-type"), "application/x-ndjson");
        return lines_of(whole_of(answer.body));
    }
    void complete(const std::string& lane, const std::string& result) const {
        const auto answer = post("/v1/tasks/complete", R"({"lease":")" + claim(lane) + R"(","result":)" + result + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    HttpAnswer purge(const std::string& id) const { return http_call(port(), "DELETE", "/v1/executions/" + id); }
    Finished ff_on_server(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--server", "http://127.0.0.1:" + std::to_string(port())});
        return run_ff(std::move(arguments));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpLeaving, durable_stores(), name_of_param);

TEST_P(HttpLeaving, EachAttemptTellsItsFailureAndItsResult) {
    const std::string id = create("tries", R"(,"policy":{"retry_policy":{"max_retries":3}})");
    const auto failed =
        post("/v1/tasks/fail", R"({"lease":")" + claim("tries") + R"(","reason":"no route","category":"network"})");
    EXPECT_EQ(failed.status, 200) << failed.body;
    const std::string attempts = "/v1/executions/" + id + "/attempts/";
    const auto first = get(attempts + "0").json();
    EXPECT_EQ(first.at("outcome"), "ended_failure");
    EXPECT_EQ(first.at("failure_reason"), "no route");
    EXPECT_EQ(first.at("failure_category"), "network");
    EXPECT_EQ(get(attempts + "0/result").status, 409);
    EXPECT_THAT(get(attempts + "0/result").body, HasSubstr("ended_failure"));

    const auto none = get(attempts + "1");
    EXPECT_EQ(none.status, 404);
    EXPECT_EQ(none.json().at("kind"), "attempt_not_found");
    EXPECT_EQ(get(attempts + "1/result").json().at("kind"), "attempt_not_found");
    const auto wrong = get(attempts + "first");
    EXPECT_EQ(wrong.status, 400);
    EXPECT_EQ(wrong.json().at("details").at(0).at("field"), "attempt_index");

    await("the retry", [&] { return state(id) == "waiting"; });
    const std::string lease = claim("tries");
    EXPECT_EQ(get(attempts + "1/result").json().at("kind"), "execution_not_terminal");
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + R"(","result":{"sent":true}})").status, 200);
    const auto result = get(attempts + "1/result");
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.body, R"({"sent":true})");

    const auto shown = json::parse(ff_on_server({"attempts", id, "--index", "1", "--json"}).output);
    EXPECT_EQ(shown.at("outcome"), "ended_success");
    EXPECT_EQ(shown.at("result"), (json::object{{"sent", true}}));
    EXPECT_THAT(ff_on_server({"attempts", id, "--index", "1"}).output, HasSubstr(R"({"sent":true})"));
    expect_typed_error(ff_on_server({"attempts", id, "--index", "2", "--json"}), "attempt_not_found");

    EXPECT_EQ(post("/v1/executions/" + id + "/replay").status, 200);
    EXPECT_EQ(get(attempts + "1/result").status, 404);
    EXPECT_THAT(get(attempts + "1/result").body, HasSubstr("replayed"));
}

TEST_P(HttpLeaving, AnExportIsAllThatMatchesInLines) {
    std::set<std::string> ids;
    for (int i = 0; i < 25; ++i) ids.insert(create("export", R"(,"input":{"n":)" + std::to_string(i) + '}'));
    complete("export", R"("done")");
    create("other");

    const auto lines = exported("lane_id=export&limit=10&input=true&result=true");
    std::set<std::string> seen;
    std::vector<std::string> cursors;
    std::size_t results = 0;
    for (const json::object& line : lines) {
        if (const auto* cursor = line.if_contains("next_cursor")) {
            if (!cursor->is_null()) cursors.push_back(text(*cursor));
            continue;
        }
        EXPECT_TRUE(seen.insert(text(line.at("execution").at("execution_id"))).second);
        EXPECT_TRUE(line.at("input").at("input").as_object().contains("n"));
        const bool completed = line.at("execution").at("public_state") == "completed";
        EXPECT_EQ(line.at("attempts").as_array().size(), completed ? 1U : 0U);
        results += line.at("result").as_object().contains("result") ? 1U : 0U;
    }
    EXPECT_EQ(seen, ids);
    EXPECT_EQ(results, 1U);
    EXPECT_EQ(lines.back(), (json::object{{"next_cursor", nullptr}}));
    ASSERT_THAT(cursors, SizeIs(2));

    const auto rest = exported("lane_id=export&limit=10&cursor=" + cursors.back());
    EXPECT_THAT(rest, SizeIs(6)) << "five of 25, and the end";
    EXPECT_FALSE(rest.front().contains("input"));
    EXPECT_THAT(exported("lane_id=nobody"), SizeIs(1));

    const auto refused = get("/v1/executions/export?tag_value=x");
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, HasSubstr("tag"));
    EXPECT_EQ(get("/v1/executions/export?cursor=nonsense").status, 400);

    const auto by_ff = ff_on_server({"export", "--lane", "export"});
    EXPECT_EQ(by_ff.status, 0) << by_ff.errors;
    const auto printed = lines_of(by_ff.output);
    EXPECT_THAT(printed, SizeIs(26));
    EXPECT_EQ(printed.back(), (json::object{{"next_cursor", nullptr}}));
    EXPECT_EQ(lines_of(run({"export", "--lane", "export", "--after", cursors.back()}).output).size(), 6U);
}

TEST_P(HttpLeaving, AnExportHoldsNoMoreThanAPage) {
    const std::string input = R"(,"input":")" + std::string(900'000, 'x') + '"';
    for (int i = 0; i < 12; ++i) create("large", input);
    RawHttp slow(port());
    slow.send("GET /v1/executions/export?lane_id=large&input=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
    slow.read_until("\"execution\"");
    // It is read on when the client has taken what there is.
    EXPECT_EQ(state(create("next")), "waiting");
    slow.read_until(R"({"next_cursor":null})");
}

TEST_P(HttpLeaving, APurgeRemovesWhatHasEndedAndIsRecorded) {
    const std::string id = create("purge");
    const auto early = purge(id);
    EXPECT_EQ(early.status, 409);
    EXPECT_EQ(early.json().at("kind"), "execution_not_terminal");
    complete("purge", "1");
    const auto purged = purge(id);
    EXPECT_EQ(purged.status, 200) << purged.body;
    EXPECT_EQ(purged.json().at("public_state"), "completed");
    EXPECT_EQ(purge(id).status, 404);
    EXPECT_EQ(get("/v1/executions/" + id).status, 404);
    EXPECT_EQ(get("/v1/executions/" + id + "/result").status, 404);

    const auto flow =
        post("/v1/flows/submit", R"({"flow_kind":"f","nodes":[{"name":"a","execution":{"execution_kind":"k",)"
                                 R"("lane_id":"purge"}}],"edges":[]})");
    complete("purge", "1");
    const auto member = purge(text(flow.json().at("members").at(0)));
    EXPECT_EQ(member.status, 409);
    EXPECT_EQ(member.json().at("kind"), "execution_already_in_flow");

    const std::string other = create("purge");
    EXPECT_EQ(post("/v1/executions/" + other + "/cancel", R"({"reason":"r"})").status, 200);
    const auto by_ff = ff_on_server({"purge", other});
    EXPECT_EQ(by_ff.output, other + " is removed; it was cancelled\n") << by_ff.errors;
    expect_typed_error(ff_on_server({"purge", other, "--json"}), "execution_not_found");

    const auto engine = store().open_engine();
    const auto records = value_of(engine->subscribe(Channel::audit, {.cursor = cursor_at(0)}));
    std::size_t recorded = 0;
    for (int i = 0; i < 6; ++i) {
        const auto delivery = value_of(records->next(patience));
        ASSERT_TRUE(delivery);
        const auto& event = std::get<AuditEvent>(std::get<Event>(*delivery));
        if (event.action == "purge_execution" && event.subject == id && event.status == 200) ++recorded;
    }
    EXPECT_EQ(recorded, 1U);
}

TEST_P(HttpLeaving, ABulkPurgeRemovesAllThatMatches) {
    for (int i = 0; i < 20; ++i) {
        create("bulk");
        complete("bulk", "1");
    }
    const std::string waiting = create("bulk");
    const auto preview = json::parse(ff_on_server({"bulk", "purge", "--lane", "bulk", "--preview", "--json"}).output);
    EXPECT_EQ(preview.at("count"), 20);
    const auto done = ff_on_server({"bulk", "purge", "--lane", "bulk", "--wait", "--json"});
    ASSERT_EQ(done.status, 0) << done.errors;
    EXPECT_EQ(json::parse(done.output).at("done_count"), 20);
    EXPECT_THAT(exported("lane_id=bulk"), SizeIs(2)) << "the one that waits, and the end";
    EXPECT_EQ(state(waiting), "waiting");
    EXPECT_EQ(post("/v1/bulk", R"({"action":"purge","filter":{}})").status, 400);
}

}  // namespace
}  // namespace flowfabric::test
