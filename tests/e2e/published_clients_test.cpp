#include "e2e/http_test.hpp"

// The requests of published clients as they send them (spec 40 §14), and what these clients read of the answers.
namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace json = boost::json;

constexpr auto decimal = "[0-9]+";

class PublishedClients : public HttpApi {
  protected:
    // As all of them send requests.
    HttpAnswer call(const std::string& method, const std::string& target, const std::string& body = "") const {
        std::vector<std::pair<std::string, std::string>> headers{{"accept", "*/*"}};
        if (!body.empty()) headers.emplace_back("content-type", "application/json");
        return http_call(port(), method, target, body, headers);
    }
    static std::string encoded(const std::string& id) {
        return "/v1/executions/%7B" + id.substr(1, id.find('}') - 1) + "%7D" + id.substr(id.find('}') + 1);
    }
    static std::string uuid(int n) { return "0190a1b2-0000-7000-8000-0000000000" + std::to_string(10 + n); }
    static std::string execution(int n) { return "{fp:7}:" + uuid(n); }

    // The submission of the examples, with the fields of the object in place of its own.
    HttpAnswer submit(const std::string& id, const std::string& lane, const std::string& more = "{}") const {
        json::value body = json::parse(
            R"({"execution_id":"","namespace":"default","lane_id":"","execution_kind":"coding_agent",)"
            R"("input_payload":[123,34,97,34,58,49,125],"payload_encoding":"json","priority":100,)"
            R"("creator_identity":"submit-cli","idempotency_key":null,"tags":{},"policy":null,"delay_until":null,)"
            R"("partition_id":0,"now":1713100800000})");
        body.at("execution_id") = id;
        body.at("lane_id") = lane;
        const json::value own = json::parse(more);
        for (const auto& [name, value] : own.as_object()) body.as_object()[name] = value;
        return call("POST", "/v1/executions", json::serialize(body));
    }
    HttpAnswer claim_for_worker(const std::string& lane) const {
        return call("POST", "/v1/workers/pool%3Aeu/claim",
                    R"({"lane_id":")" + lane +
                        R"(","worker_instance_id":"w1-i1","capabilities":["gpu"],"grant_ttl_ms":10000})");
    }
    HttpAnswer reclaim(const std::string& id, const std::string& lane, const std::string& more = "") const {
        return call("POST", encoded(id) + "/reclaim",
                    R"({"worker_id":"w2","worker_instance_id":"w2-i1","lane_id":")" + lane +
                        R"(","grant_ttl_ms":10000,"worker_capabilities":["gpu"])" + more + '}');
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, PublishedClients, durable_stores(), name_of_param);

// ---- the admin client

TEST_P(PublishedClients, ClaimForAWorker) {
    const auto none = claim_for_worker("main");
    EXPECT_EQ(none.status, 204);
    EXPECT_EQ(none.body, "");
    EXPECT_EQ(submit(execution(1), "main").status, 201);
    const auto claimed = claim_for_worker("main");
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    const auto grant = claimed.json();
    EXPECT_EQ(text(grant.at("execution_id")), execution(1));
    EXPECT_EQ(text(grant.at("partition_key")), "{fp:7}");
    EXPECT_FALSE(text(grant.at("grant_key")).empty());
    EXPECT_GT(grant.at("expires_at_ms").to_number<std::uint64_t>(), 0U);
}

TEST_P(PublishedClients, AClaimWithoutItsTermIsUnprocessableAndOneOutOfRangeABadRequest) {
    const std::string claim = R"({"lane_id":"main","worker_instance_id":"w1-i1","capabilities":[])";
    const std::string reclaim = R"({"worker_id":"w2","worker_instance_id":"w2-i1","lane_id":"main")";
    EXPECT_EQ(submit(execution(1), "main").status, 201);
    for (const auto& [target, body] : {std::pair{std::string("/v1/workers/w/claim"), claim},
                                       std::pair{encoded(execution(1)) + "/reclaim", reclaim}}) {
        for (const std::string ttl :
             {"", R"(,"grant_ttl_ms":null)", R"(,"grant_ttl_ms":"10000")", R"(,"grant_ttl_ms":1.5)"}) {
            const auto refused = call("POST", target, body + ttl + '}');
            EXPECT_EQ(refused.status, 422) << target << ttl << refused.body;
            EXPECT_EQ(refused.json().at("details").at(0).at("field"), "grant_ttl_ms");
        }
        for (const std::string ttl : {"0", "60001", "-1", "18446744073709551615"}) {
            const auto refused = call("POST", target, body + R"(,"grant_ttl_ms":)" + ttl + '}');
            EXPECT_EQ(refused.status, 400) << target << ttl << refused.body;
            EXPECT_THAT(text(refused.json().at("error")), HasSubstr("1..=60000"));
        }
    }
}

