#include <csignal>
#include <future>

#include "e2e/http_test.hpp"

// The worker protocol's rules, against the real process (docs/worker-protocol.md).
namespace flowfabric::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace json = boost::json;

const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

using Headers = std::vector<std::pair<std::string, std::string>>;

class WorkerProtocol : public HttpApi {
  protected:
    // Another server on the same store.
    struct Another {
        explicit Another(std::vector<std::string> command) : process(std::move(command)) {
            const std::string url = text(json::parse(process.await_line("url")).at("url"));
            port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
        }
        Process process;
        std::uint16_t port = 0;
    };
    std::unique_ptr<Another> another_server() {
        return std::make_unique<Another>(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    }

    static HttpAnswer post_to(std::uint16_t port, const std::string& target, const std::string& body,
                              Headers headers = {}) {
        headers.emplace_back("Content-Type", "application/json");
        return http_call(port, "POST", target, body, headers);
    }
    static json::value exchange_with(std::uint16_t port, const std::string& body) {
        const auto answer = post_to(port, "/v1/workers/w/exchange", R"({"worker_instance_id":"w-1",)" + body + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    }
    // The request alone.
    static void send_exchange(const RawHttp& connection, const std::string& round) {
        const std::string body = R"({"worker_instance_id":"w-1",)" + round + '}';
        connection.send(
            "POST /v1/workers/w/exchange HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    json::value exchange(const std::string& body) const { return exchange_with(port(), body); }

    json::value created(const std::string& body, const Headers& headers, int status = 201) const {
        const auto answer = post_to(port(), "/v1/executions", body, headers);
        EXPECT_EQ(answer.status, status) << answer.body;
        return answer.json();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, WorkerProtocol, durable_stores(), name_of_param);

std::string claim_on(const std::string& lane, const std::string& more = "") {
    return R"("claim":{"max":2,"lanes":[")" + lane + "\"]" + more + '}';
}

TEST_P(WorkerProtocol, ALostReplyCostsNoLeaseEvenIfTheServerIsKilled) {
    for (int i = 0; i < 3; ++i) create("lost");
    const std::string round = R"("request_id":"r-1",)" + claim_on("lost");
    json::value first;
    {
        const auto dying = another_server();
        first = exchange_with(dying->port, round).at("tasks");
        ASSERT_EQ(first.as_array().size(), 2U);
        dying->process.signal(SIGKILL);
        EXPECT_EQ(dying->process.wait(), -SIGKILL);
    }
    EXPECT_EQ(exchange(round).at("tasks"), first) << "leases, inputs and all, from another server";
    const std::string lease = text(first.at(0).at("lease"));
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + "\"}").status, 200);
    const auto rest = exchange(round).at("tasks");
    ASSERT_EQ(rest.as_array().size(), 1U) << "what is done meanwhile is left out";
    EXPECT_EQ(rest.at(0), first.at(1));
    EXPECT_EQ(exchange(R"("request_id":"r-2",)" + claim_on("lost")).at("tasks").as_array().size(), 1U);
    const auto verb =
        post("/v1/tasks/claim",
             R"({"worker_id":"w","worker_instance_id":"w-1","request_id":"r-1","lanes":["lost"],"max":2})");
    EXPECT_EQ(verb.json().at("tasks"), rest) << "by the verb as well";
}

TEST_P(WorkerProtocol, OneRequestThatWaitsOnTwoServersTakesOnce) {
    const auto other = another_server();
    const std::string round = R"("request_id":"r-1",)" + claim_on("twice", R"(,"wait_ms":3000)");
    auto here = std::async(std::launch::async, [&] { return exchange(round).at("tasks"); });
    auto there = std::async(std::launch::async, [&] { return exchange_with(other->port, round).at("tasks"); });
    create("twice");
    const auto taken = here.get();
    EXPECT_EQ(taken.as_array().size(), 1U);
    // Whichever was served first, the other gets the same, if only when its wait is over.
    EXPECT_EQ(there.get(), taken);
    other->process.signal(SIGTERM);
    EXPECT_EQ(other->process.wait(), 0);
}

TEST_P(WorkerProtocol, AConnectionIsKeptOpenWhileAClaimWaits) {
    const std::string body = R"({"worker_instance_id":"w-1",)" + claim_on("idle", R"(,"wait_ms":16000)") + '}';
    const auto answer = post_to(port(), "/v1/workers/w/exchange", body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("transfer-encoding"), "chunked");
    const auto blank = answer.body.find("1\r\n \r\n");
    EXPECT_LT(blank, answer.body.find(R"("tasks":[])")) << "something was sent before the answer: " << answer.body;
}

TEST_P(WorkerProtocol, ABadClaimFailsNothingThatIsReportedWithIt) {
    const std::string id = create("bad");
    const std::string lease = claim("bad");
    const auto round =
        exchange(R"("done":[{"lease":")" + lease + R"(","outcome":"complete"}],"claim":{"lease_ttl_ms":0})");
    EXPECT_TRUE(round.at("done").at(0).as_object().contains("answer")) << round;
    EXPECT_EQ(round.at("claim").at("problem").at("status"), 400);
    EXPECT_EQ(state(id), "completed");
    EXPECT_EQ(post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1","claim":{"lease_ttl_ms":0}})").status, 400);
}

TEST_P(WorkerProtocol, WhatIsOfTheWrongFormFailsNothingBesideIt) {
    for (const std::string bad : {"[]", "5", R"({"kinds":["k"]})", R"({"wait_ms":"soon"})", R"({"wait_ms":-1})",
                                  R"({"lanes":"mail"})", R"({"max":"all"})"}) {
        SCOPED_TRACE(bad);
        const std::string kept = create("form");
        const std::string lease = claim("form");
        const auto renewed = exchange(R"("renew":[{"lease":")" + lease + R"("}],"claim":)" + bad);
        EXPECT_TRUE(renewed.at("renew").at(0).at("expires_at_ms").is_int64()) << renewed;
        EXPECT_TRUE(renewed.at("claim").at("problem").at("error").is_string()) << renewed;
        EXPECT_TRUE(renewed.at("tasks").as_array().empty());
        const auto done =
            exchange(R"("done":[5,{"lease":")" + lease + R"(","outcome":"complete"},null],"claim":)" + bad);
        EXPECT_EQ(done.at("done").at(0).at("problem").at("details").at(0).at("field"), "done[0]") << done;
        EXPECT_EQ(done.at("done").at(1).at("answer").at("public_state"), "completed") << done;
        EXPECT_EQ(done.at("done").at(2).at("problem").at("status"), 422) << done;
        EXPECT_TRUE(done.as_object().contains("claim")) << done;
        EXPECT_EQ(state(kept), "completed");
        const auto alone = post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1","claim":)" + bad + '}');
        EXPECT_THAT(alone.status, AnyOf(400, 422)) << "the call's own error, by itself";
    }
    const auto renewals = exchange(R"("renew":[[],{"lease":"nonsense"}])").at("renew");
    EXPECT_EQ(renewals.at(0).at("problem").at("details").at(0).at("field"), "renew[0]");
    EXPECT_TRUE(renewals.at(1).as_object().contains("problem"));
}

