#include <future>
#include <set>

#include "core/base/partition.hpp"
#include "e2e/http_test.hpp"
#include "store/sqlite/database.hpp"
#include "support/sql_session.hpp"

// What the HTTP spec asserts beyond http_api_test.cpp, against the real process.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace json = boost::json;

// One of many, by its last two digits.
std::string uuid(const std::string& end) {
    return "0190a1b2-0000-7000-8000-0000000000" + end;
}

class HttpAssertions : public HttpApi {
  protected:
    static std::string path_of(const std::string& id) { return "/v1/executions/" + id; }
    json::value info(const std::string& id) const { return get(path_of(id)).json(); }

    // A task of the lane, with its lease and its input.
    json::value task_of(const std::string& lane, const std::string& more = "") const {
        const auto answer = post(
            "/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":[")" + lane + "\"]" + more + '}');
        const auto claimed = answer.json();
        const auto& tasks = claimed.at("tasks").as_array();
        if (tasks.empty()) throw std::runtime_error("nothing to claim in " + lane);
        return tasks.front();
    }
    void complete(const std::string& lease) const {
        const auto answer = post("/v1/tasks/complete", R"({"lease":")" + lease + "\"}");
        EXPECT_EQ(answer.status, 200) << answer.body;
    }

    HttpAnswer claim_grant(const std::string& lane, const std::string& more = "", std::int64_t ttl_ms = 60'000,
                           const std::string& worker = "w") const {
        return post("/v1/workers/" + worker + "/claim", R"({"lane_id":")" + lane +
                                                            R"(","worker_instance_id":"w-1","grant_ttl_ms":)" +
                                                            std::to_string(ttl_ms) + more + '}');
    }
    HttpAnswer reclaim_grant(const std::string& id, const std::string& lane) const {
        return post(path_of(id) + "/reclaim", R"({"worker_id":"w2","worker_instance_id":"w2-1","lane_id":")" + lane +
                                                  R"(","grant_ttl_ms":60000,"worker_capabilities":[]})");
    }

    // ---- signals

    struct Waitpoint {
        std::string execution_id;
        std::string waitpoint_id;
        std::string token;
    };
    // A new execution of the lane that waits for one signal, unless there is another condition.
    Waitpoint suspended(const std::string& lane, const std::string& condition = "") const {
        const std::string id = create(lane);
        const std::string by_name = R"({"Single":{"waitpoint_key":"ok","matcher":{"ByName":"approved"}}})";
        const auto answer =
            post("/v1/tasks/suspend", R"({"lease":")" + claim(lane) +
                                          R"(","waitpoints":[{"Fresh":{"waitpoint_key":"ok"}}],"resume_condition":)" +
                                          (condition.empty() ? by_name : condition) + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto body = answer.json();
        const auto& primary = body.at("Suspended").at("details").at("primary");
        return {id, text(primary.at("waitpoint_id")), text(primary.at("token"))};
    }
    HttpAnswer signal(const Waitpoint& to, const std::string& token, const std::string& source = "ada") {
        const std::string signal_id = uuid(std::to_string(10 + signals_++));
        return post(path_of(to.execution_id) + "/signal",
                    R"({"execution_id":")" + to.execution_id + R"(","waitpoint_id":")" + to.waitpoint_id +
                        R"(","signal_id":")" + signal_id +
                        R"(","signal_name":"approved","signal_category":"decision","source_type":"user",)"
                        R"("source_identity":")" +
                        source + R"(","target_scope":"execution","waitpoint_token":")" + token + R"(","now":1})");
    }
    static std::string effect(const HttpAnswer& answer) {
        EXPECT_EQ(answer.status, 200) << answer.body;
        return text(answer.json().at("Accepted").at("effect"));
    }
    HttpAnswer rotate(const std::string& kid, std::int64_t grace_ms) const {
        return post("/v1/admin/rotate-waitpoint-secret", R"({"new_kid":")" + kid + R"(","new_secret_hex":")" +
                                                             std::string(64, 'a') + R"(","grace_ms":)" +
                                                             std::to_string(grace_ms) + '}');
    }

  private:
    int signals_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpAssertions, durable_stores(), name_of_param);

// ---- executions

