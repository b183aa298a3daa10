#pragma once

#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <boost/json.hpp>

#include "core/base/handle_codec.hpp"
#include "core/base/partition.hpp"
#include "flowfabric/operations.hpp"

// A document for each operation, as callers send it.
namespace flowfabric::api::test {

// The front door lets each of them in. `$name` stands for an id or a lease; see filled_in.
inline const std::map<std::string_view, std::string_view> samples{
    {"create_execution",
     R"({"execution_id": $execution, "namespace": "shop", "lane_id": "mail", "execution_kind": "send",
         "input": {"to": "ada", "copies": 2}, "payload_encoding": "json", "priority": 70, "creator_identity": "cron",
         "idempotency_key": "order-1", "tags": {"shop.order": "1"},
         "policy": {"priority": 3, "max_replay_count": 2}, "delay_until_ms": 1700000000000,
         "execution_deadline_at_ms": 1800000000000, "request_digest": "c0ffee",
         "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "shop=1"})"},
    {"claim",
     R"({"lanes": ["mail", "default"], "capabilities": ["gpu"], "worker_id": "w", "worker_instance_id": "w-1",
         "lease_ttl_ms": 20000, "attempt_timeout_ms": 60000, "max_count": 10, "max_wait_ms": 100,
         "request_id": "r-1", "namespace": "shop"})"},
    {"renew", R"({"lease": $handle, "lease_ttl_ms": 20000})"},
    {"complete", R"({"lease": $handle, "result": [1, "two", null], "result_encoding": "json"})"},
    {"fail", R"({"lease": $fence, "reason": "no answer", "category": "timeout", "source": "operator_override"})"},
    {"progress", R"({"lease": $handle, "progress_pct": 40, "progress_message": "two of five"})"},
    {"delay", R"({"lease": $handle, "delay_until_ms": 1700000000000, "source": "lease_holder"})"},
    {"release_unstarted", R"({"lease": $handle})"},
    {"cancel", R"({"lease": $handle, "reason": "not needed"})"},
    {"cancel_execution",
     R"({"execution": {"execution_id": $execution}, "reason": "not needed", "source": "system_timeout"})"},
    {"set_execution_tags", R"({"execution_id": $execution, "tags": {"shop.order": "1", "shop.state": "ä"}})"},
    {"change_priority", R"({"execution_id": $execution, "new_priority": 9000})"},
    {"replay_execution", R"({"execution_id": $execution})"},
    {"purge_execution", R"({"execution_id": $execution})"},
    {"revoke_lease",
     R"({"execution_id": $execution, "expected_lease_id": $uuid, "worker_instance_id": "w-1", "reason": "stuck"})"},
    {"issue_grant_and_claim", R"({"execution_id": $execution, "lease_ttl_ms": 20000})"},
    {"fire_timer", R"({"execution_id": $execution, "timer": "attempt_timeout"})"},
    {"reseal_signing_keys", R"({})"},
    {"set_lane_state", R"({"lane_id": "mail", "state": "draining"})"},
    {"set_setting", R"({"name": "execution_retention", "value": "30d"})"},
    {"register_consumer", R"({"channel": "operator", "consumer": "audit", "cursor": "020000000000000000"})"},
    {"acknowledge_events", R"({"channel": "lease", "consumer": "audit", "cursor": "0200000000000000ff"})"},
    {"remove_consumer", R"({"channel": "signal", "consumer": "audit"})"},
    {"register_worker",
     R"({"namespace": "shop", "worker_id": "w", "worker_instance_id": "w-1", "lanes": ["mail"],
         "capabilities": ["gpu"], "liveness_ttl_ms": 20000})"},
    {"heartbeat_worker", R"({"namespace": "shop", "worker_instance_id": "w-1"})"},
    {"mark_worker_dead", R"({"namespace": "shop", "worker_instance_id": "w-1", "reason": "host lost"})"},
    {"set_worker_mode", R"({"namespace": "shop", "worker_id": "w", "worker_instance_id": "w-1", "mode": "quiet"})"},
    {"issue_claim_grant",
     R"({"grant": {"execution_id": $execution, "worker_id": "w", "worker_instance_id": "w-1", "lane_id": "mail",
         "capabilities": ["gpu"], "grant_ttl_ms": 1000, "capability_hash": "ab", "route_snapshot_json": "{}",
         "admission_summary": "fits"}})"},
    {"claim_for_worker",
     R"({"lane_id": "mail", "worker_id": "w", "worker_instance_id": "w-1", "capabilities": ["gpu"],
         "grant_ttl_ms": 1000})"},
    {"claim_execution",
     R"({"claim": {"execution_id": $execution, "worker_id": "w", "worker_instance_id": "w-1", "grant_key": "key",
         "lease_ttl_ms": 20000, "lease_id": $uuid, "attempt_id": $uuid, "expected_attempt_index": 0,
         "attempt_timeout_ms": 60000}})"},
    {"claim_resumed_execution",
     R"({"claim": {"execution_id": $execution, "worker_id": "w", "worker_instance_id": "w-1"}})"},
    {"claim_from_resume_grant",
     R"({"grant": {"execution_id": $execution, "grant_key": "key", "expires_at_ms": 1700000000000, "lane_id": "mail"},
         "worker_id": "w", "worker_instance_id": "w-1", "lease_ttl_ms": 20000})"},
    {"issue_reclaim_grant",
     R"({"grant": {"execution_id": $execution, "worker_id": "w", "worker_instance_id": "w-1", "lane_id": "mail"},
         "max_reclaim_count": 3})"},
    {"reclaim_execution",
     R"({"claim": {"execution_id": $execution, "worker_id": "w", "worker_instance_id": "w-1"},
         "max_reclaim_count": 3})"},
    {"seed_waitpoint_hmac_secret",
     R"({"kid": "k1", "secret_hex": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"})"},
    {"rotate_waitpoint_hmac_secret", R"({"new_kid": "k2", "new_secret_hex": "c0ffee", "grace_ms": 9007199254740991})"},
    {"create_waitpoint", R"({"lease": $handle, "waitpoint_key": "approval", "expires_in_ms": 60000})"},
    {"close_waitpoint", R"({"execution_id": $execution, "waitpoint_id": $uuid, "reason": "cancelled"})"},
    {"suspend",
     R"({"lease": $handle, "suspension_id": $uuid,
         "waitpoints": [{"UsePending": {"waitpoint_id": $uuid}}, {"Fresh": {"waitpoint_key": "paid"}}],
         "resume_condition": {"Single": {"waitpoint_key": "paid", "matcher": {"ByName": "done"}}},
         "resume_policy": {"consume_matched_signals": false, "resume_delay_ms": 100},
         "reason_code": "waiting_for_approval", "requested_by": "operator", "timeout_at_ms": 1700000000000,
         "timeout_behavior": "escalate", "continuation_metadata_pointer": "page 7", "idempotency_key": "once"})"},
    {"deliver_signal",
     R"({"execution_id": $execution, "waitpoint_id": $uuid, "waitpoint_token": "k1:ab", "signal_id": $uuid,
         "signal_name": "done", "signal_category": "payment", "source_type": "hook", "source_identity": "bank",
         "payload_b64": "AP8=", "payload_encoding": "raw", "correlation_id": "c", "idempotency_key": "once",
         "target_scope": "execution", "created_at_ms": -1, "dedup_ttl_ms": 0, "resume_delay_ms": 5,
         "max_signals_per_execution": 9})"},
    {"deliver_approval_signal",
     R"({"execution_id": $execution, "lane_id": "mail", "waitpoint_id": $uuid, "signal_name": "approved",
         "idempotency_suffix": "1", "dedup_ttl_ms": 1000, "max_signals_per_execution": 9})"},
    {"resume_execution", R"({"execution_id": $execution, "trigger": "auto_resume", "resume_delay_ms": 100})"},
    {"submit_flow",
     R"({"flow_id": $flow, "flow_kind": "order", "namespace": "shop", "tags": {"shop.order": "1"},
         "nodes": [{"name": "a", "execution": {"execution_kind": "pack", "input": "box"}, "policy": {"kind": "all_of"}},
                   {"name": "b", "execution": {"execution_kind": "send", "input_b64": "/w=="},
                    "policy": {"kind": "quorum", "k": 1, "on_satisfied": "let_run"}}],
         "edges": [{"from": "a", "to": "b", "dependency_kind": "success_only", "data_passing_ref": "result"}],
         "idempotency_key": "order-1", "request_digest": "c0ffee",
         "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "shop=1"})"},
    {"create_flow",
     R"({"flow_id": $flow, "flow_kind": "order", "namespace": "shop", "idempotency_key": "order-1",
         "request_digest": "c0ffee"})"},
    {"add_execution_to_flow", R"({"flow_id": $flow, "execution_id": $member, "lease": $handle})"},
    {"stage_dependency_edge",
     R"({"flow_id": $flow, "edge_id": $uuid, "upstream_execution_id": $member, "downstream_execution_id": $other,
         "dependency_kind": "success_only", "data_passing_ref": "result", "expected_graph_revision": 4,
         "lease": $fence})"},
    {"apply_dependency_to_child",
     R"({"flow_id": $flow, "edge_id": $uuid, "upstream_execution_id": $member, "downstream_execution_id": $other,
         "lease": $handle})"},
    {"set_edge_group_policy",
     R"({"flow_id": $flow, "downstream_execution_id": $member, "policy": {"kind": "any_of"}, "expected_edges": 2})"},
    {"seal_flow", R"({"flow_id": $flow})"},
    {"set_flow_tag", R"({"flow_id": $flow, "key": "shop.order", "value": "1"})"},
    {"cancel_flow",
     R"({"flow_id": $flow, "cancellation_policy": "cancel_pending", "reason": "no stock", "requester": "ada",
         "grace_ms": 1000, "max_wait_ms": 20000})"},
    {"ack_cancel_member", R"({"flow_id": $flow, "execution_id": $member})"},
    {"wait_children", R"({"lease": $handle, "flow_id": $flow})"},
    {"project_flow_summary", R"({"flow_id": $flow})"},
    {"create_token",
     R"({"name": "ci", "scopes": ["submit", "read"], "namespaces": ["shop"], "expires_at_ms": 1800000000000,
         "rate_limit_per_s": 100})"},
    {"rotate_token", R"({"name": "ci", "overlap_ms": 60000})"},
    {"revoke_token", R"({"name": "ci"})"},

    {"append_frame",
     R"({"lease": $handle, "payload_b64": "AP8=", "payload_encoding": "raw", "kind": "stdout", "frame_type": "delta",
         "correlation_id": "c", "mode": "best_effort", "ttl_ms": 5000, "maxlen_floor": 32, "maxlen_ceiling": 1024,
         "ema_alpha": 0.5})"},
    {"tail_stream",
     R"({"execution_id": $execution, "attempt_index": 0, "after": "1700000000000-3", "block_ms": 5000, "limit": 20,
         "visibility": "exclude_best_effort"})"},
    {"read_stream",
     R"({"execution_id": $execution, "attempt_index": 0, "from": "start", "to": "1700000000000", "limit": 20})"},
    {"read_stream_summary", R"({"execution_id": $execution, "attempt_index": 0})"},

    {"describe_execution", R"({"execution_id": $execution})"},
    {"find_executions", R"({"uuid": $uuid})"},
    {"read_execution_info", R"({"execution_id": $execution})"},
    {"read_execution_state", R"({"execution_id": $execution})"},
    {"start_bulk_operation",
     R"({"operation_id": $uuid, "action": "replay", "reason": "fixed", "requester": "ada", "idempotency_key": "k",
         "filter": {"lane_id": "mail", "public_state": ["failed"], "execution_kind": "send", "tag_key": "shop.order",
         "tag_value": "1", "created_after_ms": 1, "created_before_ms": 9, "namespace": "shop", "flow_id": $flow}})"},
    {"cancel_bulk_operation", R"({"operation_id": $uuid})"},
    {"preview_bulk_operation", R"({"action": "cancel", "filter": {"lane_id": "mail"}, "limit": 5})"},
    {"get_bulk_operation", R"({"operation_id": $uuid})"},
    {"list_bulk_operations", R"({"cursor": $uuid, "limit": 5})"},
    {"create_webhook",
     R"({"name": "billing", "url": "https://example.org/hooks?from=shop", "channel": "lease", "namespace": "shop",
         "types": ["acquired"], "max_batch": 100, "source": "urn:shop", "cursor": "020000000000000001"})"},
    {"update_webhook",
     R"({"name": "billing", "url": "http://127.0.0.1:9/", "types": [], "max_batch": 1, "state": "paused"})"},
    {"rotate_webhook_secret", R"({"name": "billing", "overlap_ms": 0})"},
    {"remove_webhook", R"({"name": "billing"})"},
    {"redeliver_webhook_events", R"({"name": "billing", "event_id": 7})"},
    {"list_webhooks", R"({"cursor": "billing", "limit": 5})"},
    {"get_webhook", R"({"name": "billing"})"},
    {"list_webhook_failures", R"({"name": "billing", "cursor": 7, "limit": 5})"},
    {"create_budget",
     R"({"budget_id": $uuid, "scope_type": "tenant", "scope_id": "shop", "enforcement_mode": "warn",
         "on_hard_limit": "fail", "on_soft_limit": "none", "reset_interval_ms": 86400000,
         "dimensions": ["calls", "tokens"], "hard_limits": [0, 1000], "soft_limits": [10, 800],
         "parent_budget_id": "0190a1b2-0000-7000-8000-000000000005"})"},
    {"update_budget",
     R"({"budget_id": $uuid, "enforcement_mode": "strict", "on_hard_limit": "fail", "on_soft_limit": "warn",
         "reset_interval_ms": 0, "hard_limits": {"tokens": 9223372036854775807}, "soft_limits": {"tokens": 0}})"},
    {"delete_budget", R"({"budget_id": $uuid})"},
    {"report_usage",
     R"({"lease": $handle, "budget_id": $uuid, "dimensions": {"tokens": 750, "calls": 1}, "dedup_key": "call-17"})"},
    {"report_usage_admin", R"({"budget_id": $uuid, "dimensions": {"tokens": 750}, "dedup_key": "call-17"})"},
    {"record_spend",
     R"({"budget_id": $uuid, "execution_id": $execution, "deltas": {"tokens": 750}, "idempotency_key": "call-17"})"},
    {"release_budget", R"({"budget_id": $uuid, "execution_id": $execution})"},
    {"reset_budget", R"({"budget_id": $uuid})"},
    {"get_budget_status", R"({"budget_id": $uuid})"},
    {"read_budget_usage_and_limits", R"({"budget_id": $uuid})"},
    {"list_budgets", R"({"cursor": $uuid, "limit": 5})"},
    {"search_executions",
     R"({"lane_id": "mail", "public_state": ["failed", "expired"], "execution_kind": "send", "tag_key": "shop.order",
         "tag_value": "1", "created_after_ms": 1, "created_before_ms": 9, "namespace": "shop", "flow_id": $flow,
         "cursor": "1700000000000:{fp:86}:$plain_uuid", "limit": 5})"},
    {"export_executions",
     R"({"lane_id": "mail", "public_state": ["completed"], "execution_kind": "send", "tag_key": "shop.order",
         "tag_value": "1", "created_after_ms": 1, "created_before_ms": 9, "namespace": "shop", "flow_id": $flow,
         "input": true, "result": true, "cursor": "1700000000000:{fp:86}:$plain_uuid", "limit": 5})"},
    {"get_execution_result", R"({"execution_id": $execution})"},
    {"get_attempt", R"({"execution_id": $execution, "attempt_index": 2})"},
    {"get_attempt_result", R"({"execution_id": $execution, "attempt_index": 0})"},
    {"get_execution_input", R"({"execution_id": $execution})"},
    {"get_execution_namespace", R"({"execution_id": $execution})"},
    {"get_execution_tag", R"({"execution_id": $execution, "key": "shop.order"})"},
    {"resolve_execution_flow_id", R"({"execution_id": $execution})"},
    {"list_attempts", R"({"execution_id": $execution, "cursor": 3, "limit": 10})"},
    {"explain_execution", R"({"execution_id": $execution})"},
    {"read_exec_core_fields", R"({"execution_id": $execution, "names": ["lane_id", "priority"]})"},
    {"read_execution_context", R"({"execution_id": $execution})"},
    {"read_current_attempt_index", R"({"execution_id": $execution})"},
    {"read_total_attempt_count", R"({"execution_id": $execution})"},
    {"list_executions", R"({"partition": 86, "public_state": "waiting", "cursor": $execution, "limit": 10})"},
    {"list_expired_leases",
     R"({"as_of_ms": 1700000000000, "namespace": "shop", "cursor": "1700000000000:{fp:86}:$plain_uuid", "limit": 10})"},
    {"describe_lane", R"({"lane_id": "mail"})"},
    {"list_lanes", R"({"cursor": "mail", "limit": 10})"},
    {"list_settings", R"({"cursor": "event_retention", "limit": 5})"},
    {"list_workers", R"({"namespace": "shop", "cursor": "4:shop:w:1", "limit": 10})"},
    {"list_waitpoint_hmac_kids", R"({})"},
    {"list_signing_keys", R"({"cursor": "k1", "limit": 5})"},
    {"list_consumers", R"({"cursor": "completion:billing", "limit": 5})"},
    {"list_suspended", R"({"partition": 86, "cursor": "-1:{fp:86}:$plain_uuid", "limit": 10})"},
    {"list_pending_waitpoints", R"({"execution_id": $execution, "cursor": $uuid, "limit": 10})"},
    {"read_waitpoint_token", R"({"partition": 86, "waitpoint_id": $uuid, "execution_id": $execution})"},
    {"observe_signals", R"({"lease": $handle})"},
    {"describe_flow", R"({"flow_id": $flow})"},
    {"get_flow_tag", R"({"flow_id": $flow, "key": "shop.order"})"},
    {"get_flow_summary", R"({"flow_id": $flow})"},
    {"list_flows", R"({"partition": 86, "namespace": "shop", "cursor": $flow, "limit": 10})"},
    {"list_edges",
     R"({"flow_id": $flow, "execution_id": $member, "direction": "incoming", "cursor": $uuid, "limit": 10})"},
    {"describe_edge", R"({"flow_id": $flow, "edge_id": $uuid})"},
    {"evaluate_flow_eligibility", R"({"execution_id": $execution})"},
    {"list_flow_members", R"({"flow_id": $flow, "cursor": $member, "limit": 10})"},
    {"list_flow_edges", R"({"flow_id": $flow, "cursor": $uuid, "limit": 10})"},
    {"read_statistics", R"({"lane_id": "mail", "limit": 10})"},
    {"get_flow_graph", R"({"flow_id": $flow})"},
    {"list_tokens", R"({"cursor": "ci", "limit": 5})"},
};

