#include "api/openapi/event_endpoints.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "flowfabric/state.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::string_view beginning = R"([
    {"name": "from", "in": "query", "required": false,
     "description": "Where to begin: `start`, `now`, or the id of the last event that was seen.",
     "schema": {"type": "string", "default": "now"}},
    {"name": "Last-Event-ID", "in": "header", "required": false,
     "description": "The id of the last event that was seen; it wins over `from`.", "schema": {"type": "string"}}])";

json::object with_beginning(json::array parameters) {
    json::value common = json::parse(beginning);
    for (json::value& parameter : common.as_array()) parameters.push_back(std::move(parameter));
    return {{"parameters", std::move(parameters)}};
}

json::object channel_request(Schemas&) {
    json::array parameters = json::parse(R"([
        {"name": "channel", "in": "query", "required": true, "description": "Which events.",
         "schema": {"type": "string"}},
        {"name": "namespace", "in": "query", "required": false, "description": "Those of one namespace; absent: all.",
         "schema": {"type": "string"}},
        {"name": "partition", "in": "query", "required": false, "description": "Those of one partition; absent: all.",
         "schema": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 255}},
        {"name": "consumer", "in": "query", "required": false,
         "description": "A durable consumer, whose place is kept as events are sent and taken up without `from`.",
         "schema": {"type": "string"}}])")
                                 .as_array();
    json::array channels;
    for (const std::string_view name : enum_names<Channel>) channels.push_back(json::string(name));
    parameters.front().as_object()["schema"].as_object()["enum"] = std::move(channels);
    return with_beginning(std::move(parameters));
}

json::object execution_request(Schemas&) {
    return with_beginning(json::parse(R"([{"name": "id", "in": "path", "required": true,
        "description": "The execution's id, {fp:N}:UUID.", "schema": {"type": "string"}}])")
                              .as_array());
}

json::object stream_answers(Schemas&) {
    return json::parse(R"({
        "200": {"description": "Server-Sent Events: `event` is the channel, `id` a cursor, `data` the event in JSON. A comment is sent when nothing happens for a while.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}}},
        "410": {"description": "Events behind the cursor have been removed.", "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Problem"}},
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}})")
        .as_object();
}

json::object output_request(Schemas&) {
    return json::parse(R"({"parameters": [
        {"name": "id", "in": "path", "required": true,
         "description": "The execution's id, {fp:N}:UUID.", "schema": {"type": "string"}},
        {"name": "attempt", "in": "query", "required": false, "description": "This attempt and no other.",
         "schema": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295}},
        {"name": "visibility", "in": "query", "required": false, "description": "Which frames count.",
         "schema": {"type": "string", "enum": ["all", "exclude_best_effort"], "default": "all"}},
        {"name": "from", "in": "query", "required": false,
         "description": "Where to begin: `current`, the first frame of the current attempt; `start`, that of the first attempt; or the id of the last event that was seen.",
         "schema": {"type": "string", "default": "current"}},
        {"name": "Last-Event-ID", "in": "header", "required": false,
         "description": "The id of the last event that was seen; it wins over `from`.",
         "schema": {"type": "string"}}]})")
        .as_object();
}

json::object output_answers(Schemas&) {
    return json::parse(R"({
        "200": {"description": "Server-Sent Events: `frame` with an attempt's number and the frame as the attempt's stream has it, `closed` where such a stream ends, `end` when the execution has ended. `id` is a cursor. A comment is sent when nothing comes for a while.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}}},
        "204": {"description": "The execution has ended, and nothing is behind the cursor."}})")
        .as_object();
}

}  // namespace

Endpoint execution_output_endpoint() {
    return {.method = "GET",
            .path = "/v1/executions/{id}/stream",
            .name = "follow_output",
            .group = "Streams",
            .summary = "What the attempts of an execution put out, as it comes, from the current one on.",
            .scope = Scope::read,
            .request = output_request,
            .answers = output_answers};
}

Endpoint channel_events_endpoint() {
    return {.method = "GET",
            .path = "/v1/events",
            .name = "follow_channel",
            .group = "Events",
            .summary = "The events of a channel as they happen.",
            .scope = Scope::read,
            .request = channel_request,
            .answers = stream_answers};
}

Endpoint execution_events_endpoint() {
    return {.method = "GET",
            .path = "/v1/executions/{id}/events",
            .name = "follow_execution",
            .group = "Events",
            .summary = "The events of one execution, of all channels, as they happen.",
            .scope = Scope::read,
            .request = execution_request,
            .answers = stream_answers};
}

}  // namespace flowfabric::api
