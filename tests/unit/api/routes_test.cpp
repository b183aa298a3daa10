#include "api/routes/route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/operations.hpp"
#include "api/routes/answer_form.hpp"
#include "api/routes/request_form.hpp"
#include "api/struct_type.hpp"
#include "support/route_places.hpp"

// What holds for every route of the table, and how requests and answers change between a route and its operation.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using flowfabric::test::places_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const StructType& request_type(const Route& route) {
    return dynamic_cast<const StructType&>(*find_operation(route.operation)->request);
}

bool has_field(const StructType& type, std::string_view name) {
    const auto dot = name.find('.');
    const auto found = std::ranges::find(type.members(), name.substr(0, dot), &Member::name);
    if (found == type.members().end()) return false;
    if (dot == std::string_view::npos) return true;
    const auto* inner = dynamic_cast<const StructType*>(found->type);
    return inner != nullptr && has_field(*inner, name.substr(dot + 1));
}

const Route& route_of(std::string_view method, std::string_view path) {
    const auto found = std::ranges::find_if(
        routes(), [&](const Route& route) { return route.method == method && route.path == path; });
    if (found == routes().end()) throw std::logic_error("there is no such route");
    return *found;
}

OrProblem<json::object> request_on(const Route& route, std::string_view body, const RequestParts& parts = {}) {
    return request_of(route, *find_operation(route.operation), json::parse(body).as_object(), parts);
}

OrProblem<SentAnswer> answer_on(const Route& route, std::string_view request, std::string_view answer) {
    return answer_of(route, *find_operation(route.operation), json::parse(request).as_object(), json::parse(answer));
}

TEST(Routes, EachNamesAnOperationAndOnlyFieldsThatItHas) {
    for (const Route& route : routes()) {
        SCOPED_TRACE(std::string(route.method) + ' ' + std::string(route.path));
        ASSERT_NE(find_operation(route.operation), nullptr) << route.operation;
        for (const RequestAlias& alias : route.aliases) {
            const bool counts = alias.form != RequestAlias::Form::ignored;
            EXPECT_TRUE(!counts || has_field(request_type(route), alias.field)) << alias.name;
        }
    }
}

TEST(Routes, NoneStandsTwice) {
    std::set<std::string> all;
    for (const Route& route : routes()) {
        EXPECT_TRUE(all.emplace(std::string(route.method) + ' ' + std::string(route.path)).second) << route.path;
    }
}

TEST(Routes, TheIdIsNamedWhereThePathHasOne) {
    for (const Route& route : routes()) {
        EXPECT_EQ(places_of(route.path).contains("id"), !route.id_field.empty()) << route.path;
    }
}

// What an engine does by itself, or another operation does better for callers from outside.
TEST(Routes, EveryOperationForPeopleAndWorkersHasOne) {
    const std::set<std::string_view> internal{"fire_timer",
                                              "ack_cancel_member",
                                              "project_flow_summary",
                                              "issue_claim_grant",
                                              "claim_from_resume_grant",
                                              "seed_waitpoint_hmac_secret",
                                              "list_waitpoint_hmac_kids",
                                              "read_execution_info",
                                              "read_budget_usage_and_limits",
                                              "get_execution_namespace",
                                              "resolve_execution_flow_id",
                                              "read_exec_core_fields",
                                              "read_current_attempt_index",
                                              "read_total_attempt_count"};
    std::vector<std::string_view> missing;
    for (const OperationEntry& entry : operations()) {
        const std::string_view name = entry.operation.name;
        const bool has_route = std::ranges::find(routes(), name, &Route::operation) != routes().end();
        if (!has_route && !internal.contains(name)) missing.push_back(name);
        EXPECT_FALSE(has_route && internal.contains(name)) << name;
    }
    EXPECT_THAT(missing, IsEmpty());
}

TEST(Routes, AnOperationByItsNameAsksForTheScopeOfItsRoute) {
    const auto scope = [](std::string_view operation) {
        return std::ranges::find(named_routes(), operation, &Route::operation)->scope;
    };
    EXPECT_EQ(named_routes().size(), operations().size());
    EXPECT_EQ(scope("create_execution"), Scope::submit);
    EXPECT_EQ(scope("complete"), Scope::worker);
    EXPECT_EQ(scope("describe_flow"), Scope::read);
    EXPECT_EQ(scope("fire_timer"), Scope::admin);
}