TEST_P(WorkerProtocol, NullCountsAsAbsentInAClaim) {
    const std::string id = create("nulls");
    const std::string nulls = R"(,"kinds":null,"wait_ms":null,"capabilities":null,"lease_ttl_ms":null)";
    const auto round =
        exchange(R"("request_id":null,"namespace":null,"done":null,"renew":null,)" + claim_on("nulls", nulls));
    EXPECT_EQ(text(round.at("tasks").at(0).at("execution_id")), id);
    const auto workers = get("/v1/workers").json().at("workers");
    EXPECT_EQ(workers.at(0).at("namespace"), "default");
    const auto verb = post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["nulls"],)"
                                              R"("wait_ms":null,"request_id":null,"namespace":null})");
    EXPECT_EQ(verb.status, 200) << verb.body;
    EXPECT_TRUE(verb.json().at("tasks").as_array().empty());
}

TEST_P(WorkerProtocol, AClaimOfTheWrongFormHarmsNobody) {
    const std::string text(200, 'x');
    for (const std::string name : {"max", "wait_ms"}) {
        const auto refused =
            post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1","claim":{")" + name + R"(":")" + text +
                                               R"(","lanes":[")" + text.substr(0, 60) + R"("]}})");
        EXPECT_THAT(refused.status, AnyOf(400, 422)) << refused.body;
    }
    EXPECT_EQ(get("/livez").status, 200);
}

