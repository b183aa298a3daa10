#include <future>

#include "e2e/http_test.hpp"

// What published clients and curl rely on (the assertions of the HTTP spec), against the real process.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
namespace json = boost::json;

INSTANTIATE_TEST_SUITE_P(Stores, HttpApi, durable_stores(), name_of_param);

constexpr auto one_id = "{fp:7}:0190a1b2-0000-7000-8000-000000000001";
constexpr auto other_id = "{fp:7}:0190a1b2-0000-7000-8000-000000000002";

std::string body_with_id(const std::string& id, const std::string& more = "") {
    return R"({"execution_id":")" + id +
           R"(","namespace":"n","lane_id":"main","execution_kind":"k","input_payload":[],"payload_encoding":"json",)"
           R"("priority":0,"creator_identity":"c","tags":{},"partition_id":0,"now":1)" +
           more + '}';
}

TEST_P(HttpApi, AnExecutionIsCreatedOnce) {
    const auto created = post("/v1/executions", body_with_id(one_id, R"(,"policy":null,"policy_json":"{}")"));
    EXPECT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.body,
              R"({"Created":{"execution_id":"{fp:7}:0190a1b2-0000-7000-8000-000000000001","public_state":"waiting"}})");
    EXPECT_EQ(get(std::string("/v1/executions/") + one_id + "/state").body, R"("waiting")");
    EXPECT_EQ(get("/v1/executions/%7Bfp:7%7D:0190a1b2-0000-7000-8000-000000000001/state").body, R"("waiting")");

    const auto again = post("/v1/executions", body_with_id(one_id));
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, R"({"Duplicate":{"execution_id":"{fp:7}:0190a1b2-0000-7000-8000-000000000001"}})");

    const auto keyed = create("keyed", R"(,"idempotency_key":"k")");
    const auto repeat = post("/v1/executions", R"({"execution_kind":"test","lane_id":"keyed","idempotency_key":"k"})");
    EXPECT_EQ(repeat.status, 200);
    EXPECT_EQ(text(repeat.json().at("Duplicate").at("execution_id")), keyed);
    const auto by_header = http_call(port(), "POST", "/v1/executions", R"({"execution_kind":"test","lane_id":"keyed"})",
                                     {{"Content-Type", "application/json"}, {"Idempotency-Key", "k"}});
    EXPECT_EQ(text(by_header.json().at("Duplicate").at("execution_id")), keyed);
}

TEST_P(HttpApi, BadRequestsAreRefusedByNameAndChangeNothing) {
    struct Case {
        std::string body;
        int status;
        std::string named;
    };
    for (
        const auto& [body, status, named] : std::vector<Case>{
            {R"({"lane_id":)", 400, "JSON"},
            {"[]", 422, "object"},
            {R"({"lane_id":"x"})", 422, "execution_kind"},
            {R"({"execution_kind":"k","priority":"high"})", 422, "priority"},
            {R"({"execution_kind":"k","input":1,"input_b64":"AA=="})", 422, "input"},
            {body_with_id("{fp:256}:0190a1b2-0000-7000-8000-000000000001"), 400, "execution_id"},
            {R"({"execution_id":"{fp:7}:0190a1b2-0000-7000-8000-000000000001","execution_kind":"k","partition_id":9})",
             400, "partition_id"},
            {R"({"execution_kind":"k","lane_id":"a lane of more than sixty-four bytes, which is the most that a lane has"})",
             422, "lane_id"}}) {
        const auto answer = post("/v1/executions", body);
        EXPECT_EQ(answer.status, status) << body << '\n' << answer.body;
        EXPECT_THAT(text(answer.json().at("error")), HasSubstr(named)) << body;
        EXPECT_FALSE(answer.json().as_object().contains("retryable")) << body;
    }
    EXPECT_EQ(http_call(port(), "POST", "/v1/executions", "{}", {{"Content-Type", "text/plain"}}).status, 415);
    EXPECT_EQ(get("/v1/executions/0190a1b2-0000-7000-8000-000000000001").status, 400) << "a bare UUID has no partition";
    EXPECT_EQ(get("/v1/executions/{fp:256}:0190a1b2-0000-7000-8000-000000000001").status, 400);
    EXPECT_EQ(get("/v1/executions?limit=many").status, 400);
    EXPECT_THAT(get(std::string("/v1/executions/") + one_id).body, HasSubstr("not found"));
    for (const std::string read : {"", "/state"}) {
        const auto absent = get(std::string("/v1/executions/") + one_id + read);
        EXPECT_EQ(absent.status, 404);
        EXPECT_EQ(text(absent.json().at("error")), std::string("execution not found: ") + one_id) << read;
    }
    EXPECT_EQ(get("/v1/executions?partition=7").body, R"({"executions":[],"next_cursor":null})");
}

