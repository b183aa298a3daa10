#include <algorithm>
#include <set>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/openapi/route_description.hpp"
#include "api/routes/request_form.hpp"

// Requests: where each field of an operation stands on a route, and under which names.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using Form = RequestAlias::Form;

const StructType& request_type(const OperationEntry& operation) {
    return dynamic_cast<const StructType&>(*operation.request);
}

// The field by its dotted name; null: there is none.
const Member* find_member(const StructType& type, std::string_view name) {
    const auto dot = name.find('.');
    const auto found = std::ranges::find(type.members(), name.substr(0, dot), &Member::name);
    if (found == type.members().end()) return nullptr;
    if (dot == std::string_view::npos) return &*found;
    return find_member(dynamic_cast<const StructType&>(*found->type), name.substr(dot + 1));
}

std::vector<std::string_view> places_of(std::string_view path) {
    std::vector<std::string_view> places;
    for (auto open = path.find('{'); open != std::string_view::npos; open = path.find('{', open + 1)) {
        places.push_back(path.substr(open + 1, path.find('}', open) - open - 1));
    }
    return places;
}

bool takes_query(const Route& route) {
    return route.without_body || route.method == "GET" || route.method == "DELETE";
}

// Whether the field comes from elsewhere than the body or the query: its place, the route, or an alias for its parts.
bool is_given_otherwise(const Route& route, const Member& member) {
    if (std::ranges::find(route.prepared, member.name) != route.prepared.end()) return true;
    for (const std::string_view place : places_of(route.path)) {
        if (field_of_place(route, place) == member.name) return true;
    }
    return std::ranges::any_of(route.aliases, [&](const RequestAlias& alias) {
        return alias.field.starts_with(std::string(member.name) + '.');
    });
}

json::object parameter(std::string_view name, std::string_view in, bool required, json::object schema) {
    json::object described{{"name", name}, {"in", in}, {"required", required}};
    if (const json::value* text = schema.if_contains("description")) {
        described["description"] = *text;
        schema.erase("description");
    }
    described["schema"] = std::move(schema);
    return described;
}

// Some routes know an execution by its id where their operation asks for something that follows from it.
json::object place_schema(const Route& route, const StructType& request, std::string_view field, Schemas& schemas) {
    const Member* member = find_member(request, field);
    const auto alias = std::ranges::find(route.aliases, field, &RequestAlias::name);
    if (member == nullptr && alias != route.aliases.end()) member = find_member(request, alias->field);
    if (member != nullptr) return field_schema(*member, schemas);
    return field_schema(*find_member(request_type(*find_operation("describe_execution")), "execution_id"), schemas);
}

std::string also_known_as(const RequestAlias& alias) {
    return "The same as `" + std::string(alias.field) + "`, by the name that published clients use.";
}

json::object alias_schema(const RequestAlias& alias, const StructType& request, Schemas& schemas) {
    switch (alias.form) {
        case Form::bytes:
            return {{"type", "array"},
                    {"items", json::object{{"type", "integer"}, {"minimum", 0}, {"maximum", 255}}},
                    {"description", "The bytes of `" + std::string(alias.field) + "` as numbers."}};
        case Form::base64:
            return {{"type", "string"},
                    {"contentEncoding", "base64"},
                    {"description", "The bytes of `" + std::string(alias.field) + "` in base64."}};
        case Form::text:
            return {{"type", "string"},
                    {"description", "The bytes of `" + std::string(alias.field) + "`, which are text, as they are."}};
        case Form::ignored:
            return {{"description", "Accepted, and decides nothing."}};
        case Form::same:
            break;
    }
    json::object schema = field_schema(*find_member(request, alias.field), schemas);
    const bool is_part = alias.field.find('.') != std::string_view::npos;
    return is_part ? schema : described(std::move(schema), also_known_as(alias));
}

// A field whose own name takes other forms as well keeps its description.
bool stands_by_itself(const RequestAlias& alias) {
    return alias.name != alias.field;
}

void require(json::object& schema, std::string_view name) {
    json::value& required = schema["required"];
    if (!required.is_array()) required = json::array{};
    required.as_array().push_back(json::string(name));
}

// A required field may be given by its alias as well.
void relax(json::object& schema, std::string_view field, std::string_view alias) {
    json::value* required = schema.if_contains("required");
    if (required == nullptr) return;
    const auto found = std::ranges::find(required->as_array(), json::value(field));
    if (found == required->as_array().end()) return;
    required->as_array().erase(found);
    if (required->as_array().empty()) schema.erase("required");
    json::value& all = schema["allOf"];
    if (!all.is_array()) all = json::array{};
    const auto one = [](std::string_view name) { return json::object{{"required", json::array{name}}}; };
    all.as_array().push_back(json::object{{"anyOf", json::array{one(field), one(alias)}}});
}