TEST_P(HttpAssertions, ACreationIsHonouredInAllItsParts) {
    const auto created = [&](const std::string& fields, int status = 201) {
        const auto answer = post("/v1/executions", R"({"execution_kind":"k","namespace":"n",)" + fields + '}');
        EXPECT_EQ(answer.status, status) << answer.body;
        return answer.json();
    };
    const std::string own = "{fp:7}:" + uuid("01");
    const std::string other = "{fp:7}:" + uuid("02");
    created(R"("execution_id":")" + own + R"(","lane_id":"parts","idempotency_key":"once","policy":null,)" +
            R"("delay_until":null,"execution_deadline_at":null,"payload_encoding":null,"stray":{"a":[1]})");
    const auto repeated =
        created(R"("execution_id":")" + other + R"(","lane_id":"parts","idempotency_key":"once")", 200);
    EXPECT_EQ(repeated.at("Duplicate").at("execution_id"), json::value(own)) << "whatever id the second brings";
    EXPECT_EQ(get(path_of(other)).status, 404);

    const auto later = created(R"("lane_id":"later","delay_until":9999999999999)").at("Created");
    EXPECT_EQ(later.at("public_state"), "delayed");
    EXPECT_EQ(claim_grant("later").status, 204);
    const std::int64_t until = std::stoll(text(info(own).at("created_at"))) + 2'000;
    const auto soon = created(R"("lane_id":"soon","delay_until":)" + std::to_string(until)).at("Created");
    EXPECT_EQ(soon.at("public_state"), "delayed");
    const auto due = task_of("soon", R"(,"wait_ms":50000)");
    EXPECT_EQ(due.at("execution_id"), soon.at("execution_id"));
    EXPECT_GE(std::stoll(text(info(text(due.at("execution_id"))).at("started_at"))), until) << "by the store's clock";

    const FlowId flow = *FlowId::parse(uuid("f1"));
    const auto member = text(created(R"("flow_id":")" + flow.to_string() + '"').at("Created").at("execution_id"));
    EXPECT_EQ(ExecutionId::parse(member)->partition, flow_partition(flow)) << "where it may join the flow";
}

TEST_P(HttpAssertions, APayloadMayComeInEachOfItsForms) {
    for (const auto& [given, field, taken] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {R"("input_payload":[0,104,255])", "input_b64", R"("AGj/")"},
             {R"("input_payload_b64":"AGj/")", "input_b64", R"("AGj/")"},
             {R"("input_b64":"AGj/")", "input_b64", R"("AGj/")"},
             {R"("input":{"a":[1.5,null]})", "input", R"({"a":[1.5,null]})"},
             {R"("input_payload":[123,125],"payload_encoding":"json")", "input", "{}"}}) {
        create("payloads", ',' + given);
        const auto task = task_of("payloads");
        EXPECT_EQ(task.at(field), json::parse(taken)) << given;
        EXPECT_FALSE(task.as_object().contains(field == "input" ? "input_b64" : "input")) << "exactly one of the two";
        complete(text(task.at("lease")));
    }
    const auto twice = post("/v1/executions", R"({"execution_kind":"k","input_payload":[1],"input":2})");
    EXPECT_EQ(twice.status, 422);
    EXPECT_EQ(twice.json().at("details").at(0).at("field"), "input_payload");
}

TEST_P(HttpAssertions, TheInfoOfAnExecutionHasEveryFieldInItsType) {
    const std::string id = create("types", R"(,"priority":5)");
    const auto waiting = info(id);
    for (const char* name :
         {"execution_id", "namespace", "lane_id", "execution_kind", "public_state", "created_at", "blocking_detail"}) {
        EXPECT_TRUE(waiting.at(name).is_string()) << name;
    }
    EXPECT_THAT(text(waiting.at("created_at")), MatchesRegex("[0-9]+"));
    EXPECT_EQ(waiting.at("priority"), 5);
    EXPECT_EQ(waiting.at("current_attempt_index"), 0);
    EXPECT_TRUE(waiting.at("flow_id").is_null());
    std::set<std::string> dimensions;
    for (const auto& [name, value] : waiting.at("state_vector").as_object()) dimensions.insert(std::string(name));
    EXPECT_THAT(dimensions, ElementsAre("attempt_state", "blocking_reason", "eligibility_state", "lifecycle_phase",
                                        "ownership_state", "public_state", "terminal_outcome"));
    EXPECT_FALSE(waiting.as_object().contains("started_at"));
    const std::string lease = claim("types");
    EXPECT_THAT(text(info(id).at("started_at")), MatchesRegex("[0-9]+"));
    EXPECT_FALSE(info(id).as_object().contains("completed_at"));
    complete(lease);
    EXPECT_THAT(text(info(id).at("completed_at")), MatchesRegex("[0-9]+"));
}

TEST_P(HttpAssertions, OperatorsAreToldWhatTheStateForbids) {
    const std::string id = create("ops");
    const std::string lease = claim("ops");
    const auto refused = [](const HttpAnswer& answer, std::string_view kind) {
        EXPECT_EQ(answer.status, 409) << answer.body;
        EXPECT_EQ(answer.json().at("kind"), json::value(kind));
        EXPECT_EQ(answer.json().at("retryable"), false);
    };
    refused(post(path_of(id) + "/replay"), "execution_not_terminal");
    const auto revoked = post(path_of(id) + "/revoke-lease").json().at("Revoked");
    EXPECT_TRUE(revoked.at("lease_id").is_string());
    EXPECT_EQ(revoked.at("lease_epoch"), "2") << "the epoch now in force";
    EXPECT_EQ(get(path_of(id)).json().at("blocking_detail"), "revoked: operator_revoke");
    EXPECT_EQ(post(path_of(id) + "/revoke-lease").body, R"({"AlreadySatisfied":{"reason":"already_revoked"}})");
    const auto told =
        post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1","renew":[{"lease":")" + lease + "\"}]}")
            .json()
            .at("renew")
            .at(0);
    EXPECT_EQ(told.at("lost"), true);
    EXPECT_FALSE(told.as_object().contains("cancel_requested"));

    const auto failed = post("/v1/tasks/fail",
                             R"({"lease":")" + claim("ops") + R"(","reason":"no such order","category":"permanent"})");
    EXPECT_EQ(failed.status, 200) << failed.body;
    EXPECT_EQ(state(id), "failed");
    EXPECT_EQ(info(id).at("failure_reason"), "no such order");
    refused(put(path_of(id) + "/priority", R"({"new_priority":1})"), "contention");
    EXPECT_EQ(post(path_of(id) + "/replay", "whatever stands here").body, R"({"Replayed":{"public_state":"waiting"}})");
}