TEST_P(HttpApi, TheInfoOfAnExecutionHasTheTypesThatClientsRead) {
    const std::string id = create("info");
    const auto before = get("/v1/executions/" + id).json();
    EXPECT_TRUE(before.at("created_at").is_string());
    EXPECT_FALSE(before.as_object().contains("started_at"));
    EXPECT_FALSE(before.as_object().contains("completed_at"));
    EXPECT_TRUE(before.at("flow_id").is_null());
    EXPECT_EQ(before.at("blocking_detail"), "");
    EXPECT_EQ(before.at("current_attempt_index"), 0);
    EXPECT_EQ(before.at("state_vector").as_object().size(), 7U);

    const std::string lease = claim("info");
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + R"(","result":{"n":1.5}})").status, 200);
    const auto after = get("/v1/executions/" + id).json();
    EXPECT_TRUE(after.at("started_at").is_string());
    EXPECT_TRUE(after.at("completed_at").is_string());
    EXPECT_EQ(after.at("public_state"), "completed");
    EXPECT_EQ(get("/v1/executions/" + id + "/attempts").json().at("attempts").as_array().size(), 1U);
}

TEST_P(HttpApi, PagesVisitEachIdOnceInOrder) {
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.push_back("{fp:9}:0190a1b2-0000-7000-8000-00000000001" + std::to_string(i));
        EXPECT_EQ(post("/v1/executions", body_with_id(ids.back())).status, 201);
    }
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const auto page = get("/v1/executions?partition=9&limit=2&cursor=" + cursor).json();
        for (const auto& id : page.at("executions").as_array()) seen.push_back(text(id));
        cursor = page.at("next_cursor").is_null() ? "" : text(page.at("next_cursor"));
    } while (!cursor.empty());
    EXPECT_EQ(seen, ids);
    EXPECT_EQ(get("/v1/executions?partition=9&limit=5000").json().at("executions").as_array().size(), 5U);
    EXPECT_EQ(get("/v1/executions?partition=9&limit=0").body, R"({"executions":[],"next_cursor":null})");
}

TEST_P(HttpApi, AListHasAThousandIdsAtMost) {
    json::array items;
    for (int i = 0; i < 1'001; ++i) items.push_back({{"execution_kind", "k"}, {"lane_id", "crowded"}});
    const auto created = post("/v1/executions:batch", json::serialize(json::object{{"items", items}})).json();
    const auto first = text(created.at("items").at(0).at("answer").at("Created").at("execution_id"));
    const std::string list =
        "/v1/executions?limit=5000&partition=" + std::to_string(ExecutionId::parse(first)->partition);
    const auto page = get(list).json();
    EXPECT_EQ(page.at("executions").as_array().size(), 1'000U);
    const auto rest = get(list + "&cursor=" + text(page.at("next_cursor"))).json();
    EXPECT_EQ(rest.at("executions").as_array().size(), 1U);
    EXPECT_TRUE(rest.at("next_cursor").is_null());
}

TEST_P(HttpApi, OperatorsCancelReplayAndReprioritise) {
    const std::string waiting = create("ops", R"(,"priority":5)");
    const std::string path = "/v1/executions/" + waiting;
    EXPECT_EQ(put(path + "/priority", R"({"new_priority":99999})").body,
              R"({"Changed":{"execution_id":")" + waiting + "\"}}");
    EXPECT_EQ(get(path).json().at("priority"), 9000);
    EXPECT_EQ(post(path + "/revoke-lease").body, R"({"AlreadySatisfied":{"reason":"no_active_lease"}})");
    EXPECT_EQ(post(path + "/replay").json().at("kind"), "execution_not_terminal");

    const std::string cancel = R"({"execution_id":")" + waiting + R"(","reason":"r","now":1})";
    EXPECT_EQ(post("/v1/executions/" + std::string(other_id) + "/cancel", cancel).status, 400)
        << "another id in the path";
    const std::string cancelled = R"({"Cancelled":{"execution_id":")" + waiting + R"(","public_state":"cancelled"}})";
    EXPECT_EQ(post(path + "/cancel", cancel).body, cancelled);
    EXPECT_EQ(post(path + "/cancel", cancel).body, cancelled);
    EXPECT_EQ(put(path + "/priority", R"({"new_priority":1})").json().at("kind"), "contention");
    EXPECT_EQ(post(path + "/replay").body, R"({"Replayed":{"public_state":"waiting"}})");

    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + claim("ops") + "\"}").status, 200);
    const auto late = post(path + "/cancel", cancel);
    EXPECT_EQ(late.status, 409);
    EXPECT_EQ(late.json().at("kind"), "execution_not_active");
    EXPECT_EQ(late.json().at("retryable"), false);
}

