#include "api/openapi/answers.hpp"

#include <algorithm>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/operations.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

std::string_view meaning_of(unsigned status) {
    return status == 201 ? "It is there now." : "Done.";
}

void add_names(json::object& schema, const json::value& names) {
    json::value& required = schema["required"];
    if (!required.is_array()) required = json::array{};
    for (const json::value& name : names.as_array()) {
        if (std::ranges::find(required.as_array(), name) == required.as_array().end())
            required.as_array().push_back(name);
    }
}

}  // namespace

json::object answered(unsigned status, json::object schema) {
    json::object content{{"application/json", json::object{{"schema", std::move(schema)}}}};
    return {
        {std::to_string(status), json::object{{"description", meaning_of(status)}, {"content", std::move(content)}}}};
}

json::object answered(unsigned status, std::string_view schema) {
    return answered(status, json::parse(schema).as_object());
}

json::object list_of(json::object item) {
    return {{"type", "array"}, {"items", std::move(item)}};
}

const StructType& answer_fields(std::string_view operation) {
    const Type* answer = find_operation(operation)->answer;
    if (const auto* optional = dynamic_cast<const OptionalType*>(answer)) answer = &optional->type();
    return dynamic_cast<const StructType&>(*answer);
}

const StructType& list_items(std::string_view operation, std::string_view list) {
    const auto& members = answer_fields(operation).members();
    const auto& type = *std::ranges::find(members, list, &Member::name)->type;
    return dynamic_cast<const StructType&>(dynamic_cast<const ListType&>(type).element());
}

json::object with_fields(std::string_view operation, Schemas& schemas, std::string_view more) {
    json::object schema = fields_schema(answer_fields(operation), schemas);
    const json::value added = json::parse(more);
    json::object& properties = schema["properties"].as_object();
    for (const auto& [name, property] : added.at("properties").as_object()) properties[name] = property;
    add_names(schema, added.at("required"));
    return schema;
}

json::object renamed(const StructType& type, Renaming names, Schemas& schemas,
                     const std::function<bool(const Member&)>& except) {
    json::object schema = fields_schema(type, schemas, except);
    const auto new_name = [&](std::string_view name) {
        const auto found = std::ranges::find(names, name, &std::pair<std::string_view, std::string_view>::first);
        return found == names.end() ? name : found->second;
    };
    json::object properties;
    for (auto& [name, property] : schema["properties"].as_object()) properties[new_name(name)] = std::move(property);
    schema["properties"] = std::move(properties);
    if (json::value* required = schema.if_contains("required")) {
        for (json::value& name : required->as_array()) name = json::string(new_name(name.as_string()));
    }
    return schema;
}

}  // namespace flowfabric::api