TEST_P(HttpAssertions, EachFilterOfASearchFindsWhatItNames) {
    const std::string plain = create("found");
    const std::string paused = create("other", R"(,"delay_until":9999999999999)");
    const auto made = post("/v1/executions", R"({"execution_kind":"rare","lane_id":"found","namespace":"tenant",)"
                                             R"("tags":{"shop.order":"7"}})");
    const std::string tagged = text(made.json().at("Created").at("execution_id"));
    const auto flow = post("/v1/flows/submit", R"({"flow_id":")" + uuid("f7") +
                                                   R"(","flow_kind":"k","nodes":[{"name":"a","execution":)"
                                                   R"({"execution_kind":"k","lane_id":"other"}}]})");
    const std::string member = text(flow.json().at("members").at(0));
    complete(claim("other"));
    const auto found = [&](const std::string& query) {
        const auto page = get("/v1/executions/search?" + query);
        EXPECT_EQ(page.status, 200) << page.body;
        std::set<std::string> ids;
        const auto body = page.json();
        for (const auto& each : body.at("executions").as_array()) ids.insert(text(each.at("execution_id")));
        return ids;
    };
    using Ids = std::set<std::string>;
    EXPECT_EQ(found("lane_id=found"), (Ids{plain, tagged}));
    EXPECT_EQ(found("execution_kind=rare"), (Ids{tagged}));
    EXPECT_EQ(found("namespace=tenant"), (Ids{tagged}));
    EXPECT_EQ(found("tag_key=shop.order&tag_value=7"), (Ids{tagged}));
    EXPECT_EQ(found("tag_key=shop.order&tag_value=8"), (Ids{}));
    EXPECT_EQ(found("public_state=delayed"), (Ids{paused}));
    EXPECT_EQ(found("public_state=delayed&public_state=completed"), (Ids{paused, member}));
    EXPECT_EQ(found("flow_id=" + uuid("f7")), (Ids{member}));
    EXPECT_EQ(found("lane_id=found&execution_kind=test"), (Ids{plain})) << "all that is named holds";

    const std::string then = text(info(tagged).at("created_at"));
    Ids before;
    Ids after;
    for (const std::string& id : {plain, paused, tagged, member}) {
        (std::stoll(text(info(id).at("created_at"))) < std::stoll(then) ? before : after).insert(id);
    }
    EXPECT_EQ(found("created_after_ms=" + then), after);
    EXPECT_EQ(found("created_before_ms=" + then), before);
    EXPECT_EQ(get("/v1/executions/search?public_state=asleep").status, 400);
}

// ---- grants

TEST_P(HttpAssertions, WorkIsGrantedToOneWorkerThatCanDoIt) {
    const auto none = claim_grant("grants");
    EXPECT_EQ(none.status, 204);
    EXPECT_EQ(none.body, "");
    for (const std::int64_t ttl_ms : {0, 60'001}) {
        const auto refused = claim_grant("grants", "", ttl_ms);
        EXPECT_EQ(refused.status, 400) << ttl_ms;
        EXPECT_THAT(text(refused.json().at("error")), HasSubstr("1..=60000"));
    }
    const auto long_lane = claim_grant(std::string(65, 'x'));
    EXPECT_EQ(long_lane.status, 400);
    EXPECT_THAT(text(long_lane.json().at("error")), HasSubstr("lane_id: "));
    EXPECT_EQ(claim_grant("grants", "", 1'000, "a%20worker").status, 400);

    const std::string id = create("grants", R"(,"policy":{"routing_requirements":{"required_capabilities":["gpu"]}})");
    const std::string second = create("grants", R"(,"priority":1)");
    const auto plain = claim_grant("grants").json();
    EXPECT_EQ(plain.at("execution_id"), json::value(second)) << "without the capability, and by priority";
    EXPECT_EQ(claim_grant("grants").status, 204) << "granted, or beyond the worker";
    const auto granted = claim_grant("grants", R"(,"capabilities":["cpu","gpu"])").json();
    EXPECT_EQ(granted.at("execution_id"), json::value(id));
    EXPECT_EQ(granted.at("partition_key"), json::value(id.substr(0, id.find('}') + 1)));
    EXPECT_TRUE(granted.at("grant_key").is_string());
    EXPECT_TRUE(granted.at("expires_at_ms").is_int64());
    EXPECT_EQ(state(id), "waiting") << "a grant changes nothing";

    const auto redeem = [&](const json::value& grant, const std::string& worker) {
        const json::object claim{{"execution_id", grant.at("execution_id")},
                                 {"worker_id", worker},
                                 {"worker_instance_id", worker + "-1"},
                                 {"grant_key", grant.at("grant_key")}};
        return post("/v1/grants/claim", json::serialize(json::object{{"claim", claim}}));
    };
    EXPECT_EQ(redeem(granted, "other").json().at("kind"), "contention") << "of no use to another worker";
    const auto leased = redeem(granted, "w");
    ASSERT_EQ(leased.status, 200) << leased.body;
    complete(text(leased.json().at("handle")));
    EXPECT_EQ(state(id), "completed");
}

TEST_P(HttpAssertions, AGrantThatNobodyRedeemsLapses) {
    const std::string id = create("lapsed");
    EXPECT_EQ(claim_grant("lapsed", "", 1).status, 200);
    HttpAnswer again;
    await("the grant to lapse", [&] { return (again = claim_grant("lapsed", "", 1'000, "w2")).status == 200; });
    EXPECT_EQ(again.json().at("execution_id"), json::value(id));
}

TEST_P(HttpAssertions, ALostLeaseIsReclaimedByGrant) {
    const std::string id = create("reclaim");
    task_of("reclaim", R"(,"lease_ttl_ms":1000)");
    const auto healthy = reclaim_grant(id, "reclaim");
    EXPECT_EQ(healthy.status, 200);
    EXPECT_EQ(healthy.json().at("status"), "not_reclaimable");
    EXPECT_FALSE(text(healthy.json().at("detail")).empty());
    json::value granted;
    await("the lease to lapse", [&] {
        granted = reclaim_grant(id, "reclaim").json();
        return granted.at("status") == "granted";
    });
    EXPECT_EQ(granted.at("lane_id"), "reclaim");
    EXPECT_EQ(granted.at("partition_key"), json::value(id.substr(0, id.find('}') + 1)));
    const auto taken = post("/v1/grants/reclaim", R"({"claim":{"execution_id":")" + id +
                                                      R"(","worker_id":"w2","worker_instance_id":"w2-1"}})");
    ASSERT_EQ(taken.status, 200) << taken.body;
    complete(text(taken.json().at("LeasedExecution").at("handle")));

    const std::string capped = create("capped", R"(,"policy":{"max_reclaim_count":0})");
    EXPECT_EQ(info(capped).at("policy"), (json::object{{"max_reclaim_count", 0}}));
    claim("capped");
    post(path_of(capped) + "/revoke-lease");
    const auto exceeded = reclaim_grant(capped, "capped");
    EXPECT_EQ(exceeded.json().at("status"), "reclaim_cap_exceeded") << exceeded.body;
    EXPECT_EQ(exceeded.json().at("reclaim_count"), 0);
    EXPECT_EQ(reclaim_grant("{fp:7}:" + uuid("09"), "capped").status, 404);
}

// ---- signals

TEST_P(HttpAssertions, ASignalMayComeBeforeItsSuspension) {
    const std::string id = create("early");
    const std::string lease = claim("early");
    const auto made =
        post("/v1/tasks/waitpoints", R"({"lease":")" + lease + R"(","waitpoint_key":"ok","expires_in_ms":60000})")
            .json();
    const Waitpoint pending{id, text(made.at("waitpoint_id")), text(made.at("token"))};
    EXPECT_EQ(effect(signal(pending, pending.token)), "buffered_for_pending_waitpoint");
    const auto suspension =
        post("/v1/tasks/suspend",
             R"({"lease":")" + lease + R"(","waitpoints":[{"UsePending":{"waitpoint_id":")" + pending.waitpoint_id +
                 R"("}}],"resume_condition":{"Single":{"waitpoint_key":"ok","matcher":{"ByName":"approved"}}}})");
    EXPECT_TRUE(suspension.json().as_object().contains("AlreadySatisfied")) << suspension.body;
    EXPECT_EQ(state(id), "active");
}