// What is sent of pending waitpoints is an array all the same, whose next page is named in a header.
TEST(Routes, EveryListIsReadInPages) {
    const auto is_list = [](std::string_view operation) {
        return operation.starts_with("list_") || operation.starts_with("search_") || operation.starts_with("export_") ||
               operation == "read_statistics";
    };
    for (const Route& route : routes()) {
        // Frames are read from one to another.
        if (route.method != "GET" || route.is_stream_operation) continue;
        SCOPED_TRACE(route.path);
        const Type* answer = find_operation(route.operation)->answer;
        if (const auto* optional = dynamic_cast<const OptionalType*>(answer)) answer = &optional->type();
        EXPECT_EQ(dynamic_cast<const ListType*>(answer), nullptr);
        const auto* page = dynamic_cast<const StructType*>(answer);
        const bool has_next = page != nullptr && has_field(*page, "next_cursor");
        EXPECT_EQ(has_next, is_list(route.operation));
        EXPECT_EQ(has_field(request_type(route), "limit"), has_next);
        EXPECT_EQ(has_field(request_type(route), "cursor"), has_next);
    }
}

// Whether `nodes[].execution.namespace` and its like lead to a field.
bool leads_to_field(const Type& type, std::string_view path) {
    if (const auto* optional = dynamic_cast<const OptionalType*>(&type)) return leads_to_field(optional->type(), path);
    if (const auto* list = dynamic_cast<const ListType*>(&type)) return leads_to_field(list->element(), path);
    const auto dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    const bool of_list = step.ends_with("[]");
    if (of_list) step.remove_suffix(2);
    const auto* fields = dynamic_cast<const StructType*>(&type);
    if (fields == nullptr) return false;
    const auto found = std::ranges::find(fields->members(), step, &Member::name);
    if (found == fields->members().end()) return false;
    if (of_list && dynamic_cast<const ListType*>(found->type) == nullptr) return false;
    return dot == std::string_view::npos || leads_to_field(*found->type, path.substr(dot + 1));
}

TEST(Routes, WhatARequestBelongsToIsAFieldOfIt) {
    for (const Route& route : routes()) {
        for (const Belonging& belonging : route.belongs_to) {
            EXPECT_TRUE(leads_to_field(request_type(route), belonging.field)) << route.operation << belonging.field;
        }
    }
}

TEST(Routes, WhatNamesAnExecutionAFlowALeaseOrANamespaceBelongsToIt) {
    using To = Belonging::To;
    for (const Route& route : routes()) {
        const auto belongs = [&](To to) {
            return std::ranges::find(route.belongs_to, to, &Belonging::to) != route.belongs_to.end();
        };
        for (const auto& [field, to] : {std::pair{"execution_id", To::execution}, std::pair{"flow_id", To::flow},
                                        std::pair{"lease", To::lease}, std::pair{"namespace", To::name}}) {
            if (!has_field(request_type(route), field)) continue;
            const bool of_the_flow = to == To::execution && belongs(To::flow);  // one of its members
            // The worker's own; what it takes may belong to any namespace.
            const bool of_the_worker = route.operation == "claim" && to == To::name;
            EXPECT_TRUE(belongs(to) || of_the_flow || of_the_worker) << route.operation << ' ' << field;
        }
    }
}

TEST(Routes, WhatOperatorsChangeIsAudited) {
    std::set<std::string_view> audited;
    for (const Route& route : routes()) {
        if (is_audited(route)) audited.insert(route.operation);
    }
    for (const std::string_view operation :
         {"cancel_execution", "cancel_flow", "replay_execution", "purge_execution", "revoke_lease", "change_priority",
          "set_lane_state", "set_setting", "read_waitpoint_token", "rotate_waitpoint_hmac_secret", "create_token",
          "revoke_token"}) {
        EXPECT_TRUE(audited.contains(operation)) << operation;
    }
    // A worker signs off by itself.
    for (const std::string_view operation :
         {"create_execution", "complete", "describe_execution", "list_tokens", "mark_worker_dead"}) {
        EXPECT_FALSE(audited.contains(operation)) << operation;
    }
}