TEST_P(PublishedClients, RotateTheWaitpointSecret) {
    const auto rotated =
        call("POST", "/v1/admin/rotate-waitpoint-secret",
             R"({"new_kid":"k2","new_secret_hex":")" + std::string(32, 'a') + std::string(32, 'b') + R"("})");
    ASSERT_EQ(rotated.status, 200) << rotated.body;
    EXPECT_GT(rotated.json().at("rotated").to_number<std::uint16_t>(), 0U);
    EXPECT_TRUE(rotated.json().at("failed").as_array().empty());
    EXPECT_EQ(rotated.json().at("new_kid"), "k2");
    const auto refused =
        call("POST", "/v1/admin/rotate-waitpoint-secret", R"({"new_kid":"k:2","new_secret_hex":"aabb"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(text(refused.json().at("error")), AllOf(HasSubstr("new_kid"), HasSubstr(":")));
    EXPECT_FALSE(refused.json().as_object().contains("retryable"));
}

TEST_P(PublishedClients, IssueAReclaimGrant) {
    EXPECT_EQ(submit(execution(1), "main").status, 201);
    const std::string lease = claim("main");
    const auto healthy = reclaim(execution(1), "main").json();
    EXPECT_EQ(healthy.at("status"), "not_reclaimable");
    EXPECT_EQ(text(healthy.at("execution_id")), execution(1));
    EXPECT_TRUE(healthy.at("detail").is_string());

    EXPECT_EQ(call("POST", encoded(execution(1)) + "/revoke-lease").status, 200);
    const auto granted = reclaim(execution(1), "main",
                                 R"(,"capability_hash":"h","route_snapshot_json":"{}","admission_summary":"operator")");
    ASSERT_EQ(granted.status, 200) << granted.body;
    const auto grant = granted.json();
    EXPECT_EQ(grant.at("status"), "granted");
    EXPECT_EQ(text(grant.at("execution_id")), execution(1));
    EXPECT_EQ(grant.at("partition_key"), "{fp:7}");
    EXPECT_TRUE(grant.at("grant_key").is_string());
    EXPECT_GT(grant.at("expires_at_ms").to_number<std::uint64_t>(), 0U);
    EXPECT_EQ(grant.at("lane_id"), "main");

    EXPECT_EQ(submit(execution(2), "capped", R"({"policy":{"max_reclaim_count":0}})").status, 201);
    claim("capped");
    EXPECT_EQ(call("POST", encoded(execution(2)) + "/revoke-lease").status, 200);
    const auto capped = reclaim(execution(2), "capped").json();
    EXPECT_EQ(capped.at("status"), "reclaim_cap_exceeded");
    EXPECT_EQ(capped.at("reclaim_count"), 0);
}

// ---- submitters and pollers

TEST_P(PublishedClients, ASubmissionIsTakenWithItsNullsAndStrayFields) {
    // What a client without serialisation attributes makes of a policy: every field, and null for what is not set.
    const std::string policy =
        R"({"priority":0,"delay_until":null,"retry_policy":{"max_retries":2,"backoff":{"type":"fixed","delay_ms":50},)"
        R"("retryable_categories":[]},"timeout_policy":{"attempt_timeout_ms":60000,"execution_deadline_ms":null,)"
        R"("max_reclaim_count":100},"max_reclaim_count":null,"suspension_policy":null,"fallback_policy":{"tiers":)"
        R"([{"provider":"p","model":"m","timeout_ms":null}]},"max_replay_count":10,"budget_ids":[],)"
        R"("routing_requirements":{"required_capabilities":[],"preferred_locality":null,"isolation_level":null},)"
        R"("dedup_window_ms":null,"stream_policy":{"durability_mode":"buffered","retention_maxlen":10000,)"
        R"("retention_ttl_ms":null},"max_signals_per_execution":10000})";
    const auto submitted =
        submit(execution(1), "main",
               R"({"policy":)" + policy + R"(,"policy_json":"{\"max_retries\":2}","execution_deadline_at":null})");
    EXPECT_EQ(submitted.status, 201) << submitted.body;
    EXPECT_EQ(call("GET", encoded(execution(1)) + "/state").body, R"("waiting")");
    const auto info = call("GET", encoded(execution(1))).json();
    EXPECT_EQ(info.at("blocking_detail"), "");
    EXPECT_EQ(info.at("current_attempt_index"), 0);

    const auto task = call("POST", "/v1/tasks/claim",
                           R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["main"],"request_id":null,)"
                           R"("namespace":null,"wait_ms":null,"max":null})")
                          .json()
                          .at("tasks")
                          .at(0);
    EXPECT_EQ(task.at("input"), (json::object{{"a", 1}}));
    const std::string result = R"({"lease":")" + text(task.at("lease")) + R"(","result_b64":"eyJvayI6MX0="})";
    EXPECT_EQ(call("POST", "/v1/tasks/complete", result).status, 200);
    EXPECT_EQ(call("GET", encoded(execution(1)) + "/state").body, R"("completed")");
    EXPECT_EQ(call("GET", encoded(execution(1)) + "/result").body, R"({"ok":1})");
    const auto ended = call("GET", encoded(execution(1))).json();
    EXPECT_THAT(text(ended.at("started_at")), MatchesRegex(decimal));
    EXPECT_THAT(text(ended.at("completed_at")), MatchesRegex(decimal));

    EXPECT_EQ(submit(execution(2), "later", R"({"delay_until":9999999999999})").status, 201);
    EXPECT_EQ(call("GET", encoded(execution(2)) + "/state").body, R"("delayed")");
    EXPECT_EQ(submit(execution(3), "main", R"({"input_payload":[],"partition_id":7})").status, 201);
    EXPECT_EQ(submit(execution(4), "main", R"({"partition_id":8})").status, 400) << "neither 0 nor the id's";
}

