#include "api/routes/answer_form.hpp"

#include <algorithm>

#include <boost/json/array.hpp>

#include "api/struct_type.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

bool holds(const json::object& answer, std::string_view field) {
    const json::value* value = answer.if_contains(field);
    if (value == nullptr) return false;
    if (const auto* list = value->if_array()) return !list->empty();
    return *value == json::value(true);
}

json::value in_form(const json::value& value, AnswerField::Form form) {
    switch (form) {
        case AnswerField::Form::same:
            break;
        case AnswerField::Form::text:
            return json::string(json::serialize(value));
        case AnswerField::Form::count:
            return value.get_array().size();
    }
    return value;
}

json::value formed(const AnswerForm& form, const json::object& answer) {
    if (form.fields.empty()) return json::string(form.variant);
    json::object fields;
    for (const AnswerField& field : form.fields) {
        const json::value* value = answer.if_contains(field.from.empty() ? field.name : field.from);
        if (value != nullptr) fields[field.name] = in_form(*value, field.form);
    }
    if (form.variant.empty()) return fields;
    return json::object{{form.variant, std::move(fields)}};
}

// "describe_flow" found no flow.
Problem nothing_found(const Route& route, const OperationEntry& operation, const json::object& request) {
    const auto& fields = dynamic_cast<const StructType&>(*operation.request);
    const std::string_view field = fields.members().front().name;
    std::string thing(route.absent.empty() ? field.substr(0, field.find("_id")) : route.absent);
    std::ranges::replace(thing, '_', ' ');
    const json::value* id = request.if_contains(field);
    std::string error = thing + " not found";
    if (id != nullptr && id->is_string()) error.append(": ").append(std::string_view(id->get_string()));
    return {.status = 404, .error = std::move(error), .kind = "not_found", .retryable = std::nullopt, .details = {}};
}

// The last page says so.
void end_page(const OperationEntry& operation, json::value& answer) {
    const auto* optional = dynamic_cast<const OptionalType*>(operation.answer);
    const auto* fields = dynamic_cast<const StructType*>(optional == nullptr ? operation.answer : &optional->type());
    auto* object = answer.if_object();
    if (fields == nullptr || object == nullptr) return;
    const auto has_cursor =
        std::ranges::find(fields->members(), "next_cursor", &Member::name) != fields->members().end();
    if (has_cursor && !object->contains("next_cursor")) (*object)["next_cursor"] = nullptr;
}

}  // namespace

OrProblem<SentAnswer> answer_of(const Route& route, const OperationEntry& operation, const json::object& request,
                                json::value answer) {
    const bool may_be_absent = dynamic_cast<const OptionalType*>(operation.answer) != nullptr;
    if (may_be_absent && answer.is_null() && !route.may_be_null) return nothing_found(route, operation, request);
    end_page(operation, answer);
    if (route.send != nullptr) return route.send(request, std::move(answer));
    const auto* object = answer.if_object();
    const auto form = std::ranges::find_if(route.answers, [&](const AnswerForm& candidate) {
        return candidate.when.empty() || (object != nullptr && holds(*object, candidate.when));
    });
    if (form == route.answers.end()) return SentAnswer{.status = route.status, .body = std::move(answer)};
    return SentAnswer{.status = form->status, .body = formed(*form, object == nullptr ? json::object{} : *object)};
}

SentAnswer secret_created(const json::object&, json::value answer) {
    return {.status = 201, .body = std::move(answer), .headers = {{"Cache-Control", "no-store"}}};
}

SentAnswer secret_rotated(const json::object&, json::value answer) {
    return {.body = std::move(answer), .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace flowfabric::api
