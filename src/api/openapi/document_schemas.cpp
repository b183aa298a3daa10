#include "api/openapi/document_schemas.hpp"

#include <stdexcept>
#include <string>

#include <boost/json/parse.hpp>

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::string_view backoff = R"({
    "description": "How long to wait between two attempts.",
    "oneOf": [
        {"type": "object", "required": ["type"], "properties": {
            "type": {"const": "fixed"},
            "delay_ms": {"type": "integer", "format": "int64", "minimum": 0, "default": 1000}}},
        {"type": "object", "required": ["type"], "properties": {
            "type": {"const": "exponential"},
            "initial_delay_ms": {"type": "integer", "format": "int64", "minimum": 0, "default": 1000},
            "max_delay_ms": {"type": "integer", "format": "int64", "minimum": 0, "default": 60000},
            "multiplier": {"type": "number", "minimum": 1, "maximum": 1e18, "default": 2},
            "jitter": {"type": "boolean", "default": false,
                       "description": "Whether each delay is drawn from between half of itself and all of it."}}}]
})";

constexpr std::string_view retry_policy = R"({
    "type": "object", "additionalProperties": false,
    "description": "Whether and when an attempt that failed is followed by another.",
    "properties": {
        "max_retries": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295, "default": 3},
        "backoff": {"$ref": "#/components/schemas/Backoff"},
        "retryable_categories": {"type": "array", "maxItems": 256, "items": {"type": "string", "maxLength": 256},
            "description": "Categories of failure that are retried; none: all but permanent and cancelled."}}
})";

constexpr std::string_view execution_policy = R"({
    "type": "object", "additionalProperties": false,
    "description": "The rules of one execution, fixed when it is created.",
    "properties": {
        "priority": {"type": "integer", "format": "int32", "default": 0},
        "delay_until": {"type": "integer", "format": "int64", "minimum": 0, "description": "Not to be claimed before."},
        "retry_policy": {"$ref": "#/components/schemas/RetryPolicy",
            "description": "Absent: the store's setting default_retry_policy, as it is when an attempt fails."},
        "timeout_policy": {"type": "object", "additionalProperties": false, "properties": {
            "attempt_timeout_ms": {"type": "integer", "format": "int64", "minimum": 0,
                "description": "How long each attempt may take."},
            "execution_deadline_ms": {"type": "integer", "format": "int64", "minimum": 0,
                "description": "How long the execution may take."},
            "max_reclaim_count": {"deprecated": true,
                "description": "Accepted and ignored; the field beside timeout_policy counts."}}},
        "routing_requirements": {"type": "object", "additionalProperties": false, "properties": {
            "required_capabilities": {"type": "array", "maxItems": 256, "items": {"type": "string", "minLength": 1},
                "description": "What a worker must be able to do: words without commas and blanks."},
            "preferred_locality": {"type": "string", "maxLength": 256},
            "isolation_level": {"type": "string", "maxLength": 256}}},
        "dedup_window_ms": {"type": "integer", "format": "int64", "minimum": 0,
            "description": "How long the idempotency key is remembered."},
        "max_reclaim_count": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295,
            "description": "How often it may be taken over from workers that are lost."},
        "max_replay_count": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295},
        "suspension_policy": {"type": "object", "additionalProperties": false, "properties": {
            "default_timeout_ms": {"type": "integer", "format": "int64", "minimum": 0},
            "timeout_behavior": {"type": "string", "maxLength": 256, "default": "fail"}}},
        "fallback_policy": {"type": "object", "additionalProperties": false, "properties": {
            "tiers": {"type": "array", "maxItems": 256, "items": {"type": "object", "additionalProperties": false,
                "properties": {
                    "provider": {"type": "string", "maxLength": 256},
                    "model": {"type": "string", "maxLength": 256},
                    "timeout_ms": {"type": "integer", "format": "int64", "minimum": 0}}}}}},
        "budget_ids": {"type": "array", "maxItems": 256, "items": {"type": "string", "maxLength": 256}},
        "quota_policy_id": {"type": "string", "maxLength": 256},
        "stream_policy": {"type": "object", "additionalProperties": false, "properties": {
            "durability_mode": {"type": "string", "maxLength": 256},
            "retention_maxlen": {"type": "integer", "format": "int64", "minimum": 0},
            "retention_ttl_ms": {"type": "integer", "format": "int64", "minimum": 0}}},
        "max_signals_per_execution": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295}}
})";

constexpr std::string_view signal_matcher = R"({
    "description": "Which signals count: all of them, or those of one name.",
    "oneOf": [
        {"const": "Wildcard"},
        {"type": "object", "required": ["ByName"], "properties": {"ByName": {"type": "string"}}}]
})";

constexpr std::string_view resume_condition = R"({
    "description": "When a suspended execution goes on. Waitpoints are named by their keys.",
    "oneOf": [
        {"type": "object", "required": ["Single"], "description": "A signal to one waitpoint.", "properties": {
            "Single": {"type": "object", "additionalProperties": false, "required": ["waitpoint_key", "matcher"],
                "properties": {
                    "waitpoint_key": {"type": "string"},
                    "matcher": {"$ref": "#/components/schemas/SignalMatcher"}}}}},
        {"type": "object", "required": ["Composite"], "properties": {"Composite": {"oneOf": [
            {"type": "object", "additionalProperties": false, "required": ["kind", "members"],
                "description": "All of several conditions.",
                "properties": {
                    "kind": {"const": "AllOf"},
                    "members": {"type": "array", "items": {"$ref": "#/components/schemas/ResumeCondition"}}}},
            {"type": "object", "additionalProperties": false,
                "required": ["kind", "n", "count_kind", "waitpoints"],
                "description": "A number of signals that differ; any of several is a count of 1.",
                "properties": {
                    "kind": {"const": "Count"},
                    "n": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295},
                    "count_kind": {"type": "string",
                        "enum": ["DistinctWaitpoints", "DistinctSignals", "DistinctSources"]},
                    "matcher": {"$ref": "#/components/schemas/SignalMatcher"},
                    "waitpoints": {"type": "array", "items": {"type": "string"}}}}]}}},
        {"const": "OperatorOnly", "description": "Only an operator resumes it."},
        {"const": "TimeoutOnly", "description": "Only the deadline ends it."}]
})";

constexpr DocumentSchema all[] = {
    {"Backoff", backoff},
    {"RetryPolicy", retry_policy},
    {"ExecutionPolicy", execution_policy},
    {"SignalMatcher", signal_matcher},
    {"ResumeCondition", resume_condition},
};

}  // namespace

std::span<const DocumentSchema> document_schemas() {
    return all;
}

// They refer to each other, so that all of them come with the first.
json::object document_schema(std::string_view name, Schemas& schemas) {
    json::object found;
    for (const DocumentSchema& document : all) {
        auto reference = schemas.refer(document.name, [&] { return json::parse(document.schema).as_object(); });
        if (document.name == name) found = std::move(reference);
    }
    if (found.empty()) throw std::logic_error("there is no schema of the document " + std::string(name));
    return found;
}

}  // namespace flowfabric::api