TEST_P(PublishedClients, WhatIsWrongInASubmissionHasThePublishedStatus) {
    const auto bad_lane = submit(execution(1), std::string(65, 'x'));
    EXPECT_EQ(bad_lane.status, 422) << "a field of a type of its own";
    EXPECT_EQ(bad_lane.json().at("details").at(0).at("field"), "lane_id");
    const auto bad_capability =
        submit(execution(1), "main", R"({"policy":{"routing_requirements":{"required_capabilities":["a,b"]}}})");
    EXPECT_EQ(bad_capability.status, 400);
    EXPECT_EQ(bad_capability.json().at("kind"), "invalid_capabilities");
    EXPECT_THAT(text(bad_capability.json().at("error")), HasSubstr("invalid_capabilities"));
    EXPECT_EQ(submit(execution(1), "main", R"({"policy":{"priority":"high"}})").status, 422);

    const std::string body = R"({"execution_kind":"k"})";
    const auto typed = [&](const std::string& type) {
        return http_call(port(), "POST", "/v1/executions", body, {{"Content-Type", type}}).status;
    };
    EXPECT_EQ(typed("Application/JSON; charset=utf-8"), 201);
    EXPECT_EQ(typed("application/json ;charset=utf-8"), 201);
    EXPECT_EQ(typed("application/jsonx"), 415);
}

// ---- flow builders