TEST_P(WorkerProtocol, ADeadConnectionEndsNoLease) {
    const std::string id = create("dead");
    const std::string lease = claim("dead");
    EXPECT_TRUE(exchange(R"("renew":[{"lease":")" + lease + "\"}]").at("renew").at(0).at("expires_at_ms").is_int64())
        << "on a connection of its own";
    EXPECT_EQ(state(id), "active");
}

TEST_P(WorkerProtocol, AConnectionThatDiesOverItsAnswerEndsNoLease) {
    const std::string id = create("unread");
    const std::string round = R"("request_id":"r-1",)" + claim_on("unread");
    {
        RawHttp dying(port());
        send_exchange(dying, round);
        dying.read_until("HTTP/1.1 200");  // the answer is on its way, and is never read
    }
    EXPECT_TRUE(exchange(claim_on("unread", R"(,"wait_ms":0)")).at("tasks").as_array().empty()) << "it is leased";
    const auto again = exchange(round).at("tasks");
    ASSERT_EQ(again.as_array().size(), 1U) << "the request has it still";
    const std::string lease = text(again.at(0).at("lease"));
    EXPECT_EQ(post("/v1/tasks/complete", R"({"lease":")" + lease + "\"}").status, 200);
    EXPECT_EQ(get("/v1/executions/" + id + "/attempts").json().at("attempts").as_array().size(), 1U);
}

TEST_P(WorkerProtocol, WhatAWaitingClientLeavesBehindIsFree) {
    {
        RawHttp gone(port());
        send_exchange(gone, claim_on("left", R"(,"wait_ms":50000)"));
    }
    const std::string id = create("left");
    EXPECT_EQ(exchange(claim_on("left")).at("tasks").at(0).at("execution_id"), json::value(id));
}

TEST_P(WorkerProtocol, AWorkerIsRegisteredByItsRoundsAndToldWhatIsAskedOfIt) {
    EXPECT_EQ(exchange(claim_on("asked", R"(,"wait_ms":0,"capabilities":["gpu"])")).at("worker"), "run");
    const auto workers = get("/v1/workers").json().at("workers");
    ASSERT_EQ(workers.as_array().size(), 1U);
    EXPECT_EQ(workers.at(0).at("worker_instance_id"), "w-1");
    EXPECT_EQ(workers.at(0).at("lanes").at(0), "asked");
    EXPECT_EQ(workers.at(0).at("mode"), "run");

    const std::string id = create("asked");
    const std::string lease = text(exchange(claim_on("asked")).at("tasks").at(0).at("lease"));
    const std::string next = create("asked");
    EXPECT_EQ(put("/v1/workers/w/instances/w-1/mode", R"({"mode":"quiet"})").json().at("mode"), "quiet");
    EXPECT_EQ(get("/v1/workers").json().at("workers").at(0).at("mode"), "quiet");
    const auto quiet = exchange(claim_on("asked", R"(,"wait_ms":50000)"));
    EXPECT_EQ(quiet.at("worker"), "quiet") << "at once";
    EXPECT_TRUE(quiet.at("tasks").as_array().empty());
    const auto kept = exchange(R"("renew":[{"lease":")" + lease + "\"}]");
    EXPECT_EQ(kept.at("worker"), "quiet") << "with a heartbeat too";
    EXPECT_TRUE(kept.at("renew").at(0).at("expires_at_ms").is_int64()) << "what it holds it keeps";

    put("/v1/workers/w/mode", R"({"mode":"stop"})");
    EXPECT_EQ(exchange(R"("done":[{"lease":")" + lease + R"(","outcome":"complete"}])").at("worker"), "stop");
    EXPECT_EQ(state(id), "completed");
    put("/v1/workers/w/mode", R"({"mode":"run"})");
    put("/v1/workers/w/instances/w-1/mode", R"({"mode":"run"})");
    EXPECT_EQ(exchange(claim_on("asked")).at("tasks").at(0).at("execution_id"), json::value(next));
    EXPECT_EQ(put("/v1/workers/w/mode", R"({"mode":"sleep"})").status, 422);
}

