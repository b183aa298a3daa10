#include <algorithm>
#include <map>
#include <string>

#include <boost/json/array.hpp>

#include "api/openapi/answers.hpp"
#include "api/openapi/route_description.hpp"

// Answers: the forms in which a route sends what its operation answers.
namespace flowfabric::api {
namespace {

namespace json = boost::json;

json::object in_form(json::object schema, AnswerField::Form form) {
    switch (form) {
        case AnswerField::Form::same:
            break;
        case AnswerField::Form::text:
            return {{"type", "string"}, {"pattern", "^-?[0-9]+$"}, {"description", schema["description"]}};
        case AnswerField::Form::count:
            return {{"type", "integer"}, {"minimum", 0}, {"description", "How many they are."}};
    }
    return schema;
}

json::object formed(const AnswerForm& form, const StructType& answer, Schemas& schemas) {
    if (form.fields.empty()) return {{"const", form.variant}};
    const json::object listed = fields_schema(answer, schemas);
    const json::value* always = listed.if_contains("required");
    json::object properties;
    json::array required;
    for (const AnswerField& field : form.fields) {
        const std::string_view from = field.from.empty() ? field.name : field.from;
        properties[field.name] = in_form(listed.at("properties").at(from).as_object(), field.form);
        const bool is_there =
            always != nullptr && std::ranges::find(always->as_array(), json::value(from)) != always->as_array().end();
        if (is_there) required.push_back(json::string(field.name));
    }
    json::object fields{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) fields["required"] = std::move(required);
    if (form.variant.empty()) return fields;
    return {{"type", "object"},
            {"required", json::array{form.variant}},
            {"properties", json::object{{form.variant, std::move(fields)}}}};
}

json::object one_of(json::array choices) {
    if (choices.size() == 1) return std::move(choices.front().as_object());
    return {{"oneOf", std::move(choices)}};
}

}  // namespace

json::object answers_of(const Route& route, const OperationEntry& operation, Schemas& schemas) {
    if (route.sent != nullptr) return route.sent(schemas);
    if (!route.answers.empty()) {
        const StructType& answer = answer_fields(operation.operation.name);
        std::map<unsigned, json::array> by_status;
        for (const AnswerForm& form : route.answers) by_status[form.status].push_back(formed(form, answer, schemas));
        json::object answers;
        for (auto& [status, choices] : by_status) {
            for (auto& [key, value] : answered(status, one_of(std::move(choices)))) answers[key] = value;
        }
        return answers;
    }
    json::object schema = operation.answer->schema(schemas);
    const bool may_be_null = route.may_be_null && dynamic_cast<const OptionalType*>(operation.answer) != nullptr;
    if (may_be_null) schema = {{"oneOf", json::array{std::move(schema), json::object{{"type", "null"}}}}};
    return answered(route.status, std::move(schema));
}

}  // namespace flowfabric::api
