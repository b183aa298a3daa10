#include <gtest/gtest.h>

#include <optional>

#include <boost/json.hpp>

#include "flowfabric/execution_reads.hpp"
#include "flowfabric/flow_reads.hpp"
#include "flowfabric/suspension.hpp"
#include "flowfabric/views.hpp"
#include "unit/api/documents.hpp"

// What reads return, as documents.
namespace flowfabric::api::test {
namespace {

// ---- executions -----------------------------------------------------------------------------------------------------

TEST(ApiExecutionViews, AnExecutionThatWaitsLeavesOutWhatItDoesNotHave) {
    ExecutionView view;
    view.execution_id = execution('1');
    view.namespace_name = "billing";
    view.lane_id = "default";
    view.execution_kind = "invoice";
    view.created_at_ms = view.last_mutation_at_ms = 1000;
    expect_document(view, R"({
        "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
        "namespace": "billing",
        "lane_id": "default",
        "execution_kind": "invoice",
        "priority": 0,
        "public_state": "waiting",
        "state_vector": {
            "lifecycle_phase": "runnable",
            "ownership_state": "unowned",
            "eligibility_state": "eligible_now",
            "blocking_reason": "waiting_for_worker",
            "terminal_outcome": "none",
            "attempt_state": "pending_first_attempt",
            "public_state": "waiting"
        },
        "blocking_detail": "",
        "required_capabilities": [],
        "tags": {},
        "created_at_ms": 1000,
        "last_mutation_at_ms": 1000,
        "current_attempt_index": 0,
        "total_attempt_count": 0,
        "retry_count": 0,
        "lease_reclaim_count": 0
    })");
}

TEST(ApiExecutionViews, AnExecutionThatRunsShowsItsLeaseAndItsAttempt) {
    ExecutionView view;
    view.execution_id = execution('1');
    view.flow_id = id<FlowId>('2');
    view.namespace_name = "billing";
    view.lane_id = "fast";
    view.execution_kind = "invoice";
    view.priority = 5;
    view.vector = {.lifecycle_phase = LifecyclePhase::active,
                   .ownership_state = OwnershipState::leased,
                   .eligibility_state = EligibilityState::not_applicable,
                   .blocking_reason = BlockingReason::none,
                   .terminal_outcome = TerminalOutcome::none,
                   .attempt_state = AttemptState::running_attempt,
                   .public_state = PublicState::active};
    view.required_capabilities = {"gpu", "x86"};
    view.tags = {{"app.customer", "acme"}};
    view.created_at_ms = 1000;
    view.started_at_ms = 2000;
    view.deadline_at_ms = 9000;
    view.last_mutation_at_ms = 3000;
    view.total_attempt_count = 2;
    view.retry_count = 1;
    view.failure_reason = "no route";
    view.failure_category = "transient";
    view.progress_pct = 40;
    view.progress_message = "page 4";
    view.progress_updated_at_ms = 3000;
    view.current_lease = LeaseView{.lease_id = id<LeaseId>('3'),
                                   .lease_epoch = {4},
                                   .attempt_index = 1,
                                   .worker_id = "w",
                                   .worker_instance_id = "w-1",
                                   .acquired_at_ms = 2500,
                                   .expires_at_ms = 4500,
                                   .last_renewed_at_ms = 2600};
    view.current_attempt = AttemptView{.attempt_index = 1,
                                       .attempt_id = id<AttemptId>('5'),
                                       .attempt_type = AttemptType::retry,
                                       .outcome = AttemptOutcome::started,
                                       .worker_id = "w",
                                       .worker_instance_id = "w-1",
                                       .lease_id = id<LeaseId>('3'),
                                       .lease_epoch = {4},
                                       .started_at_ms = 2500,
                                       .ended_at_ms = std::nullopt,
                                       .failure_reason = std::nullopt,
                                       .failure_category = std::nullopt,
                                       .previous_attempt_index = 0};
    expect_document(view, R"({
        "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
        "flow_id": "00000000-0000-7000-8000-000000000002",
        "namespace": "billing",
        "lane_id": "fast",
        "execution_kind": "invoice",
        "priority": 5,
        "public_state": "active",
        "state_vector": {
            "lifecycle_phase": "active",
            "ownership_state": "leased",
            "eligibility_state": "not_applicable",
            "blocking_reason": "none",
            "terminal_outcome": "none",
            "attempt_state": "running_attempt",
            "public_state": "active"
        },
        "blocking_detail": "",
        "required_capabilities": ["gpu", "x86"],
        "tags": {"app.customer": "acme"},
        "created_at_ms": 1000,
        "started_at_ms": 2000,
        "execution_deadline_at_ms": 9000,
        "last_mutation_at_ms": 3000,
        "current_attempt_index": 0,
        "total_attempt_count": 2,
        "retry_count": 1,
        "lease_reclaim_count": 0,
        "failure_reason": "no route",
        "failure_category": "transient",
        "progress_pct": 40,
        "progress_message": "page 4",
        "progress_updated_at_ms": 3000,
        "current_lease": {
            "lease_id": "00000000-0000-7000-8000-000000000003",
            "lease_epoch": 4,
            "attempt_index": 1,
            "worker_id": "w",
            "worker_instance_id": "w-1",
            "acquired_at_ms": 2500,
            "expires_at_ms": 4500,
            "last_renewed_at_ms": 2600
        },
        "current_attempt": {
            "attempt_index": 1,
            "attempt_id": "00000000-0000-7000-8000-000000000005",
            "attempt_type": "retry",
            "outcome": "started",
            "worker_id": "w",
            "worker_instance_id": "w-1",
            "lease_id": "00000000-0000-7000-8000-000000000003",
            "lease_epoch": 4,
            "started_at_ms": 2500,
            "previous_attempt_index": 0
        }
    })");
}