inline constexpr std::string_view uuid = "550e8400-e29b-41d4-a716-446655440000";
inline const std::string execution = "{fp:86}:" + std::string(uuid);

inline const Handle handle = encode_handle(BackendTag::memory, HandleKind::fresh,
                                           {.execution_id = *ExecutionId::parse(execution),
                                            .lease_epoch = 3,
                                            .lease_ttl_ms = 30'000,
                                            .lane_id = "default",
                                            .worker_instance_id = "w-1"});

inline std::string filled_in(std::string document) {
    const FlowId flow = *FlowId::parse(uuid);
    const auto member = [&](std::uint8_t number) {
        ExecutionId id{flow_partition(flow), flow.uuid};
        id.uuid.bytes.back() = number;
        return id.to_string();
    };
    const auto quoted = [](std::string_view text) { return '"' + std::string(text) + '"'; };
    const std::string fence =
        R"({"execution_id": $execution, "lease_id": $uuid, "lease_epoch": 3, "attempt_id": $uuid})";
    for (const auto& [name, value] :
         std::array<std::pair<std::string_view, std::string>, 8>{{{"$plain_uuid", std::string(uuid)},
                                                                  {"$fence", fence},
                                                                  {"$handle", quoted(handle.to_string())},
                                                                  {"$execution", quoted(execution)},
                                                                  {"$member", quoted(member(1))},
                                                                  {"$other", quoted(member(2))},
                                                                  {"$flow", quoted(uuid)},
                                                                  {"$uuid", quoted(uuid)}}}) {
        for (auto at = document.find(name); at != std::string::npos; at = document.find(name)) {
            document.replace(at, name.size(), value);
        }
    }
    return document;
}

inline boost::json::value document_of(std::string_view text) {
    return boost::json::parse(filled_in(std::string(text)));
}

inline boost::json::object sample_of(std::string_view operation) {
    const auto found = samples.find(operation);
    if (found == samples.end()) throw std::runtime_error("no sample of " + std::string(operation));
    return document_of(found->second).as_object();
}

// Calls `visit` with the std::type_identity of every one of them.
template <class Kinds, class Visit>
void each_of(Visit&& visit) {
    [&]<class... Asked>(std::type_identity<std::variant<Asked...>>) {
        (visit(std::type_identity<Asked>{}), ...);
    }(std::type_identity<Kinds>{});
}

template <class Visit>
void each_command(Visit&& visit) {
    each_of<Commands>(visit);
}

template <class Visit>
void each_query(Visit&& visit) {
    each_of<Queries>(visit);
}

// Of both.
template <class Visit>
void each_operation(Visit&& visit) {
    each_command(visit);
    each_query(visit);
}

}  // namespace flowfabric::api::test
