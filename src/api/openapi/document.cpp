#include "api/openapi/document.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/openapi/answers.hpp"
#include "api/openapi/endpoint.hpp"
#include "api/openapi/examples.hpp"
#include "api/openapi/problems.hpp"
#include "api/openapi/route_description.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::string_view introduction =
    "FlowFabric runs durable work: executions that survive crashes, wait for signals, and depend on one another.\n\n"
    "Unknown fields are ignored, but for those of a policy, and null counts as absent. Times are milliseconds since "
    "1970; 64-bit integers are JSON numbers. Lengths of texts are bytes of UTF-8. A payload comes under its field's "
    "name as any JSON value, or under NAME_b64 as bytes in base64; answers use the first where the stored encoding is "
    "`json`. An id of an execution, `{fp:N}:UUID`, may stand in a path as it is or percent-encoded. `PATH:batch` takes "
    "many bodies in one request and answers each by itself. `Request-Timeout`, in seconds, says how long a client "
    "waits: "
    "then it gets 504.";

constexpr std::string_view by_name_group = "Operations by name";

// A method of a path, while it is collected.
struct Entry {
    std::string path;
    std::string method;
    json::object description;
};

std::string lower(std::string_view method) {
    std::string text(method);
    for (char& c : text) c = static_cast<char>(c | 0x20);
    return text;
}

// Names of operations that have several routes: the last part of the path tells them apart.
class EntryNames {
  public:
    std::string name_of(const Route& route) {
        std::string name(route.operation);
        if (!taken_.insert(name).second) {
            name.append("_at_").append(route.path.substr(route.path.rfind('/') + 1));
            std::erase_if(name, [](char c) { return c == '{' || c == '}'; });
        }
        return name;
    }

  private:
    std::set<std::string> taken_;
};

json::object about(std::string_view name, std::string_view group, std::string_view summary,
                   std::optional<Scope> scope) {
    json::object description{{"operationId", name}, {"tags", json::array{group}}, {"summary", summary}};
    json::array security;
    if (scope) security.push_back(json::object{{"bearer", json::array{to_string(*scope)}}});
    description["security"] = std::move(security);
    return description;
}

json::object body_of(json::object schema, std::uint64_t limit, std::string_view example) {
    const bool required = schema.contains("$ref") || schema.contains("required") || schema.contains("allOf");
    json::object media{{"schema", std::move(schema)}};
    if (!example.empty()) media["example"] = json::parse(example);
    return {{"required", required},
            {"content", json::object{{"application/json", std::move(media)}}},
            {"x-max-bytes", limit}};
}

json::object batch_body(json::object item) {
    json::object items = list_of(std::move(item));
    items["maxItems"] = 10'000;
    return {{"type", "object"}, {"required", json::array{"items"}}, {"properties", json::object{{"items", items}}}};
}

// Each item's answer, or what kept it from one.
json::object batch_answer(const json::object& single, Schemas& schemas) {
    json::array choices;
    for (const auto& [status, answer] : single) {
        const json::value* content = answer.as_object().if_contains("content");
        const json::value* media = content == nullptr ? nullptr : content->as_object().if_contains("application/json");
        if (media != nullptr) choices.push_back(media->at("schema"));
    }
    json::value answer = choices.size() == 1 ? choices.front() : json::object{{"anyOf", std::move(choices)}};
    json::object item{{"type", "object"},
                      {"properties", json::object{{"answer", std::move(answer)}, {"problem", problem_item(schemas)}}}};
    return answered(200, json::object{{"type", "object"},
                                      {"required", json::array{"items"}},
                                      {"properties", json::object{{"items", list_of(std::move(item))}}}});
}

void add_refusals(json::object& description, const MayRefuse& refusals, json::object answers) {
    for (auto& [status, answer] : problem_answers(refusals)) answers[status] = answer;
    description["responses"] = std::move(answers);
}

// ---- operations -----------------------------------------------------------------------------------------------------

struct RouteEntry {
    const Route& route;
    const OperationEntry& operation;
    Entry single;
    std::optional<Entry> batch;
};