TEST(Routes, AnAuditRecordShowsWhatTheRequestIsAbout) {
    const auto subject = [](std::string_view operation) {
        return subject_field(*std::ranges::find(named_routes(), operation, &Route::operation));
    };
    EXPECT_EQ(subject("cancel_execution"), "execution.execution_id");
    EXPECT_EQ(subject("cancel_flow"), "flow_id");
    EXPECT_EQ(subject("set_lane_state"), "lane_id");
    EXPECT_EQ(subject("mark_worker_dead"), "worker_instance_id");
    EXPECT_EQ(subject("create_token"), "name");
    EXPECT_EQ(subject("rotate_waitpoint_hmac_secret"), "new_kid");
    EXPECT_EQ(subject("reseal_signing_keys"), "");
}

TEST(RequestForm, TakesThePublishedNamesBesideItsOwn) {
    const auto request = request_on(route_of("POST", "/v1/executions"),
                                    R"({"input_payload": [0, 255, 104], "delay_until": 5, "policy": null})");
    ASSERT_TRUE(request) << request.error().error;
    EXPECT_EQ(request->at("input_b64"), "AP9o");
    EXPECT_EQ(request->at("delay_until_ms"), 5);
}

TEST(RequestForm, RefusesAPayloadThatIsGivenTwiceOrHoldsNoBytes) {
    const Route& route = route_of("POST", "/v1/executions");
    for (const std::string_view body :
         {R"({"input_payload": [1], "input": 1})", R"({"input_payload": [256]})", R"({"input_payload": "text"})"}) {
        const auto request = request_on(route, body);
        ASSERT_FALSE(request) << body;
        EXPECT_EQ(request.error().status, 422U);
        EXPECT_EQ(request.error().details.at(0).field, "input_payload");
    }
}

TEST(RequestForm, TheSignalsPayloadIsBytesOrAnyOtherJson) {
    const Route& route = route_of("POST", "/v1/executions/{id}/signal");
    const auto bytes = request_on(route, R"({"payload": [104, 105]})");
    EXPECT_EQ(bytes->at("payload_b64"), "aGk=");
    const auto document = request_on(route, R"({"payload": {"ok": true}})");
    EXPECT_EQ(document->at("payload"), (json::object{{"ok", true}}));
}

TEST(RequestForm, ASignalsPayloadThatIsNullIsAbsent) {
    for (const std::string_view path : {"/v1/executions/{id}/signal", "/v1/signals"}) {
        const auto request = request_on(route_of("POST", path), R"({"payload": null})");
        EXPECT_FALSE(request->contains("payload") || request->contains("payload_b64")) << path;
    }
}

TEST(RequestForm, AClaimWaitsForFiftySecondsAtMost) {
    const Route& route = route_of("POST", "/v1/tasks/claim");
    const auto wait = [&](std::string_view body) { return request_on(route, body)->at("max_wait_ms"); };
    EXPECT_EQ(wait("{}"), 0);
    EXPECT_EQ(wait(R"({"wait_ms": null})"), 0);
    EXPECT_EQ(wait(R"({"wait_ms": 5})"), 5);
    EXPECT_EQ(wait(R"({"wait_ms": 60000})"), 50'000);
    const auto refused = request_on(route, R"({"wait_ms": "long"})");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 422U);
    EXPECT_EQ(refused.error().details.at(0).field, "wait_ms");
}

TEST(RequestForm, PutsFieldsIntoTheObjectsThatTheyBelongTo) {
    const auto request = request_on(route_of("POST", "/v1/executions/{id}/cancel"),
                                    R"({"lease_epoch": 3, "reason": "r"})", {.places = {{"id", "{fp:7}:x"}}});
    ASSERT_TRUE(request) << request.error().error;
    EXPECT_EQ(request->at("execution"), (json::object{{"execution_id", "{fp:7}:x"}, {"lease_epoch", 3}}));
}

TEST(RequestForm, RefusesABodyThatSpeaksOfAnotherThanThePath) {
    const auto request = request_on(route_of("POST", "/v1/executions/{id}/cancel"), R"({"execution_id": "b"})",
                                    {.places = {{"id", "a"}}});
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().status, 400U);
    EXPECT_EQ(request.error().error, "path execution_id does not match body execution_id");
}