TEST_P(HttpAssertions, AForgedTokenInABatchOfSignalsHarmsNoOther) {
    const std::vector<Waitpoint> waiting{suspended("batched-1"), suspended("batched-2"), suspended("batched-3")};
    json::array items;
    for (const Waitpoint& to : waiting) {
        items.push_back({{"execution_id", to.execution_id},
                         {"waitpoint_id", to.waitpoint_id},
                         {"signal_id", uuid(std::to_string(10 + items.size()))},
                         {"signal_name", "approved"},
                         {"signal_category", "decision"},
                         {"source_type", "user"},
                         {"source_identity", "ada"},
                         {"target_scope", "execution"},
                         {"waitpoint_token", to.token}});
    }
    items.at(1).at("waitpoint_token") = waiting.at(0).token;
    const auto answer = post("/v1/signals:batch", json::serialize(json::object{{"items", std::move(items)}}));
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto outcomes = answer.json().at("items");
    EXPECT_EQ(outcomes.at(1).at("problem").at("status"), 400) << answer.body;
    EXPECT_EQ(outcomes.at(1).at("problem").at("kind"), "invalid_token");
    EXPECT_EQ(state(waiting.at(1).execution_id), "suspended");
    for (const std::size_t good : {0U, 2U}) {
        EXPECT_EQ(outcomes.at(good).at("answer").at("Accepted").at("effect"), "resume_condition_satisfied");
        EXPECT_EQ(text(task_of("batched-" + std::to_string(good + 1)).at("execution_id")),
                  waiting.at(good).execution_id);
    }
}