TEST(ApiExecutionViews, AContextShowsInputThatIsJsonAsItIsAndOtherInputAsBase64) {
    ExecutionContext context{
        .input_payload = R"({"n":1})", .payload_encoding = "json", .execution_kind = "invoice", .tags = {}};
    expect_document(context,
                    R"({"input": {"n": 1}, "payload_encoding": "json", "execution_kind": "invoice", "tags": {}})");
    context.input_payload = "\x01\xFF";
    context.payload_encoding.reset();
    expect_document(context, R"({"input_b64": "Af8=", "execution_kind": "invoice", "tags": {}})");
}

TEST(ApiExecutionViews, AnExplanationListsItsObstacles) {
    const Explanation explanation{.execution_id = execution('1'),
                                  .public_state = PublicState::delayed,
                                  .obstacles = {{.predicate = "retry_backoff",
                                                 .detail = "it waits before the next attempt",
                                                 .since_ms = 1000,
                                                 .until_ms = 3000,
                                                 .remedy = "time passes"},
                                                {.predicate = "lane_paused",
                                                 .detail = "the lane is paused",
                                                 .since_ms = 500,
                                                 .until_ms = std::nullopt,
                                                 .remedy = "the lane is opened"}}};
    expect_document(explanation, R"({
        "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
        "public_state": "delayed",
        "obstacles": [
            {
                "predicate": "retry_backoff",
                "detail": "it waits before the next attempt",
                "since_ms": 1000,
                "until_ms": 3000,
                "remedy": "time passes"
            },
            {
                "predicate": "lane_paused",
                "detail": "the lane is paused",
                "since_ms": 500,
                "remedy": "the lane is opened"
            }
        ]
    })");
}

// ---- pages ----------------------------------------------------------------------------------------------------------

TEST(ApiPages, APageNamesTheNextOneUntilTheLast) {
    LanePage page;
    page.lanes = {{.lane_id = "fast",
                   .state = LaneState::paused,
                   .state_changed_at_ms = 2000,
                   .registered_at_ms = 1000,
                   .registered_by = "engine"}};
    page.next = "fast";
    expect_document(page, R"({
        "lanes": [
            {
                "lane_id": "fast",
                "state": "paused",
                "state_changed_at_ms": 2000,
                "registered_at_ms": 1000,
                "registered_by": "engine"
            }
        ],
        "next_cursor": "fast"
    })");
    expect_document(LanePage{}, R"({"lanes": []})");
}

TEST(ApiPages, ThePlaceBehindAPageIsTakenBackByTheQuery) {
    SuspendedPage page;
    page.executions = {{.execution_id = execution('1'),
                        .suspension_id = id<SuspensionId>('2'),
                        .suspended_at_ms = 1000,
                        .reason = SuspensionReason::waiting_for_approval,
                        .timeout_at_ms = 5000}};
    page.next = SuspendedPlace{1000, execution('1')};
    expect_document(page, R"({
        "executions": [
            {
                "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
                "suspension_id": "00000000-0000-7000-8000-000000000002",
                "suspended_at_ms": 1000,
                "reason_code": "waiting_for_approval",
                "timeout_at_ms": 5000
            }
        ],
        "next_cursor": "1000:{fp:7}:00000000-0000-7000-8000-000000000001"
    })");
    const auto query =
        from_json<ListSuspended>(boost::json::object{{"cursor", to_json(page).at("next_cursor")}, {"partition", 7}});
    ASSERT_TRUE(query) << to_string(query.error());
    EXPECT_EQ(query->after, page.next);
    EXPECT_EQ(query->partition, 7);
    EXPECT_EQ(query->limit, 50U);
}

TEST(ApiPages, TheNamesInAWorkersPlaceMayHaveColons) {
    for (const WorkerPlace& place : {WorkerPlace{"shop", "w-1"}, WorkerPlace{"a:b", ":c"}, WorkerPlace{"", ""}}) {
        WorkerPage page;
        page.next = place;
        const auto query = from_json<ListWorkers>(boost::json::object{{"cursor", to_json(page).at("next_cursor")}});
        ASSERT_TRUE(query) << to_string(query.error());
        EXPECT_EQ(query->after, place);
    }
}