TEST(RequestForm, ReadsTheQueryAsTheTypesOfItsFields) {
    const Route& route = route_of("GET", "/v1/executions");
    const auto request = request_on(route, "{}", {.query = {{"partition", "7"}, {"limit", "2"}, {"cursor", ""}}});
    ASSERT_TRUE(request);
    EXPECT_EQ(*request, (json::object{{"partition", 7}, {"limit", 2}}));
    const auto bad = request_on(route, "{}", {.query = {{"limit", "many"}}});
    const auto asked = asked_by(route, *find_operation(route.operation), *bad);
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().status, 400U);
    EXPECT_THAT(asked.error().error, HasSubstr("limit"));
}

TEST(RequestForm, TheIdempotencyKeyOfTheHeaderCountsWhereTheBodyHasNone) {
    const Route& route = route_of("POST", "/v1/executions");
    EXPECT_EQ(request_on(route, "{}", {.idempotency_key = "k"})->at("idempotency_key"), "k");
    EXPECT_EQ(request_on(route, R"({"idempotency_key": "own"})", {.idempotency_key = "k"})->at("idempotency_key"),
              "own");
    EXPECT_EQ(request_on(route, R"({"idempotency_key": null})", {.idempotency_key = "k"})->at("idempotency_key"), "k");
    EXPECT_FALSE(request_on(route_of("PUT", "/v1/lanes/{lane_id}"), "{}", {.idempotency_key = "k"})
                     ->contains("idempotency_key"));
}

TEST(AnswerForm, SendsTheFirstFormThatFits) {
    const Route& route = route_of("POST", "/v1/executions");
    const auto created =
        answer_on(route, "{}", R"({"execution_id": "a", "duplicate": false, "public_state": "waiting"})");
    EXPECT_EQ(created->status, 201U);
    EXPECT_EQ(json::serialize(created->body), R"({"Created":{"execution_id":"a","public_state":"waiting"}})");
    const auto duplicate =
        answer_on(route, "{}", R"({"execution_id": "a", "duplicate": true, "public_state": "waiting"})");
    EXPECT_EQ(duplicate->status, 200U);
    EXPECT_EQ(json::serialize(duplicate->body), R"({"Duplicate":{"execution_id":"a"}})");
}

TEST(AnswerForm, AVariantWithoutFieldsIsItsName) {
    const auto sent = answer_on(route_of("POST", "/v1/flows/{id}/edges/apply"), "{}",
                                R"({"unsatisfied_count": 1, "already_there": true})");
    EXPECT_EQ(json::serialize(sent->body), R"("AlreadyApplied")");
}

TEST(AnswerForm, WhatIsNotFoundIsNamed) {
    const auto sent = answer_on(route_of("GET", "/v1/flows/{id}"), R"({"flow_id": "f"})", "null");
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().status, 404U);
    EXPECT_EQ(sent.error().error, "flow not found: f");
}

TEST(AnswerForm, TheLastPageSaysSo) {
    const auto sent = answer_on(route_of("GET", "/v1/lanes"), "{}", R"({"lanes": []})");
    EXPECT_TRUE(sent->body.at("next_cursor").is_null());
}

TEST(AnswerForm, ACancelledFlowTellsWhetherItsMembersHaveEnded) {
    const Route& route = route_of("POST", "/v1/flows/{id}/cancel");
    constexpr std::string_view answer =
        R"({"cancellation_policy": "cancel_all", "members": ["m"], "already_terminal": false, "members_pending": false})";
    EXPECT_EQ(
        json::serialize(answer_on(route, "{}", answer)->body),
        R"({"CancellationScheduled":{"cancellation_policy":"cancel_all","member_execution_ids":["m"],"member_count":1}})");
    EXPECT_EQ(json::serialize(answer_on(route, R"({"max_wait_ms": 5})", answer)->body),
              R"({"Cancelled":{"cancellation_policy":"cancel_all","member_execution_ids":["m"]}})");
}