TEST_P(HttpApi, AnApprovalOverHttpAlone) {
    const std::string id = create("review");
    const std::string lease = claim("review");
    const auto suspended =
        post("/v1/tasks/suspend",
             R"({"lease":")" + lease +
                 R"(","waitpoints":[{"Fresh":{"waitpoint_key":"ok"}}],)"
                 R"("resume_condition":{"Single":{"waitpoint_key":"ok","matcher":{"ByName":"approved"}}}})");
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    EXPECT_EQ(state(id), "suspended");

    const auto waitpoints = get("/v1/executions/" + id + "/pending-waitpoints");
    const auto waitpoint = waitpoints.json().as_array().at(0);
    EXPECT_THAT(waitpoints.body, ::testing::Not(HasSubstr("waitpoint_token")));
    EXPECT_EQ(waitpoint.at("token_fingerprint").as_string().size(), 16U);
    EXPECT_TRUE(waitpoint.at("created_at").is_int64());
    const std::string waitpoint_id = text(waitpoint.at("waitpoint_id"));

    const std::string token_path = "/v1/executions/" + id + "/waitpoints/" + waitpoint_id + "/token";
    const auto token = get(token_path);
    EXPECT_EQ(token.headers.at("cache-control"), "no-store");
    const auto unknown = get("/v1/executions/" + id + "/waitpoints/0190a1b2-0000-7000-8000-00000000000f/token");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(unknown.headers.at("cache-control"), "no-store");

    const auto signal = [&](const std::string& with_token, const std::string& waitpoint_of) {
        return post(
            "/v1/executions/" + id + "/signal",
            R"({"execution_id":")" + id + R"(","waitpoint_id":")" + waitpoint_of +
                R"(","signal_id":"0190a1b2-0000-7000-8000-0000000000aa","signal_name":"approved",)"
                R"("signal_category":"decision","source_type":"user","source_identity":"ada","target_scope":"execution",)"
                R"("idempotency_key":"once","payload":[104,105],"waitpoint_token":")" +
                with_token + R"(","now":1})");
    };
    const std::string good = text(token.json().at("token"));
    std::string bad = good;
    bad.back() = bad.back() == '0' ? '1' : '0';
    const auto tampered = signal(bad, waitpoint_id);
    EXPECT_EQ(tampered.status, 400);
    EXPECT_THAT(tampered.body, HasSubstr("invalid_token"));
    EXPECT_EQ(signal(good, "0190a1b2-0000-7000-8000-00000000000f").problem(), tampered.problem()) << "no probing";
    EXPECT_EQ(state(id), "suspended");

    EXPECT_EQ(signal(good, waitpoint_id).json().at("Accepted").at("effect"), "resume_condition_satisfied");
    EXPECT_TRUE(signal(good, waitpoint_id).json().as_object().contains("Duplicate"));
    const auto resumed =
        post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-2","lanes":["review"]})").json();
    const auto& task = resumed.at("tasks").as_array().at(0);
    EXPECT_EQ(task.at("signals").as_array().at(0).at("payload_b64"), "aGk=");
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + text(task.at("lease")) + "\"}").status, 200);
    EXPECT_EQ(state(id), "completed");
}

