#include "api/streams/frame_form.hpp"

#include <string>
#include <utility>

#include <boost/json/array.hpp>

#include "api/openapi/answers.hpp"
#include "core/base/base64.hpp"
#include "core/base/names.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

json::string decimal(auto number) {
    return json::string(std::to_string(number));
}

// Sorted by their names, as published clients have them.
json::object fields_of(const StreamFrame& frame) {
    const bool is_text = is_valid_utf8(frame.payload);
    json::object fields;
    if (frame.correlation_id) fields["correlation_id"] = *frame.correlation_id;
    fields["encoding"] = is_text ? "utf8" : "base64";
    fields["frame_type"] = frame.frame_type;
    fields["mode"] = to_string(frame.mode);
    fields["payload"] = is_text ? frame.payload : to_base64(frame.payload);
    fields["source"] = "worker";
    if (frame.summary_version) fields["summary_version"] = decimal(*frame.summary_version);
    fields["ts"] = decimal(frame.ts_ms);
    if (frame.ttl_ms) fields["ttl_ms"] = decimal(*frame.ttl_ms);
    return fields;
}

}  // namespace

json::object frame_in_texts(const StreamFrame& frame) {
    return {{"id", frame.id.to_string()}, {"fields", fields_of(frame)}};
}

json::object end_in_texts(const StreamPage& page) {
    json::object end;
    if (page.closed_at_ms) end["closed_at"] = *page.closed_at_ms;
    if (page.closed_reason) end["closed_reason"] = to_string(*page.closed_reason);
    return end;
}

json::object page_in_texts(const StreamPage& page) {
    json::array frames;
    frames.reserve(page.frames.size());
    for (const StreamFrame& frame : page.frames) frames.push_back(frame_in_texts(frame));
    json::object body{{"frames", std::move(frames)}, {"count", page.frames.size()}};
    if (page.next) body["next_cursor"] = page.next->to_string();
    for (auto& [name, value] : end_in_texts(page)) body[name] = std::move(value);
    return body;
}

json::object page_in_texts_schema(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["frames", "count"], "properties": {
        "frames": {"type": "array", "description": "In the order in which they were added.", "items": {
            "type": "object", "required": ["id", "fields"], "properties": {
            "id": {"type": "string", "description": "The frame's id within its stream, MS-SEQ."},
            "fields": {"type": "object", "additionalProperties": {"type": "string"},
                "required": ["encoding", "frame_type", "mode", "payload", "source", "ts"], "properties": {
                "correlation_id": {"type": "string", "description": "What the worker knows the matter by."},
                "encoding": {"type": "string", "enum": ["utf8", "base64"], "description": "How `payload` is written."},
                "frame_type": {"type": "string", "description": "What it is, in the worker's words, or its kind."},
                "mode": {"type": "string", "enum": ["durable", "summary", "best_effort"],
                    "description": "What the stream keeps of it."},
                "payload": {"type": "string", "description": "The frame's content."},
                "source": {"type": "string", "description": "Who added it: `worker`."},
                "summary_version": {"type": "string", "description": "Of a summary frame, in decimal digits."},
                "ts": {"type": "string", "description": "When it was added, milliseconds in decimal digits."},
                "ttl_ms": {"type": "string", "description": "Of a best-effort frame, in decimal digits."}}}}}},
        "count": {"type": "integer", "minimum": 0, "description": "How many they are."},
        "next_cursor": {"type": "string", "description": "The first frame of the next page; absent at the end."},
        "closed_at": {"type": "integer", "format": "int64",
            "description": "When the stream closed; absent while it is open."},
        "closed_reason": {"type": "string", "description": "Why it closed.", "enum": ["attempt_success",
            "attempt_failure", "attempt_cancelled", "attempt_interrupted", "lease_expired", "expired",
            "suspension_timeout", "dependency_impossible"]}}})");
}

}  // namespace flowfabric::api