TEST(AnswerForm, AFlowThatHasEndedNamesAThousandMembersAtMost) {
    const Route& route = route_of("POST", "/v1/flows/{id}/cancel");
    json::object answer{{"cancellation_policy", "cancel_all"}, {"already_terminal", true}, {"members_pending", false}};
    answer["members"] = json::array(1'001, "m");
    const auto again = answer_on(route, "{}", json::serialize(answer));
    EXPECT_EQ(again->body.at("Cancelled").at("member_execution_ids").as_array().size(), 1'000U);
    answer["already_terminal"] = false;
    const auto first = answer_on(route, "{}", json::serialize(answer));
    EXPECT_EQ(first->body.at("CancellationScheduled").at("member_execution_ids").as_array().size(), 1'001U);
}

TEST(Problems, FollowTheFamilyOfTheError) {
    struct Case {
        ErrorKind kind;
        unsigned status;
        std::string_view name;
        std::optional<bool> retryable;
    };
    for (const auto& [kind, status, name, retryable] :
         std::initializer_list<Case>{{ErrorKind::execution_not_found, 404, "execution_not_found", std::nullopt},
                                     {ErrorKind::invalid_input, 400, "invalid_input", std::nullopt},
                                     {ErrorKind::cursor_expired, 410, "cursor_expired", std::nullopt},
                                     {ErrorKind::corruption, 500, "corruption", false},
                                     {ErrorKind::execution_not_active, 409, "execution_not_active", false},
                                     {ErrorKind::execution_not_eligible, 409, "contention", false},
                                     {ErrorKind::stale_graph_revision, 409, "contention", true},
                                     {ErrorKind::retry_exhausted, 503, "retry_exhausted", true},
                                     {ErrorKind::cycle_detected, 409, "cycle_detected", false},
                                     {ErrorKind::stale_lease, 409, "stale_lease", false},
                                     {ErrorKind::resource_exhausted, 429, "resource_exhausted", true},
                                     {ErrorKind::unavailable, 503, "unavailable", false},
                                     {ErrorKind::timeout, 504, "timeout", false},
                                     {ErrorKind::internal, 500, "internal", false}}) {
        const Problem problem = problem_of({.kind = kind, .detail = "why"});
        EXPECT_EQ(problem.status, status) << name;
        EXPECT_EQ(problem.kind, name);
        EXPECT_EQ(problem.retryable, retryable) << name;
    }
}

TEST(Problems, NameTheFieldThatIsToBlame) {
    const Problem problem = problem_of(invalid_input("nodes[2].lane_id", "is empty"));
    ASSERT_EQ(problem.details.size(), 1U);
    EXPECT_EQ(problem.details[0].field, "nodes[2].lane_id");
    EXPECT_EQ(problem.details[0].reason, "is empty");
    EXPECT_TRUE(problem_of({.kind = ErrorKind::stale_lease, .detail = "epoch: 3"}).details.empty());
}

TEST(Routes, AKeyInTheHeaderTellsRequestsApart) {
    const Route& route = route_of("POST", "/v1/executions");
    const auto digest = [&](std::string_view body) {
        RequestParts parts;
        parts.idempotency_key = "k";
        const auto request = request_on(route, body, parts);
        const json::value* found = request->if_contains("request_digest");
        return found == nullptr ? std::string() : std::string(found->as_string());
    };
    const std::string one = digest(R"({"execution_kind":"k","input":{"a":[1,"x"],"b":null}})");
    EXPECT_EQ(one.size(), 64U);
    EXPECT_EQ(digest(R"({"input": {"b": null, "a": [1, "x"]}, "execution_kind": "k"})"), one);
    EXPECT_NE(digest(R"({"execution_kind":"k","input":{"a":["x",1],"b":null}})"), one);
    EXPECT_NE(digest(R"({"execution_kind":"k","input":{"a":[1,"x"]}})"), one);
    EXPECT_EQ(digest(R"({"execution_kind":"k","idempotency_key":"own"})"), "") << "the field is a key alone";
}

TEST(Routes, ATraceInTheHeadersIsTakenUnlessItIsMalformed) {
    const Route& route = route_of("POST", "/v1/executions");
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    RequestParts parts;
    parts.traceparent = trace;
    parts.tracestate = "shop=1";
    auto request = request_on(route, R"({"execution_kind":"k"})", parts);
    EXPECT_EQ(request->at("traceparent"), json::value(trace));
    EXPECT_EQ(request->at("tracestate"), "shop=1");
    request = request_on(route, R"({"execution_kind":"k","traceparent":"own"})", parts);
    EXPECT_EQ(request->at("traceparent"), "own") << "the field holds before the header";
    parts.traceparent = "malformed";
    request = request_on(route, R"({"execution_kind":"k"})", parts);
    EXPECT_FALSE(request->contains("traceparent"));
    EXPECT_FALSE(request->contains("tracestate"));
}

}  // namespace
}  // namespace flowfabric::api
