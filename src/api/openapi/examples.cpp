#include "api/openapi/examples.hpp"

#include <algorithm>
#include <utility>

namespace flowfabric::api {
namespace {

constexpr std::pair<std::string_view, std::string_view> examples[] = {
    {"create_execution",
     R"({"execution_kind": "welcome", "lane_id": "mail", "input": {"to": "ada@example.org"}, "tags": {"shop.order": "17"}})"},
    {"cancel_execution", R"({"reason": "no longer needed"})"},
    {"change_priority", R"({"new_priority": 100})"},
    {"set_execution_tags", R"({"tags": {"shop.order": "17"}})"},
    {"claim",
     R"({"worker_id": "mailer", "worker_instance_id": "mailer-1", "lanes": ["mail"], "max": 10, "wait_ms": 20000})"},
    {"renew", R"({"lease": "LEASE"})"},
    {"progress", R"({"lease": "LEASE", "progress_pct": 40, "progress_message": "two of five"})"},
    {"append_frame", R"({"lease": "LEASE", "text": "page 3 of 9", "frame_type": "step"})"},
    {"complete", R"({"lease": "LEASE", "result": {"sent": true}})"},
    {"fail", R"({"lease": "LEASE", "reason": "the mail server does not answer", "category": "transient"})"},
    {"delay", R"({"lease": "LEASE", "delay_until_ms": 1800000000000})"},
    {"suspend",
     R"({"lease": "LEASE", "reason_code": "waiting_for_approval", "waitpoints": [{"Fresh": {"waitpoint_key": "approval"}}],
         "resume_condition": {"Single": {"waitpoint_key": "approval", "matcher": {"ByName": "approved"}}}})"},
    {"release_unstarted", R"({"lease": "LEASE"})"},
    {"deliver_signal",
     R"({"waitpoint_id": "0190a1b2-0000-7000-8000-000000000001", "waitpoint_token": "TOKEN", "signal_name": "approved",
         "signal_category": "approval", "source_type": "user", "source_identity": "ada",
         "signal_id": "0190a1b2-0000-7000-8000-000000000002"})"},
    {"create_flow", R"({"flow_kind": "order", "namespace": "shop"})"},
    {"submit_flow",
     R"({"flow_kind": "order", "nodes": [{"name": "pack", "execution": {"execution_kind": "pack", "input": {"box": 3}}},
         {"name": "send", "execution": {"execution_kind": "send"}}], "edges": [{"from": "pack", "to": "send"}]})"},
    {"create_budget",
     R"({"budget_id": "0190a1b2-0000-7000-8000-000000000003", "scope_type": "tenant", "scope_id": "shop",
         "dimensions": ["tokens"], "hard_limits": [1000000], "soft_limits": [800000], "reset_interval_ms": 86400000})"},
    {"update_budget", R"({"hard_limits": {"tokens": 2000000}})"},
    {"report_usage",
     R"({"lease": "LEASE", "budget_id": "0190a1b2-0000-7000-8000-000000000003", "dimensions": {"tokens": 750}})"},
    {"report_usage_admin", R"({"dimensions": {"tokens": 750}, "dedup_key": "call-17"})"},
    {"record_spend",
     R"({"execution_id": "{fp:7}:0190a1b2-0000-7000-8000-000000000004", "deltas": {"tokens": 750}, "idempotency_key": "call-17"})"},
    {"release_budget", R"({"execution_id": "{fp:7}:0190a1b2-0000-7000-8000-000000000004"})"},
    {"set_lane_state", R"({"state": "paused"})"},
    {"set_setting", R"({"value": "30d"})"},
    {"exchange",
     R"({"worker_instance_id": "mailer-1",
         "done": [{"lease": "LEASE", "outcome": "complete", "result": {"sent": true}}],
         "renew": [{"lease": "LEASE", "progress": {"progress_pct": 40}}], "claim": {"max": 10, "lanes": ["mail"]}})"},
};

}  // namespace

std::string_view example_of(std::string_view operation) {
    const auto* found = std::ranges::find(examples, operation, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(examples) ? std::string_view() : found->second;
}

}  // namespace flowfabric::api