json::object batch_description(const Route& route, const std::string& name, std::string_view summary) {
    return about(name + "_batch", route.group, std::string(summary) + " Many at once.", route.scope);
}

RouteEntry request_entry(const Route& route, EntryNames& names, Schemas& schemas) {
    const OperationEntry& operation = *find_operation(route.operation);
    const std::string name = names.name_of(route);
    RouteEntry entry{route, operation, {std::string(route.path), lower(route.method), {}}, std::nullopt};
    json::object& single = entry.single.description;
    single = about(name, route.group, operation.operation.summary, route.scope);
    if (auto parameters = parameters_of(route, operation, schemas); !parameters.empty()) {
        single["parameters"] = std::move(parameters);
    }
    const json::object body = body_schema(route, operation, schemas);
    const auto limit = static_cast<std::uint64_t>(route.limit);
    if (!body.empty()) single["requestBody"] = body_of(body, limit, example_of(name));
    if (!route.batched) return entry;
    json::object batch = batch_description(route, name, operation.operation.summary);
    batch["requestBody"] = body_of(batch_body(body), static_cast<std::uint64_t>(BodyLimit::bulk), {});
    entry.batch = Entry{std::string(route.path) + ":batch", lower(route.method), std::move(batch)};
    return entry;
}

void describe_answers(RouteEntry& entry, Schemas& schemas) {
    json::object answers = answers_of(entry.route, entry.operation, schemas);
    const bool may_be_absent = dynamic_cast<const OptionalType*>(entry.operation.answer) != nullptr;
    const bool names_something = entry.route.path.find('{') != std::string_view::npos;
    MayRefuse refusals{.token = true,
                       .absence = may_be_absent || names_something || entry.operation.changes,
                       .state = entry.operation.changes || entry.route.waits_for_end,
                       .body = entry.single.description.contains("requestBody")};
    if (entry.batch) {
        add_refusals(entry.batch->description, {.token = true, .body = true}, batch_answer(answers, schemas));
    }
    add_refusals(entry.single.description, refusals, std::move(answers));
}

// ---- operations by their names --------------------------------------------------------------------------------------

json::object any_of(Schemas& schemas, const Type* OperationEntry::* type) {
    json::array choices;
    for (const OperationEntry& operation : operations()) {
        json::object schema = (operation.*type)->schema(schemas);
        if (std::ranges::find(choices, json::value(schema)) == choices.end()) choices.push_back(std::move(schema));
    }
    choices.push_back(json::object{{"type", "null"}});
    return {{"anyOf", std::move(choices)}};
}

json::array name_parameter() {
    json::array names;
    for (const OperationEntry& operation : operations()) names.push_back(json::string(operation.operation.name));
    return {json::object{{"name", "operation"},
                         {"in", "path"},
                         {"required", true},
                         {"description", "The operation."},
                         {"schema", json::object{{"type", "string"}, {"enum", std::move(names)}}}}};
}

RouteEntry by_name_entry(Schemas& schemas) {
    static const Route route{.method = "POST",
                             .path = "/v1/operations/{operation}",
                             .operation = "describe_execution",
                             .scope = Scope::read,
                             .group = by_name_group,
                             .limit = BodyLimit::bulk,
                             .batched = true};
    RouteEntry entry{route, operations().front(), {std::string(route.path), "post", {}}, std::nullopt};
    constexpr std::string_view summary =
        "Any operation, with its own request and answer. It asks for the scope of the operation's route.";
    json::object& single = entry.single.description;
    single = about("call_operation", route.group, summary, route.scope);
    single["parameters"] = name_parameter();
    json::object request = any_of(schemas, &OperationEntry::request);
    const auto limit = static_cast<std::uint64_t>(route.limit);
    json::object batch = batch_description(route, "call_operation", summary);
    batch["parameters"] = single["parameters"];
    batch["requestBody"] = body_of(batch_body(request), limit, {});
    single["requestBody"] = body_of(std::move(request), limit, {});
    entry.batch = Entry{std::string(route.path) + ":batch", "post", std::move(batch)};
    return entry;
}