TEST_P(HttpAssertions, TwoSourcesAreNotOneThatSignalsTwice) {
    const auto review = suspended("review", R"({"Composite":{"kind":"Count","n":2,"count_kind":"DistinctSources",)"
                                            R"("waitpoints":["ok"],"matcher":{"ByName":"approved"}}})");
    EXPECT_EQ(effect(signal(review, review.token, "ada")), "appended_to_waitpoint");
    EXPECT_EQ(effect(signal(review, review.token, "ada")), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(state(review.execution_id), "suspended");
    EXPECT_EQ(effect(signal(review, review.token, "bob")), "resume_condition_satisfied");
    EXPECT_EQ(task_of("review").at("execution_id"), json::value(review.execution_id));
}

TEST_P(HttpAssertions, ATokenOfARotatedKeyWorksForItsGrace) {
    const auto first = suspended("grace");
    EXPECT_EQ(get(path_of(first.execution_id)).json().at("blocking_detail"),
              json::value("suspended: waitpoint " + first.waitpoint_id + " awaiting waiting_for_signal"));
    ASSERT_EQ(rotate("second", 60'000).status, 200);
    const auto second = suspended("grace");
    ASSERT_EQ(rotate("third", 0).status, 200);
    EXPECT_EQ(effect(signal(first, first.token)), "resume_condition_satisfied") << "its grace lasts";
    const auto late = signal(second, second.token);
    EXPECT_EQ(late.status, 400);
    EXPECT_THAT(late.body, HasSubstr("token_expired"));
    const auto empty = signal(second, "");
    EXPECT_EQ(empty.status, 400);
    EXPECT_THAT(empty.body, HasSubstr("missing_token"));
    EXPECT_EQ(state(second.execution_id), "suspended");
}

// Holds up whatever writes to the store.
class HeldStore {
  public:
    explicit HeldStore(const std::string& url) {
        if (url.starts_with("sqlite:")) {
            file_.emplace(url.substr(std::string_view("sqlite:").size()), sqlite::OpenMode::read_write);
            file_->execute("BEGIN IMMEDIATE");
        } else {
            session_.emplace(url);
            session_->run("BEGIN");
            session_->run("LOCK TABLE ff_waitpoint_hmac IN EXCLUSIVE MODE");
        }
    }

  private:
    std::optional<sqlite::Database> file_;
    std::optional<SqlSession> session_;
};

TEST_P(HttpAssertions, KeysAreRotatedOneAtATime) {
    std::future<HttpAnswer> one;
    std::future<HttpAnswer> other;
    {
        const HeldStore held(store().url());
        one = std::async(std::launch::async, [&] { return rotate("next", 60'000); });
        other = std::async(std::launch::async, [&] { return rotate("next", 60'000); });
        const auto has_come = [](const std::future<HttpAnswer>& answer) {
            return answer.wait_for(0s) == std::future_status::ready;
        };
        await("the refusal of one", [&] { return has_come(one) || has_come(other); });
    }
    HttpAnswer done = one.get();
    HttpAnswer refused = other.get();
    if (done.status == 429) std::swap(done, refused);
    EXPECT_EQ(done.status, 200) << done.body;
    EXPECT_EQ(refused.status, 429);
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("too many concurrent admin_rotate calls"));
    EXPECT_EQ(refused.json().at("retryable"), true);
    EXPECT_EQ(refused.headers.count("retry-after"), 1U);
    EXPECT_EQ(rotate("next", 60'000).json().at("rotated"), 1) << "the same key again is no mistake";
}

// ---- flows

class HttpFlows : public HttpAssertions {
  protected:
    void SetUp() override {
        HttpAssertions::SetUp();
        flow_ = *FlowId::parse(uuid("f1"));
        EXPECT_EQ(post("/v1/flows", with_flow(R"("flow_kind":"k","namespace":"default")")).status, 201);
    }
    std::string flow_path() const { return "/v1/flows/" + flow_.to_string(); }
    std::string with_flow(const std::string& fields) const {
        return R"({"flow_id":")" + flow_.to_string() + R"(",)" + fields + R"(,"now":1})";
    }
    std::string member(int n) const {
        return flow_execution_id(flow_, *Uuid::parse(uuid("0" + std::to_string(n)))).to_string();
    }
    HttpAnswer add(int n) const {
        return post(flow_path() + "/members", with_flow(R"("execution_id":")" + member(n) + '"'));
    }
    void add_new(int n, const std::string& lane) const {
        create(lane, R"(,"execution_id":")" + member(n) + '"');
        EXPECT_EQ(add(n).status, 201);
    }
    HttpAnswer stage(const std::string& edge, int from, int to, int revision) const {
        return post(flow_path() + "/edges",
                    with_flow(ends(edge, from, to) + R"(,"expected_graph_revision":)" + std::to_string(revision)));
    }
    HttpAnswer apply(const std::string& edge, int from, int to, int revision) const {
        return post(flow_path() + "/edges/apply",
                    with_flow(ends(edge, from, to) + R"(,"graph_revision":)" + std::to_string(revision)));
    }
    HttpAnswer cancel(const std::string& policy, const std::string& query = "") const {
        return post(flow_path() + "/cancel" + query,
                    with_flow(R"("reason":"obsolete","cancellation_policy":")" + policy + '"'));
    }

  private:
    std::string ends(const std::string& edge, int from, int to) const {
        return R"("edge_id":")" + uuid(edge) + R"(","upstream_execution_id":")" + member(from) +
               R"(","downstream_execution_id":")" + member(to) + '"';
    }

    FlowId flow_;
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpFlows, durable_stores(), name_of_param);

TEST_P(HttpFlows, AGraphIsBuiltAndItsMistakesAreNamed) {
    for (const int n : {1, 2, 3}) {
        create("graph", R"(,"execution_id":")" + member(n) + '"');
        const auto added = add(n);
        EXPECT_EQ(added.status, 201) << added.body;
        EXPECT_EQ(added.json().at("Added").at("new_node_count"), n);
    }
    const auto known = add(1);
    EXPECT_EQ(known.status, 200);
    EXPECT_EQ(known.json().at("AlreadyMember").at("node_count"), 3);

    const auto staged = stage("e1", 1, 2, 3);
    EXPECT_EQ(staged.status, 201) << "as many revisions as members so far";
    EXPECT_EQ(staged.json().at("Staged").at("new_graph_revision"), 4);
    const auto repeated = stage("e1", 1, 2, 4);
    EXPECT_EQ(repeated.status, 200);
    EXPECT_EQ(repeated.body, staged.body);
    const auto refused = [](const HttpAnswer& answer, std::string_view kind, bool retryable) {
        EXPECT_EQ(answer.status, 409) << answer.body;
        EXPECT_EQ(answer.json().at("kind"), json::value(kind));
        EXPECT_EQ(answer.json().at("retryable"), retryable);
    };
    refused(stage("e1", 1, 3, 4), "dependency_already_exists", false);
    refused(stage("e2", 2, 2, 4), "self_referencing_edge", false);
    refused(stage("e2", 2, 1, 4), "cycle_detected", false);
    refused(stage("e2", 2, 3, 3), "contention", true);

    EXPECT_EQ(apply("e1", 1, 2, 4).json().at("Applied").at("unsatisfied_count"), 1);
    EXPECT_EQ(apply("e1", 1, 2, 4).body, R"("AlreadyApplied")");
    EXPECT_EQ(apply("ef", 1, 2, 4).status, 404);
    EXPECT_EQ(get(flow_path()).json().at("graph_revision"), 4);
    EXPECT_EQ(get(flow_path() + "/graph").json().at("edges").as_array().size(), 1U);
    EXPECT_EQ(state(member(2)), "waiting_children");
}

TEST_P(HttpFlows, ACancellationThatWaitsEndsMembersThatRun) {
    add_new(1, "running");
    const std::string lease = claim("running");
    add_new(2, "waiting");
    const auto cancelled = cancel("cancel_all", "?wait=true");
    EXPECT_EQ(cancelled.status, 200);
    EXPECT_EQ(cancelled.json().at("Cancelled").at("member_execution_ids"), (json::array{member(1), member(2)}))
        << cancelled.body;
    for (const int n : {1, 2}) EXPECT_EQ(state(member(n)), "cancelled");
    const auto late = post("/v1/tasks/renew", R"({"lease":")" + lease + "\"}");
    EXPECT_EQ(late.status, 409);
    const auto told = late.json();
    EXPECT_EQ(told.at("kind"), "execution_not_active");
    EXPECT_EQ(told.at("terminal_outcome"), "cancelled");
    EXPECT_EQ(told.at("lifecycle_phase"), "terminal");
    EXPECT_TRUE(told.at("lease_epoch").is_int64());
    const auto batch = post("/v1/tasks/complete:batch", R"({"items":[{"lease":")" + lease + "\"}]}");
    EXPECT_EQ(batch.json().at("items").at(0).at("problem").at("terminal_outcome"), "cancelled") << batch.body;
}

TEST_P(HttpFlows, AGroupHasItsPolicyAndItsNumberOfEdgesOverHttp) {
    for (const int n : {1, 2, 3, 4, 5, 6}) add_new(n, "group-" + std::to_string(n));
    const auto set_policy = [&](int n, const std::string& policy) {
        return put(flow_path() + "/nodes/" + member(n) + "/policy", policy);
    };
    EXPECT_EQ(set_policy(3, R"({"policy":{"kind":"any_of"},"expected_edges":2})").status, 200);
    EXPECT_EQ(set_policy(6, R"({"policy":{"kind":"any_of","on_satisfied":"let_run"}})").status, 200);
    EXPECT_EQ(set_policy(6, R"({"policy":{"kind":"some_of"}})").status, 422);
    int revision = 6;
    for (const auto& [edge, from, to] :
         std::vector<std::tuple<std::string, int, int>>{{"e1", 1, 3}, {"e2", 2, 3}, {"e3", 4, 6}, {"e4", 5, 6}}) {
        EXPECT_EQ(stage(edge, from, to, revision).status, 201);
        EXPECT_EQ(apply(edge, from, to, ++revision).status, 200);
    }
    const auto fixed = set_policy(3, R"({"policy":{"kind":"all_of"}})");
    EXPECT_EQ(fixed.status, 400) << "an edge is staged";
    EXPECT_THAT(text(fixed.json().at("error")), HasSubstr("edge_group_policy_already_fixed"));

    for (const int n : {1, 2}) {
        post("/v1/tasks/fail",
             R"({"lease":")" + claim("group-" + std::to_string(n)) + R"(","reason":"r","category":"permanent"})");
    }
    // No third edge is to come, so that nothing waits for the seal.
    await("the skip of what can no longer run", [&] { return state(member(3)) == "skipped"; });
    complete(claim("group-4"));
    EXPECT_EQ(task_of("group-6", R"(,"wait_ms":50000)").at("execution_id"), json::value(member(6)));
    EXPECT_EQ(state(member(5)), "waiting") << "let run";

    EXPECT_EQ(post(flow_path() + "/seal", "{}").json().at("already_there"), false);
    EXPECT_EQ(post(flow_path() + "/seal", "{}").json().at("already_there"), true);
    create("group-7", R"(,"execution_id":")" + member(7) + '"');
    const auto sealed = add(7);
    EXPECT_EQ(sealed.status, 409);
    EXPECT_EQ(sealed.json().at("kind"), "flow_sealed");
}

TEST_P(HttpFlows, APolicySaysWhichMembersAreCancelled) {
    add_new(1, "running");
    const std::string lease = claim("running");
    add_new(2, "waiting");
    const auto pending = cancel("cancel_pending", "?wait=1");
    EXPECT_EQ(pending.status, 200);
    EXPECT_EQ(pending.json().at("Cancelled").at("cancellation_policy"), "cancel_pending") << pending.body;
    EXPECT_EQ(state(member(2)), "cancelled");
    EXPECT_EQ(state(member(1)), "active");
    complete(lease);
    EXPECT_EQ(state(member(1)), "completed");
    const auto again = cancel("cancel_all");
    EXPECT_EQ(again.json().at("Cancelled").at("cancellation_policy"), "cancel_pending") << "the one that is stored";
    EXPECT_EQ(
        post("/v1/flows/" + uuid("f2") + "/cancel", R"({"reason":"r","cancellation_policy":"cancel_all"})").status,
        404);
}

// ---- everything

TEST_P(HttpAssertions, EveryRefusalHasOneShape) {
    const std::string unknown = path_of("{fp:7}:" + uuid("01"));
    struct Case {
        std::string method;
        std::string target;
        std::string body;
        int status;
    };
    const std::vector<Case> cases{{"GET", "/nowhere", "", 404},
                                  {"PATCH", "/v1/executions", "", 405},
                                  {"GET", "/v1/executions?limit=many", "", 400},
                                  {"GET", "/v1/executions?partition=256", "", 400},
                                  {"GET", "/v1/executions/nonsense", "", 400},
                                  {"GET", unknown, "", 404},
                                  {"GET", unknown + "/state", "", 404},
                                  {"GET", unknown + "/result", "", 404},
                                  {"GET", unknown + "/waitpoints/nonsense/token", "", 400},
                                  {"GET", unknown + "/summary?attempt=1", "", 404},
                                  {"POST", unknown + "/signal", "{}", 422},
                                  {"POST", unknown + "/cancel", "{}", 422},
                                  {"POST", unknown + "/replay", "", 404},
                                  {"POST", "/v1/executions", "{", 400},
                                  {"POST", "/v1/executions", "[]", 422},
                                  {"POST", "/v1/executions", R"({"lane_id":5})", 422},
                                  {"POST", "/v1/tasks/renew", R"({"lease":"nonsense"})", 422},
                                  {"POST", "/v1/workers/w/exchange", R"({"claim":[]})", 422},
                                  {"POST", "/v1/workers/w/exchange", R"({"claim":{"kinds":["k"]}})", 422},
                                  {"POST", unknown + "/cancel", std::string(65'537, ' '), 413},
                                  {"GET", "/v1/events?channel=weather", "", 400}};
    for (const auto& [method, target, body, status] : cases) {
        SCOPED_TRACE(method + ' ' + target);
        const auto refused = send(method, target, body);
        EXPECT_EQ(refused.status, status) << refused.body;
        EXPECT_EQ(refused.headers.at("content-type"), "application/json");
        const auto problem = refused.json().as_object();
        EXPECT_FALSE(text(problem.at("error")).empty());
        EXPECT_FALSE(text(problem.at("kind")).empty());
        EXPECT_EQ(problem.at("request_id"), json::value(refused.headers.at("x-request-id")));
        EXPECT_FALSE(problem.contains("retryable"));

        const auto by_rfc = http_call(port(), method, target, body,
                                      {{"Content-Type", "application/json"}, {"Accept", "application/problem+json"}});
        EXPECT_EQ(by_rfc.headers.at("content-type"), "application/problem+json");
        const auto document = by_rfc.json();
        EXPECT_EQ(document.at("status"), status);
        EXPECT_TRUE(document.at("type").is_string() && document.at("title").is_string());
        EXPECT_EQ(document.at("detail"), problem.at("error"));
        EXPECT_EQ(document.at("instance"), json::value(by_rfc.headers.at("x-request-id")));
    }
    const auto wrong_type = http_call(port(), "POST", "/v1/executions", "{}", {{"Content-Type", "text/plain"}});
    EXPECT_EQ(wrong_type.status, 415);
    EXPECT_TRUE(wrong_type.json().at("error").is_string());
}

TEST_P(HttpAssertions, EveryListIsReadInPages) {
    for (const char* lane : {"pages-1", "pages-2", "pages-3"}) create(lane);
    post("/v1/flows/submit", R"({"flow_id":")" + uuid("f1") +
                                 R"(","flow_kind":"k","nodes":[)"
                                 R"({"name":"a","execution":{"execution_kind":"k","lane_id":"pages-1"}},)"
                                 R"({"name":"b","execution":{"execution_kind":"k","lane_id":"pages-1"}},)"
                                 R"({"name":"c","execution":{"execution_kind":"k","lane_id":"pages-1"}}],)"
                                 R"("edges":[{"from":"a","to":"b"},{"from":"a","to":"c"},{"from":"b","to":"c"}]})");
    for (const char* instance : {"w-1", "w-2", "w-3"}) {
        put(std::string("/v1/workers/w/instances/") + instance, R"({"lanes":["pages-1"],"liveness_ttl_ms":60000})");
    }
    for (const char* id : {"f2", "f3"}) post("/v1/flows", R"({"flow_id":")" + uuid(id) + R"(","flow_kind":"k"})");
    for (const char* name : {"a", "b", "c"}) {
        put(std::string("/v1/consumers/completion/") + name, R"({"cursor":"020000000000000001"})");
        post("/v1/webhooks", R"({"name":")" + std::string(name) + R"(","url":"http://127.0.0.1:9/"})");
        put(std::string("/v1/webhooks/") + name, R"({"state":"paused"})");
    }
    const std::string flow = "/v1/flows/" + uuid("f1");
    const std::string last = text(get(flow + "/members").json().at("members").as_array().back().at("execution_id"));
    const std::string one = path_of(text(get("/v1/executions").json().at("executions").at(0)));
    for (const auto& [list, items] : std::vector<std::pair<std::string, std::string>>{
             {"/v1/executions", "executions"},
             {"/v1/executions/search", "executions"},
             {"/v1/lanes", "lanes"},
             {"/v1/workers", "workers"},
             {"/v1/suspended", "executions"},
             {"/v1/leases/expired", "leases"},
             {"/v1/bulk", "operations"},
             {"/v1/flows", "flows"},
             {flow + "/members", "members"},
             {flow + "/edges", "edges"},
             {flow + "/nodes/" + last + "/edges?direction=incoming", "edges"},
             {one + "/attempts", "attempts"},
             {"/v1/settings", "settings"},
             {"/v1/consumers", "consumers"},
             {"/v1/webhooks", "webhooks"},
             {"/v1/admin/tokens", "tokens"},
             {"/v1/admin/signing-keys", "keys"}}) {
        SCOPED_TRACE(list);
        const auto page = [&, list = list](const std::string& query) {
            const auto answer = get(list + (list.find('?') == std::string::npos ? '?' : '&') + query);
            EXPECT_EQ(answer.status, 200) << answer.body;
            return answer.json();
        };
        const auto all = page("limit=5000");
        EXPECT_TRUE(all.at("next_cursor").is_null());
        EXPECT_EQ(page("limit=0").at(items).as_array().size(), 0U);
        json::array read;
        std::string cursor;
        do {
            const auto two = page("limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
            EXPECT_LE(two.at(items).as_array().size(), 2U);
            for (const auto& item : two.at(items).as_array()) read.push_back(item);
            cursor = two.at("next_cursor").is_null() ? "" : text(two.at("next_cursor"));
            // The consumer of a webhook has a blank in its name.
            if (const auto blank = cursor.find(' '); blank != std::string::npos) cursor.replace(blank, 1, "%20");
        } while (!cursor.empty());
        EXPECT_EQ(json::value(read), all.at(items)) << "each once, in the same order";
    }
}

TEST_P(HttpAssertions, AMalformedIdInAPathIsRefusedUnderItsName) {
    const std::string body =
        R"({"reason":"r","worker_id":"w","worker_instance_id":"w-1","lane_id":"l","grant_ttl_ms":1})";
    for (const std::string verb : {"cancel", "reclaim", "replay", "resume"}) {
        const auto refused = post("/v1/executions/nonsense/" + verb, body);
        EXPECT_EQ(refused.status, 400) << refused.body;
        EXPECT_EQ(refused.json().at("details").at(0).at("field"), "execution_id");
    }
}

TEST_P(HttpAssertions, PendingWaitpointsAreAnArrayWithItsNextPageInAHeader) {
    const std::string id = create("many");
    const std::string lease = claim("many");
    for (const char* key : {"a", "b", "c"}) {
        post("/v1/tasks/waitpoints",
             R"({"lease":")" + lease + R"(","waitpoint_key":")" + key + R"(","expires_in_ms":60000})");
    }
    const std::string list = path_of(id) + "/pending-waitpoints";
    const auto all = get(list);
    EXPECT_EQ(all.headers.count("x-next-cursor"), 0U);
    const auto first = get(list + "?limit=2");
    EXPECT_EQ(first.json().as_array().size(), 2U);
    const auto rest = get(list + "?limit=2&after=" + first.headers.at("x-next-cursor"));
    EXPECT_EQ(rest.json().as_array().size(), 1U);
    EXPECT_EQ(rest.headers.count("x-next-cursor"), 0U);
    json::array read = first.json().as_array();
    read.push_back(rest.json().as_array().front());
    EXPECT_EQ(json::value(read), all.json());
    for (const auto& waitpoint : read) {
        EXPECT_EQ(waitpoint.at("state"), "pending");
        EXPECT_EQ(waitpoint.at("execution_id"), json::value(id));
        EXPECT_FALSE(waitpoint.as_object().contains("activated_at"));
    }
    EXPECT_EQ(get(path_of("{fp:7}:" + uuid("01")) + "/pending-waitpoints").status, 404);
}

TEST_P(HttpAssertions, ACallThatReportsOrRenewsNeverWaits) {
    const std::string id = create("busy");
    const std::string lease = claim("busy");
    const auto exchanged = [&](const std::string& items) {
        const auto answer = post("/v1/workers/w/exchange", R"({"worker_instance_id":"w-1",)" + items +
                                                               R"(,"claim":{"lanes":["idle"],"wait_ms":50000}})");
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.headers.count("transfer-encoding"), 0U) << "nothing is sent to keep it open";
        EXPECT_TRUE(answer.json().at("tasks").as_array().empty());
        return answer.json();
    };
    const auto renewed = exchanged(R"("renew":[{"lease":")" + lease + R"("}])");
    EXPECT_TRUE(renewed.at("renew").at(0).at("expires_at_ms").is_int64());
    const auto done = exchanged(R"("done":[{"lease":")" + lease + R"(","outcome":"complete"}])");
    EXPECT_EQ(done.at("done").at(0).at("answer").at("public_state"), "completed");
    EXPECT_EQ(state(id), "completed");
}

TEST_P(HttpAssertions, FfCarriesOutOperationsWithoutACommandOfTheirOwn) {
    const std::string id = create("called");
    const std::string tags = R"({"execution_id":")" + id + R"(","tags":{"shop.order":"7"}})";
    EXPECT_EQ(json_of({"call", "set_execution_tags", tags}).at("count"), 1);
    const std::string url = "http://127.0.0.1:" + std::to_string(port());
    const auto told = run_ff(
        {"call", "--server", url, "get_execution_tag", R"({"execution_id":")" + id + R"(","key":"shop.order"})"});
    EXPECT_EQ(told.output, "\"7\"\n") << told.errors;
    const ScratchFile request;
    std::ofstream(request.path()) << R"({"execution_id":")" + id + R"(","key":"shop.order"})";
    EXPECT_EQ(run({"call", "get_execution_tag", "@" + request.path()}).output, "\"7\"\n");
    const std::string piped = "'" FF_BINARY "' call get_execution_tag - --server " + url + " < " + request.path();
    EXPECT_EQ(run_program({"sh", "-c", piped}).output, "\"7\"\n");
    expect_typed_error(run({"call", "--json", "make_coffee"}), "invalid_input");
    EXPECT_THAT(run({"call", "get_execution_tga"}).errors, HasSubstr("did you mean get_execution_tag?"));
    expect_typed_error(run({"call", "--json", "get_execution_tag", "{"}), "invalid_input");
}

TEST_P(HttpAssertions, TheNumbersOfPartitionsAreToldToWhoMintsIds) {
    const auto partitions = get("/version").json().at("partitions");
    EXPECT_EQ(partitions.at("flow"), flow_partitions);
    EXPECT_EQ(partitions.at("budget"), budget_partitions);
    EXPECT_EQ(partitions.at("quota"), quota_partitions);
}

}  // namespace
}  // namespace flowfabric::test