TEST(ApiPages, WhatIsNoPlaceIsRefusedByName) {
    for (const std::string_view text : {"", "1", "1:", "x:{fp:7}:00000000-0000-7000-8000-000000000001", "1:{fp:7}"}) {
        const auto query = from_json<ListSuspended>(boost::json::object{{"cursor", text}});
        ASSERT_FALSE(query) << text;
        EXPECT_EQ(query.error(), invalid_input("cursor", "must be the next_cursor of a page"));
    }
    for (const std::string_view text : {"", "4", "4:", "4:shop", "-1:shop:w", "9:shop:w", "shop:w"}) {
        const auto query = from_json<ListWorkers>(boost::json::object{{"cursor", text}});
        ASSERT_FALSE(query) << text;
        EXPECT_EQ(query.error(), invalid_input("cursor", "must be the next_cursor of a page"));
    }
}

TEST(ApiPages, APayloadComesInTheFormOfItsEncoding) {
    expect_document(GetExecutionResult::Answer({PublicState::completed, R"({"sum": 3})", "json"}),
                    R"({"public_state": "completed", "result": {"sum": 3}, "result_encoding": "json"})");
    expect_document(GetExecutionResult::Answer({PublicState::completed, "\xFF", std::nullopt}),
                    R"({"public_state": "completed", "result_b64": "/w=="})");
    expect_document(GetExecutionInput::Answer({"[1]", "json"}), R"({"input": [1], "payload_encoding": "json"})");
    expect_document(GetExecutionInput::Answer{}, "null");
}

// ---- flows ----------------------------------------------------------------------------------------------------------

TEST(ApiFlowViews, AFlowShowsItsGroups) {
    FlowSnapshot flow;
    flow.flow_id = id<FlowId>('1');
    flow.flow_kind = "report";
    flow.namespace_name = "billing";
    flow.state = FlowPhase::running;
    flow.sealed = true;
    flow.graph_revision = 5;
    flow.node_count = 3;
    flow.edge_count = 2;
    flow.created_at_ms = 1000;
    flow.last_mutation_at_ms = 2000;
    flow.tags = {{"app.customer", "acme"}};
    flow.edge_groups = {{.downstream = execution('2'),
                         .policy = {GroupKind::quorum, 2, OnSatisfied::let_run},
                         .total = 2,
                         .satisfied = 1,
                         .running = 1,
                         .state = GroupState::pending}};
    expect_document(flow, R"({
        "flow_id": "00000000-0000-7000-8000-000000000001",
        "flow_kind": "report",
        "namespace": "billing",
        "state": "running",
        "sealed": true,
        "graph_revision": 5,
        "node_count": 3,
        "edge_count": 2,
        "created_at_ms": 1000,
        "last_mutation_at_ms": 2000,
        "tags": {"app.customer": "acme"},
        "edge_groups": [
            {
                "downstream_execution_id": "{fp:7}:00000000-0000-7000-8000-000000000002",
                "policy": {"kind": "quorum", "k": 2, "on_satisfied": "let_run"},
                "total": 2,
                "satisfied": 1,
                "failed": 0,
                "skipped": 0,
                "running": 1,
                "state": "pending"
            }
        ]
    })");
}

TEST(ApiFlowViews, AnEdgeNamesBothOfItsExecutions) {
    EdgeSnapshot edge;
    edge.edge_id = id<EdgeId>('1');
    edge.flow_id = id<FlowId>('2');
    edge.upstream = execution('3');
    edge.downstream = execution('4');
    edge.edge_state = EdgeState::applied;
    edge.dependency_state = DependencyState::satisfied;
    edge.created_at_ms = 1000;
    expect_document(edge, R"({
        "edge_id": "00000000-0000-7000-8000-000000000001",
        "flow_id": "00000000-0000-7000-8000-000000000002",
        "upstream_execution_id": "{fp:7}:00000000-0000-7000-8000-000000000003",
        "downstream_execution_id": "{fp:7}:00000000-0000-7000-8000-000000000004",
        "dependency_kind": "success_only",
        "satisfaction_condition": "all_required",
        "edge_state": "applied",
        "dependency_state": "satisfied",
        "created_at_ms": 1000,
        "created_by": "engine"
    })");
}

TEST(ApiFlowViews, EdgesCanBeAskedForInBothDirections) {
    const auto query = from_json<ListEdges>(boost::json::parse(R"({
        "flow_id": "00000000-0000-7000-8000-000000000001",
        "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000002",
        "direction": "incoming"
    })"));
    ASSERT_TRUE(query) << to_string(query.error());
    EXPECT_EQ(query->execution_id, execution('2'));
    EXPECT_EQ(query->direction, ListEdges::Direction::incoming);
}

}  // namespace
}  // namespace flowfabric::api::test