TEST_P(PublishedClients, AFlowIsBuiltAndCancelled) {
    const std::string flow = uuid(50);
    const std::string path = "/v1/flows/" + flow;
    const std::string with_flow = R"({"flow_id":")" + flow + R"(","now":1713100800000,)";
    const FlowId id = *FlowId::parse(flow);
    EXPECT_EQ(call("POST", "/v1/flows", with_flow + R"("flow_kind":"deploy","namespace":"default"})").status, 201);
    std::vector<std::string> members;
    for (int i = 0; i < 3; ++i) {
        members.push_back(flow_execution_id(id, *Uuid::parse(uuid(60 + i))).to_string());
        EXPECT_EQ(submit(members.back(), "deploy", R"({"delay_until":9999999999999})").status, 201);
        const auto added = call("POST", path + "/members", with_flow + R"("execution_id":")" + members.back() + "\"}");
        EXPECT_EQ(added.status, 201) << added.body;
    }
    // The first edge names as many revisions as members were added; each answer names the next.
    std::int64_t revision = 3;
    for (int i = 0; i < 2; ++i) {
        const std::string ends = R"("edge_id":")" + uuid(70 + i) + R"(","upstream_execution_id":")" +
                                 members[static_cast<std::size_t>(i)] + R"(","downstream_execution_id":")" +
                                 members[static_cast<std::size_t>(i) + 1] +
                                 R"(","dependency_kind":"success_only","data_passing_ref":null)";
        const auto staged = call("POST", path + "/edges",
                                 with_flow + ends + R"(,"expected_graph_revision":)" + std::to_string(revision) + '}');
        EXPECT_EQ(staged.status, 201) << staged.body;
        revision = staged.json().at_pointer("/Staged/new_graph_revision").as_int64();
        const auto applied = call("POST", path + "/edges/apply",
                                  with_flow + ends + R"(,"graph_revision":)" + std::to_string(revision) + '}');
        EXPECT_EQ(applied.status, 200) << applied.body;
        EXPECT_EQ(applied.json().at_pointer("/Applied/unsatisfied_count"), 1);
    }
    EXPECT_EQ(revision, 5);
    const auto unknown_kind = call("POST", path + "/edges",
                                   with_flow + R"("edge_id":")" + uuid(72) + R"(","upstream_execution_id":")" +
                                       members[0] + R"(","downstream_execution_id":")" + members[2] +
                                       R"(","dependency_kind":"always","expected_graph_revision":5})");
    EXPECT_EQ(unknown_kind.status, 422);
    EXPECT_EQ(unknown_kind.json().at("details").at(0).at("field"), "dependency_kind");

    const auto cancelled = call("POST", path + "/cancel?wait=true",
                                with_flow + R"("reason":"verification failed","cancellation_policy":"cancel_all"})");
    EXPECT_EQ(cancelled.status, 200) << cancelled.body;
    for (const std::string& member : members) EXPECT_EQ(call("GET", encoded(member) + "/state").body, R"("cancelled")");
}

// ---- approvers