TEST_P(HttpApi, KeysAreRotated) {
    const auto refused = post("/v1/admin/rotate-waitpoint-secret", R"({"new_kid":"a:b","new_secret_hex":"aabb"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("new_kid"));
    EXPECT_FALSE(refused.json().as_object().contains("retryable"));
    const auto rotated =
        post("/v1/admin/rotate-waitpoint-secret",
             R"({"new_kid":"k2","new_secret_hex":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"})");
    EXPECT_EQ(rotated.status, 200) << rotated.body;
    EXPECT_EQ(rotated.json().at("new_kid"), "k2");
    EXPECT_EQ(rotated.json().at("rotated"), 1);
    EXPECT_TRUE(rotated.json().at("failed").as_array().empty());
}

TEST_P(HttpApi, AFlowIsBuiltEdgeByEdgeAndCancelled) {
    const std::string flow = "0190a1b2-0000-7000-8000-0000000000f0";
    const std::string path = "/v1/flows/" + flow;
    const std::string create_flow = R"({"flow_id":")" + flow + R"(","flow_kind":"k","namespace":"default","now":1})";
    EXPECT_EQ(post("/v1/flows", create_flow).status, 201);
    EXPECT_EQ(post("/v1/flows", create_flow).body, R"({"AlreadySatisfied":{"flow_id":")" + flow + "\"}}");

    const auto snapshot = get(path).json();
    EXPECT_EQ(snapshot.at("graph_revision"), 0);
    const auto other =
        post("/v1/flows/submit",
             R"({"flow_kind":"k","nodes":[{"name":"a","execution":{"execution_kind":"k","lane_id":"f"}},)"
             R"({"name":"b","execution":{"execution_kind":"k","lane_id":"f"}}],"edges":[{"from":"a","to":"b"}]})");
    EXPECT_EQ(other.status, 201) << other.body;
    const std::string submitted = text(other.json().at("flow_id"));
    EXPECT_EQ(other.json().at("members").as_array().size(), 2U);

    const std::string cancel =
        R"({"flow_id":")" + submitted + R"(","reason":"r","cancellation_policy":"cancel_all","now":1})";
    const auto scheduled = post("/v1/flows/" + submitted + "/cancel", cancel);
    EXPECT_EQ(scheduled.json().at("CancellationScheduled").at("member_count"), 2) << scheduled.body;
    const auto repeated = post("/v1/flows/" + submitted + "/cancel?wait=true", cancel);
    EXPECT_TRUE(repeated.json().as_object().contains("Cancelled")) << repeated.body;
    const auto members = other.json().at("members");
    for (const auto& member : members.as_array()) EXPECT_EQ(state(text(member)), "cancelled");
    EXPECT_EQ(
        post("/v1/flows/" + submitted + "/cancel", R"({"reason":"r","cancellation_policy":"all of them"})").status,
        422);
}

TEST_P(HttpApi, BatchesAnswerEachItemByItself) {
    const auto created = post(
        "/v1/executions:batch",
        R"({"items":[{"execution_kind":"k","lane_id":"b"},{"lane_id":"b"},{"execution_kind":"k","lane_id":"b"}]})");
    ASSERT_EQ(created.status, 200) << created.body;
    const auto items = created.json().at("items");
    ASSERT_EQ(items.as_array().size(), 3U);
    EXPECT_TRUE(items.at(0).at("answer").as_object().contains("Created"));
    EXPECT_EQ(items.at(1).at("problem").at("status"), 422);
    EXPECT_TRUE(items.at(2).at("answer").as_object().contains("Created"));

    const auto tasks =
        post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["b"],"max":10})").json();
    ASSERT_EQ(tasks.at("tasks").as_array().size(), 2U);
    json::array leases;
    for (const auto& task : tasks.at("tasks").as_array()) leases.push_back(json::object{{"lease", task.at("lease")}});
    leases.push_back(json::object{{"lease", "nonsense"}});
    const auto done = post("/v1/tasks/complete:batch", json::serialize(json::object{{"items", leases}})).json();
    EXPECT_EQ(done.at("items").at(0).at("answer").at("public_state"), "completed");
    EXPECT_EQ(done.at("items").at(1).at("answer").at("public_state"), "completed");
    EXPECT_EQ(done.at("items").at(2).at("problem").at("status"), 422);
    EXPECT_EQ(post("/v1/executions:batch", R"({"items":{}})").status, 422);
}