// A payload that must be given may be given by its alias as well.
void offer(json::object& schema, std::string_view payload, std::string_view alias) {
    json::value* all = schema.if_contains("allOf");
    if (all == nullptr) return;
    const json::object named{{"required", json::array{payload}}};
    for (json::value& choice : all->as_array()) {
        json::array& names = choice.as_object()["anyOf"].as_array();
        if (std::ranges::find(names, json::value(named)) == names.end()) continue;
        names.push_back(json::object{{"required", json::array{alias}}});
    }
}

json::object own_body(const Route& route, const StructType& request, Schemas& schemas) {
    json::object schema =
        fields_schema(request, schemas, [&](const Member& member) { return is_given_otherwise(route, member); });
    const auto places = places_of(route.path);
    for (const RequestAlias& alias : route.aliases) {
        const bool in_path = std::ranges::any_of(
            places, [&](std::string_view place) { return field_of_place(route, place) == alias.name; });
        if (in_path || !stands_by_itself(alias)) continue;
        json::value& properties = schema["properties"];
        if (!properties.is_object()) properties = json::object{};
        properties.as_object()[alias.name] = alias_schema(alias, request, schemas);
        if (alias.form == Form::base64 || alias.form == Form::text) offer(schema, alias.field, alias.name);
        const Member* member = alias.form == Form::same ? find_member(request, alias.field) : nullptr;
        if (member == nullptr || !member->rule.is_required) continue;
        if (alias.field.find('.') != std::string_view::npos) {
            require(schema, alias.name);
        } else {
            relax(schema, alias.field, alias.name);
        }
    }
    return schema;
}

void add_query(const Route& route, const StructType& request, Schemas& schemas, json::array& parameters) {
    for (const Member& member : request.members()) {
        if (is_given_otherwise(route, member)) continue;
        json::object schema = field_schema(member, schemas);
        if (route.most_items != 0 && member.name == "limit") schema["maximum"] = route.most_items;
        parameters.push_back(parameter(member.name, "query", member.rule.is_required, std::move(schema)));
    }
    for (const RequestAlias& alias : route.aliases) {
        if (!stands_by_itself(alias)) continue;
        parameters.push_back(parameter(alias.name, "query", false, alias_schema(alias, request, schemas)));
    }
}

constexpr std::string_view wait_parameter = R"({"name": "wait_ms", "in": "query", "required": false,
    "description": "How long to wait for the execution to end before it is said that it has not.",
    "schema": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 50000, "default": 0}})";

bool has_field(const StructType& request, std::string_view name) {
    return std::ranges::find(request.members(), name, &Member::name) != request.members().end();
}

}  // namespace

json::array parameters_of(const Route& route, const OperationEntry& operation, Schemas& schemas) {
    const StructType& request = request_type(operation);
    json::array parameters;
    for (const std::string_view place : places_of(route.path)) {
        json::object schema = place_schema(route, request, field_of_place(route, place), schemas);
        schema.erase("default");
        parameters.push_back(parameter(place, "path", true, std::move(schema)));
    }
    if (takes_query(route)) {
        add_query(route, request, schemas, parameters);
        if (route.waits_for_end) parameters.push_back(json::parse(wait_parameter));
    } else if (has_field(request, "idempotency_key")) {
        parameters.push_back(
            parameter("Idempotency-Key", "header", false,
                      json::object{{"type", "string"}, {"description", "The idempotency_key of a body without one."}}));
    }
    if (has_field(request, "traceparent")) {
        for (const auto& [name, summary] : {std::pair("traceparent", "The trace of a body that names none."),
                                            std::pair("tracestate", "What vendors keep with that trace.")}) {
            parameters.push_back(
                parameter(name, "header", false, json::object{{"type", "string"}, {"description", summary}}));
        }
    }
    return parameters;
}

json::object body_schema(const Route& route, const OperationEntry& operation, Schemas& schemas) {
    if (takes_query(route)) return {};
    const StructType& request = request_type(operation);
    const bool as_listed = route.aliases.empty() && places_of(route.path).empty() && route.prepared.empty();
    if (as_listed) return request.schema(schemas);
    // A batch refers to the same body.
    if (!route.batched) return own_body(route, request, schemas);
    return schemas.refer(std::string(request.name()) + "Body", [&] { return own_body(route, request, schemas); });
}

}  // namespace flowfabric::api