TEST_P(WorkerProtocol, AWorkerProcessObeysItsOperator) {
    Process worker(command({"worker", "--lane", "obey", "--worker-id", "obedient", "--", "cat"}));
    await("the worker is listed", [&] { return !get("/v1/workers").json().at("workers").as_array().empty(); });
    put("/v1/workers/obedient/mode", R"({"mode":"quiet"})");
    worker.await_line("be quiet");
    const std::string id = create("obey");
    put("/v1/workers/obedient/mode", R"({"mode":"run"})");
    await_state(id, "completed");
    put("/v1/workers/obedient/mode", R"({"mode":"stop"})");
    EXPECT_EQ(worker.wait(), 0);
}

TEST_P(WorkerProtocol, ATraceGoesWithItsExecution) {
    const auto headers = [](const std::string& traceparent) {
        return Headers{{"traceparent", traceparent}, {"tracestate", "shop=1"}};
    };
    const std::string body = R"({"execution_kind":"k","lane_id":"traced"})";
    const auto id = text(created(body, headers(trace)).at("Created").at("execution_id"));
    EXPECT_EQ(get("/v1/executions/" + id).json().at("traceparent"), trace.c_str());
    const auto task = exchange(claim_on("traced")).at("tasks").at(0);
    EXPECT_EQ(task.at("traceparent"), trace.c_str());
    EXPECT_EQ(task.at("tracestate"), "shop=1");

    for (const std::string& malformed : {std::string("nonsense"), trace + "0", "ff" + trace.substr(2)}) {
        const auto plain = text(created(body, headers(malformed)).at("Created").at("execution_id"));
        EXPECT_FALSE(get("/v1/executions/" + plain).json().as_object().contains("traceparent")) << malformed;
    }
    const auto refused = post("/v1/executions", R"({"execution_kind":"k","traceparent":"nonsense"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("traceparent"));

    const auto flow =
        post_to(port(), "/v1/flows/submit",
                R"({"flow_kind":"k","nodes":[{"name":"a","execution":{"execution_kind":"k"}}]})", headers(trace));
    EXPECT_EQ(flow.status, 201) << flow.body;
    const auto member = text(flow.json().at("members").at(0));
    EXPECT_EQ(get("/v1/executions/" + member).json().at("traceparent"), trace.c_str());
    const auto batch =
        post_to(port(), "/v1/executions:batch", R"({"items":[{"execution_kind":"k"}]})", headers(trace)).json();
    const auto item = text(batch.at("items").at(0).at("answer").at("Created").at("execution_id"));
    EXPECT_EQ(get("/v1/executions/" + item).json().at("traceparent"), trace.c_str());
}

TEST_P(WorkerProtocol, AProgramGetsItsExecutionsTrace) {
    const auto id = text(created(R"({"execution_kind":"k","lane_id":"env"})", {{"traceparent", trace}})
                             .at("Created")
                             .at("execution_id"));
    Process worker(command({"worker", "--lane", "env", "--", "sh", "-c", "printf %s $TRACEPARENT"}));
    await_state(id, "completed");
    EXPECT_EQ(result_of(id), trace);
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
}

TEST_P(WorkerProtocol, AKeyMakesOneExecution) {
    const Headers key{{"Idempotency-Key", "order-1"}};
    const std::string body = R"({"execution_kind":"k","lane_id":"keys","input":{"a":1,"b":2}})";
    const auto first = created(body, key);
    EXPECT_EQ(created(R"({"lane_id":"keys", "input":{"b":2,"a":1}, "execution_kind":"k"})", key), first)
        << "the same request, however it is written";
    const auto other = post_to(port(), "/v1/executions", R"({"execution_kind":"k","lane_id":"keys"})", key);
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.json().at("kind"), "idempotency_conflict");
    EXPECT_EQ(other.json().at("retryable"), false);

    const auto restarted = another_server();
    const auto again = post_to(restarted->port, "/v1/executions", body, key);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.json(), first) << "from another server";
    const auto field = created(R"({"execution_kind":"k","idempotency_key":"order-1"})", {}, 200);
    EXPECT_EQ(field.at("Duplicate").at("execution_id"), first.at("Created").at("execution_id"))
        << "the field means what it always meant";
    restarted->process.signal(SIGTERM);
    EXPECT_EQ(restarted->process.wait(), 0);

    const std::string items = R"({"items":[{"execution_kind":"k"},{"execution_kind":"k"}]})";
    const auto batch = post_to(port(), "/v1/executions:batch", items, key).json();
    EXPECT_EQ(post_to(port(), "/v1/executions:batch", items, key).json(), batch);
    EXPECT_NE(batch.at("items").at(0), batch.at("items").at(1));
}