void describe_named_answers(RouteEntry& entry, Schemas& schemas) {
    json::object answers = answered(200, any_of(schemas, &OperationEntry::answer));
    add_refusals(entry.batch->description, {.token = true, .body = true}, batch_answer(answers, schemas));
    add_refusals(entry.single.description, {.token = true, .absence = true, .state = true, .body = true},
                 std::move(answers));
}

// ---- everything else ------------------------------------------------------------------------------------------------

Entry request_entry(const Endpoint& endpoint, Schemas& schemas) {
    json::object description = about(endpoint.name, endpoint.group, endpoint.summary, endpoint.scope);
    if (endpoint.request != nullptr) {
        for (auto& [key, value] : endpoint.request(schemas)) description[key] = value;
    }
    if (json::value* body = description.if_contains("requestBody")) {
        const std::string_view example = example_of(endpoint.name);
        auto& media = body->as_object()["content"].as_object()["application/json"].as_object();
        if (!example.empty()) media["example"] = json::parse(example);
    }
    return {std::string(endpoint.path), lower(endpoint.method), std::move(description)};
}

void describe_answers(Entry& entry, const Endpoint& endpoint, Schemas& schemas) {
    const bool guarded = endpoint.scope.has_value();
    MayRefuse refusals{.token = guarded, .body = entry.description.contains("requestBody")};
    json::object answers = endpoint.answers(schemas);
    if (!guarded) {
        entry.description["responses"] = std::move(answers);
        return;
    }
    add_refusals(entry.description, refusals, std::move(answers));
}

// ---- the whole ------------------------------------------------------------------------------------------------------

json::array tags() {
    json::array tags;
    const auto add = [&](std::string_view name, std::string_view summary) {
        tags.push_back(json::object{{"name", name}, {"description", summary}});
    };
    for (const RouteGroup& group : route_groups()) add(group.name, group.summary);
    for (const EndpointGroup& group : endpoint_groups()) add(group.name, group.summary);
    add(by_name_group, "For clients that offer all of them.");
    return tags;
}

json::object paths_and_components() {
    Schemas schemas(Schemas::Side::request);
    EntryNames names;
    std::vector<RouteEntry> of_operations;
    for (const Route& route : routes()) of_operations.push_back(request_entry(route, names, schemas));
    RouteEntry by_name = by_name_entry(schemas);
    std::vector<Entry> entries;
    for (const Endpoint& endpoint : endpoints()) entries.push_back(request_entry(endpoint, schemas));

    schemas.turn_to(Schemas::Side::answer);
    for (RouteEntry& entry : of_operations) describe_answers(entry, schemas);
    describe_named_answers(by_name, schemas);
    for (std::size_t i = 0; i < entries.size(); ++i) describe_answers(entries[i], endpoints()[i], schemas);

    json::object paths;
    const auto add = [&](Entry& entry) {
        json::value& path = paths[entry.path];
        if (!path.is_object()) path = json::object{};
        path.as_object()[entry.method] = std::move(entry.description);
    };
    for (RouteEntry& entry : of_operations) {
        add(entry.single);
        if (entry.batch) add(*entry.batch);
    }
    for (Entry& entry : entries) add(entry);
    add(by_name.single);
    add(*by_name.batch);

    json::object responses = problem_components(schemas);
    json::object bearer{{"type", "http"},
                        {"scheme", "bearer"},
                        {"description", "A token with the scope that the route names; `admin` includes all others."}};
    return {{"paths", std::move(paths)},
            {"components", json::object{{"schemas", schemas.take()},
                                        {"responses", std::move(responses)},
                                        {"securitySchemes", json::object{{"bearer", std::move(bearer)}}}}}};
}

json::object whole() {
    json::object info{{"title", "FlowFabric"},
                      {"version", FF_VERSION},
                      {"summary", "Durable execution over HTTP."},
                      {"description", introduction}};
    json::object document{{"openapi", "3.1.0"},
                          {"info", std::move(info)},
                          {"servers", json::array{json::object{{"url", "/"}}}},
                          {"tags", tags()}};
    for (auto& [key, value] : paths_and_components()) document[key] = std::move(value);
    return document;
}

}  // namespace

const json::object& openapi_document() {
    static const json::object document = whole();
    return document;
}

}  // namespace flowfabric::api
