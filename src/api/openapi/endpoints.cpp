#include <vector>

#include <boost/json/parse.hpp>

#include "api/openapi/answers.hpp"
#include "api/openapi/endpoint.hpp"
#include "api/openapi/event_endpoints.hpp"
#include "api/openapi/problems.hpp"
#include "api/openapi/worker_round.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::string_view server_group = "Server";

json::object health_answers(Schemas& schemas) {
    json::object answers = answered(200, R"({"type": "object", "required": ["status"], "properties": {
        "status": {"type": "string", "examples": ["ok"]}}})");
    answers["200"].as_object()["description"] = "The store answers.";
    json::array parts{problem_item(schemas), json::parse(R"({"type": "object", "properties": {
        "store": {"type": "string", "description": "Its kind."}}})")};
    answers["503"] = json::object{
        {"description", "The store does not answer."},
        {"content",
         json::object{{"application/json", json::object{{"schema", json::object{{"allOf", std::move(parts)}}}}}}}};
    return answers;
}

json::object version_answers(Schemas&) {
    return answered(200, R"({"type": "object", "required": ["version", "store", "partitions"], "properties": {
        "version": {"type": "string"},
        "store": {"type": "string", "description": "Its kind."},
        "partitions": {"type": "object", "required": ["flow", "budget", "quota"],
            "description": "How many there are, for clients that mint ids.",
            "properties": {"flow": {"type": "integer"}, "budget": {"type": "integer"},
                           "quota": {"type": "integer"}}}}})");
}

json::object document_answers(Schemas&) {
    json::object answers = answered(200, R"({"type": "object"})");
    answers["304"] = json::object{{"description", "It is the one that If-None-Match names."}};
    return answers;
}

json::object page_answers(Schemas&) {
    return json::parse(R"({"200": {"description": "A page for people.", "content": {"text/html": {}}}})").as_object();
}

// What anyone may read.
Endpoint readable(std::string_view path, std::string_view name, std::string_view summary,
                  json::object (*answers)(Schemas&)) {
    return {.method = "GET",
            .path = path,
            .name = name,
            .group = server_group,
            .summary = summary,
            .scope = std::nullopt,
            .answers = answers};
}

json::object metrics_answers(Schemas&) {
    return json::parse(R"({"200": {"description": "Metrics in the text format of Prometheus.",
        "content": {"text/plain": {"schema": {"type": "string"}}}}})")
        .as_object();
}

constexpr EndpointGroup groups[] = {
    {"Events", "What happens, as it happens."},
    {server_group, "The server itself: its health, its version and this description."},
};

}  // namespace

std::span<const EndpointGroup> endpoint_groups() {
    return groups;
}

std::span<const Endpoint> endpoints() {
    static const std::vector<Endpoint> all{
        worker_round_endpoint(),
        channel_events_endpoint(),
        execution_events_endpoint(),
        execution_output_endpoint(),
        readable("/livez", "check_life", "Whether the process lives; it looks at nothing else.", health_answers),
        readable("/readyz", "check_readiness",
                 "Whether work may come: the store answers, there is a signing key, and the server is not ending.",
                 health_answers),
        readable("/healthz", "check_health", "Whether the server reaches its store.", health_answers),
        readable("/version", "read_version", "The version of the server.", version_answers),
        readable("/metrics", "read_metrics", "What the server counts and measures.", metrics_answers),
        readable("/v1/openapi.json", "read_openapi", "This description, in OpenAPI 3.1.", document_answers),
        readable("/docs", "read_docs", "This description as a page, without a network but the server's.", page_answers),
    };
    return all;
}

}  // namespace flowfabric::api