TEST_P(HttpApi, AWorkersRoundIsOneCall) {
    for (int i = 0; i < 3; ++i) create("round");
    const auto round = [&](const std::string& body) {
        const auto answer = post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1",)" + body + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    };
    const auto taken = round(R"("claim":{"max":2,"lanes":["round"]})");
    ASSERT_EQ(taken.at("tasks").as_array().size(), 2U);
    const std::string first = text(taken.at("tasks").at(0).at("execution_id"));
    const std::string second = text(taken.at("tasks").at(1).at("execution_id"));
    const std::string lease = text(taken.at("tasks").at(0).at("lease"));
    const std::string kept = text(taken.at("tasks").at(1).at("lease"));
    EXPECT_EQ(taken.at("tasks").at(0).at("kind"), "test");

    EXPECT_EQ(post("/v1/executions/" + second + "/cancel", R"({"reason":"r"})").status, 200);
    const auto next =
        round(R"("done":[{"lease":")" + lease + R"(","outcome":"complete","result":[1]},{"lease":")" + lease +
              R"(","outcome":"eat"}],"renew":[{"lease":")" + kept + R"("}],"claim":{"max":5,"lanes":["round"]})");
    EXPECT_EQ(next.at("done").at(0).at("answer").at("public_state"), "completed");
    EXPECT_EQ(next.at("done").at(1).at("problem").at("status"), 422);
    EXPECT_EQ(next.at("renew").at(0).at("lost"), true) << next;
    EXPECT_EQ(next.at("renew").at(0).at("cancel_requested"), true);
    ASSERT_EQ(next.at("tasks").as_array().size(), 1U) << "a call that reports takes what is there";
    const std::string third = text(next.at("tasks").at(0).at("execution_id"));
    const std::string last = text(next.at("tasks").at(0).at("lease"));
    const auto renewed = round(R"("renew":[{"lease":")" + last + R"(","progress":{"progress_pct":40}}])");
    EXPECT_TRUE(renewed.at("renew").at(0).at("expires_at_ms").is_int64());
    EXPECT_EQ(get("/v1/executions/" + third).json().at("progress_pct"), 40);
    const auto reported = round(R"("done":[{"lease":")" + last + R"(","outcome":"release"},{"lease":")" + last +
                                R"(","outcome":"fail","reason":"r","category":"transient"}])");
    EXPECT_EQ(reported.at("done").at(0).at("problem").at("kind"), "state_conflict");
    EXPECT_THAT(text(reported.at("done").at(0).at("problem").at("error")), HasSubstr("attempt_already_started"))
        << "it has made progress";
    EXPECT_TRUE(reported.at("done").at(1).as_object().contains("answer")) << reported;
    EXPECT_EQ(state(first), "completed");
}

TEST_P(HttpApi, WorkThatComesWhileAClaimWaitsAnswersIt) {
    auto waiting = std::async(std::launch::async, [&] {
        return post("/v1/workers/w/exchange",
                    R"({"worker_instance_id":"w-1","claim":{"max":1,"lanes":["late"],"wait_ms":50000}})");
    });
    const std::string id = create("late");
    const auto answer = waiting.get();
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json().at("tasks").at(0).at("execution_id"), json::value(id));
}

TEST_P(HttpApi, WhatAClientTookThatWentAwayIsFreeAgain) {
    {
        RawHttp gone(port());
        const std::string body = R"({"worker_instance_id":"w-1","claim":{"max":1,"lanes":["left"],"wait_ms":50000}})";
        gone.send(
            "POST /v1/workers/w/exchange HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    const std::string id = create("left");
    const auto answer =
        post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-2","claim":{"max":1,"lanes":["left"]}})");
    EXPECT_EQ(answer.json().at("tasks").at(0).at("execution_id"), json::value(id));
}

}  // namespace
}  // namespace flowfabric::test