TEST_P(WorkerProtocol, AKeyMakesOneFlow) {
    const Headers key{{"Idempotency-Key", "order-1"}};
    const std::string body = R"({"flow_kind":"k","nodes":[{"name":"a","execution":{"execution_kind":"k"}}]})";
    const auto first = post_to(port(), "/v1/flows/submit", body, key);
    EXPECT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(post_to(port(), "/v1/flows/submit", body, key).json(), first.json());
    const auto other = post_to(port(), "/v1/flows/submit",
                               R"({"flow_kind":"k","nodes":[{"name":"b","execution":{"execution_kind":"k"}}]})", key);
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.json().at("kind"), "idempotency_conflict");

    const Headers empty{{"Idempotency-Key", "order-2"}};
    const auto made = post_to(port(), "/v1/flows", R"({"flow_kind":"k"})", empty);
    EXPECT_EQ(made.status, 201);
    const auto repeated = post_to(port(), "/v1/flows", R"({"flow_kind":"k"})", empty);
    EXPECT_EQ(repeated.status, 201);
    EXPECT_EQ(repeated.json(), made.json());
    EXPECT_EQ(post_to(port(), "/v1/flows", R"({"flow_kind":"other"})", empty).status, 409);
}

// Each verb of one task, and in a batch beside a bad item.
TEST_P(WorkerProtocol, EveryVerbWorksByItselfAndInBatches) {
    const std::string waitpoint =
        R"(,"waitpoints":[{"Fresh":{"waitpoint_key":"ok"}}],)"
        R"("resume_condition":{"Single":{"waitpoint_key":"ok","matcher":{"ByName":"approved"}}})";
    const std::vector<std::tuple<std::string, std::string, std::string>> verbs{
        {"renew", "", "active"},
        {"progress", R"(,"progress_pct":40)", "active"},
        {"complete", R"(,"result":[1])", "completed"},
        {"fail", R"(,"reason":"r","category":"permanent")", "failed"},
        {"delay", R"(,"delay_until_ms":9999999999999)", "delayed"},
        {"suspend", waitpoint, "suspended"},
        {"release", "", "waiting"},
        {"cancel", R"(,"reason":"r")", "cancelled"},
    };
    for (const auto& [verb, fields, ends_as] : verbs) {
        const std::string alone = create(verb + "-1");
        const auto answer = post("/v1/tasks/" + verb, R"({"lease":")" + claim(verb + "-1") + '"' + fields + '}');
        EXPECT_EQ(answer.status, 200) << verb << ' ' << answer.body;
        EXPECT_EQ(state(alone), ends_as) << verb;

        const std::string batched = create(verb + "-2");
        const auto batch = post("/v1/tasks/" + verb + ":batch", R"({"items":[{"lease":"nonsense"},{"lease":")" +
                                                                    claim(verb + "-2") + '"' + fields + "}]}");
        EXPECT_EQ(batch.status, 200) << verb << ' ' << batch.body;
        EXPECT_TRUE(batch.json().at("items").at(0).as_object().contains("problem")) << verb;
        EXPECT_TRUE(batch.json().at("items").at(1).as_object().contains("answer")) << batch.body;
        EXPECT_EQ(state(batched), ends_as) << verb;
    }
}

}  // namespace
}  // namespace flowfabric::test