TEST_P(PublishedClients, ATokenIsReadAndTheApprovalSent) {
    std::vector<std::string> waitpoints;
    for (int i = 1; i <= 2; ++i) {
        EXPECT_EQ(submit(execution(i), "review").status, 201);
        const auto suspended =
            call("POST", "/v1/tasks/suspend",
                 R"({"lease":")" + claim("review") +
                     R"(","waitpoints":[{"Fresh":{"waitpoint_key":"ok"}}],)"
                     R"("resume_condition":{"Single":{"waitpoint_key":"ok","matcher":{"ByName":"approved"}}}})");
        ASSERT_EQ(suspended.status, 200) << suspended.body;
        waitpoints.push_back(text(suspended.json().at_pointer("/Suspended/details/primary/waitpoint_id")));
    }
    const auto token_path = [&](int of, const std::string& waitpoint) {
        return encoded(execution(of)) + "/waitpoints/" + waitpoint + "/token";
    };
    const auto read = call("GET", token_path(1, waitpoints[0]));
    ASSERT_EQ(read.status, 200) << read.body;
    EXPECT_EQ(read.json().as_object().size(), 1U);
    const std::string token = text(read.json().at("token"));
    // Both executions are on one partition.
    for (const auto& absent : {call("GET", token_path(1, waitpoints[1])), call("GET", token_path(1, uuid(80)))}) {
        EXPECT_EQ(absent.status, 404);
        EXPECT_EQ(text(absent.json().at("error")), "waitpoint token not found (consumed, expired, or unknown id)");
        EXPECT_EQ(absent.headers.at("cache-control"), "no-store");
    }

    const auto approve = [&](const std::string& with_token) {
        return call("POST", encoded(execution(1)) + "/signal",
                    R"({"execution_id":")" + execution(1) + R"(","waitpoint_id":")" + waitpoints[0] +
                        R"(","signal_id":")" + uuid(81) +
                        R"(","signal_name":"approved","signal_category":"human_review","source_type":"human",)"
                        R"("source_identity":"approve-cli","payload":null,"payload_encoding":null,)"
                        R"("correlation_id":null,"idempotency_key":null,"target_scope":"execution",)"
                        R"("created_at":null,"dedup_ttl_ms":null,"waitpoint_token":")" +
                        with_token + R"(","now":1713100800000})");
    };
    std::string tampered = token;
    tampered.back() = tampered.back() == '0' ? '1' : '0';
    const auto refused = approve(tampered);
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, HasSubstr("invalid_token"));
    EXPECT_EQ(approve(token).status, 200);
    const auto resumed =
        call("POST", "/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["review"]})")
            .json()
            .at("tasks")
            .at(0);
    const auto& signal = resumed.at("signals").at(0).as_object();
    EXPECT_EQ(signal.at("signal_name"), "approved");
    EXPECT_FALSE(signal.contains("payload") || signal.contains("payload_b64")) << "null counts as absent";
}

// ---- a live stream

TEST_P(PublishedClients, TheReviewFollowsAStreamUntilItHasClosed) {
    EXPECT_EQ(submit(execution(1), "media").status, 201);
    const std::string lease =
        text(call("POST", "/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["media"]})")
                 .json()
                 .at("tasks")
                 .at(0)
                 .at("lease"));
    std::string payloads;
    std::string after = "0-0";
    const auto tail = [&] {
        const auto answer =
            call("GET", encoded(execution(1)) + "/attempts/0/stream/tail?after=" + after + "&block_ms=5000&limit=100");
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto page = answer.json();
        for (const json::value& frame : page.at("frames").as_array()) {
            after = text(frame.at("id"));
            EXPECT_THAT(after, MatchesRegex("[0-9]+-[0-9]+"));
            EXPECT_EQ(frame.at("fields").at("frame_type"), "transcript");
            payloads += text(frame.at("fields").at("payload"));
        }
        return page.as_object();
    };
    for (const std::string piece : {"so ", "it ", "goes"}) {
        const std::string frame = R"({"lease":")" + lease + R"(","frame_type":"transcript","text":")" + piece + "\"}";
        EXPECT_EQ(call("POST", "/v1/tasks/frames", frame).status, 200);
        EXPECT_FALSE(tail().contains("closed_at"));
    }
    EXPECT_EQ(call("POST", "/v1/tasks/complete", R"({"lease":")" + lease + "\"}").status, 200);
    const auto last = tail();
    EXPECT_EQ(last.at("closed_reason"), "attempt_success");
    EXPECT_GT(last.at("closed_at").to_number<std::int64_t>(), 0);
    EXPECT_EQ(payloads, "so it goes");
}

// ---- probes

TEST_P(PublishedClients, ProbesAreNeverAnsweredWithAFailure) {
    EXPECT_EQ(call("GET", "/healthz").status, 200);
    const std::string unknown = encoded(execution(9));
    const std::vector<int> statuses{call("POST", unknown + "/signal", R"({"signal_name":"probe"})").status,
                                    call("POST", unknown + "/cancel", R"({"reason":"probe"})").status,
                                    call("GET", unknown + "/summary?attempt=1").status,
                                    call("GET", unknown + "/stream?attempt=1&mode=best_effort_live").status,
                                    call("GET", unknown + "/state").status};
    EXPECT_THAT(statuses, Each(AnyOf(400, 404, 422)));
}

}  // namespace
}  // namespace flowfabric::test
