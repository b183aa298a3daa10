#include "api/openapi/schemas.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using Form = FieldRule::Form;

constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// The pattern of a text's form; empty: any text.
std::string_view pattern_of(Form form) {
    switch (form) {
        case Form::line:
            return R"(^[^\u0000-\u001f\u007f]*$)";
        case Form::identity:
            return R"(^[^\s\u0000-\u001f\u007f]+$)";
        case Form::lane:
            return "^[ -~]+$";
        case Form::tag_key:
            return R"(^[a-z][a-z0-9_]*\.[a-z0-9_][a-z0-9_.]*$)";
        default:
            return {};
    }
}

void limit_text(json::object& schema, const FieldRule& rule, Schemas::Side side) {
    const bool is_empty_refused = rule.form == Form::identity || rule.form == Form::lane;
    if (is_empty_refused) schema["minLength"] = 1;
    // Limits count bytes; no text has more characters than bytes.
    if (rule.max <= largest) schema["maxLength"] = rule.max;
    if (const auto pattern = pattern_of(rule.form); !pattern.empty()) schema["pattern"] = pattern;
    if (rule.form != Form::secret) return;
    schema["format"] = "password";
    if (side == Schemas::Side::request) schema["writeOnly"] = true;
}

void limit_number(json::object& schema, const FieldRule& rule) {
    if (rule.max == FieldRule::no_limit) return;
    schema["minimum"] = rule.min;
    if (rule.max < largest) schema["maximum"] = rule.max;
}

void limit(json::object& schema, const Type& type, const FieldRule& rule, Schemas::Side side) {
    if (const auto* optional = dynamic_cast<const OptionalType*>(&type)) {
        limit(schema, optional->type(), rule, side);
    } else if (const auto* list = dynamic_cast<const ListType*>(&type)) {
        if (rule.min_items > 0) schema["minItems"] = rule.min_items;
        if (rule.max_items != FieldRule::no_limit) schema["maxItems"] = rule.max_items;
        limit(schema["items"].as_object(), list->element(), rule, side);
    } else if (const auto* map = dynamic_cast<const MapType*>(&type)) {
        if (rule.max_items != FieldRule::no_limit) schema["maxProperties"] = rule.max_items;
        limit(schema["additionalProperties"].as_object(), map->element(), rule, side);
    } else if (dynamic_cast<const TextType*>(&type) != nullptr) {
        limit_text(schema, rule, side);
    } else if (dynamic_cast<const IntegerType*>(&type) != nullptr) {
        limit_number(schema, rule);
    }
}

bool is_payload(const Member& member) {
    return member.rule.form == Form::payload;
}

bool is_page_end(const Member& member) {
    return member.name == "next_cursor";
}

// Answers have every field whose value is there; requests those that are asked for.
bool is_required(const Member& member, Schemas::Side side) {
    if (side == Schemas::Side::request) return member.rule.is_required;
    return is_page_end(member) || (!is_payload(member) && dynamic_cast<const OptionalType*>(member.type) == nullptr);
}

json::object base64_schema(const Member& member) {
    json::object schema{{"type", "string"}, {"contentEncoding", "base64"}};
    if (member.rule.max <= largest) schema["maxLength"] = (member.rule.max + 2) / 3 * 4;
    return schema;
}

// {"input": any JSON} or {"input_b64": bytes}.
void add_payload(const Member& member, json::object& properties) {
    const std::string summary(member.summary);
    const std::string base64 = std::string(member.name) + "_b64";
    properties[member.name] =
        json::object{{"description", summary + " Any JSON value; bytes stand in `" + base64 + "`."}};
    properties[base64] = described(base64_schema(member), summary + " Bytes, in base64 with padding.");
}

// One of the two names of each payload that must be given.
json::array choices_of(const StructType& type, const std::function<bool(const Member&)>& except) {
    json::array choices;
    for (const Member& member : type.members()) {
        if (!is_payload(member) || !member.rule.is_required || (except && except(member))) continue;
        const auto one = [](const std::string& name) { return json::object{{"required", json::array{name}}}; };
        const std::string name(member.name);
        choices.push_back(json::object{{"anyOf", json::array{one(name), one(name + "_b64")}}});
    }
    return choices;
}

}  // namespace

json::object Schemas::refer(std::string_view name, const std::function<json::object()>& make) {
    if (!named_.contains(name)) {
        named_.emplace(name, json::object{});
        named_[std::string(name)] = make();
    }
    return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

json::object Schemas::take() const {
    json::object all;
    for (const auto& [name, schema] : named_) all[name] = schema;
    return all;
}

json::object described(json::object schema, std::string_view summary) {
    schema["description"] = summary;
    return schema;
}

json::object field_schema(const Member& member, Schemas& schemas) {
    json::object schema;
    if (member.rule.form == Form::cursor) {
        schema = {{"type", "string"}, {"pattern", "^([0-9a-f]{2})*$"}};
    } else if (is_payload(member)) {
        schema = base64_schema(member);
    } else {
        schema = member.type->schema(schemas);
        limit(schema, *member.type, member.rule, schemas.side());
    }
    if (schemas.side() == Schemas::Side::answer) {
        if (is_page_end(member)) schema["type"] = json::array{"string", "null"};
    } else if (member.default_value) {
        schema["default"] = *member.default_value;
    }
    return described(std::move(schema), member.summary);
}

json::object fields_schema(const StructType& type, Schemas& schemas, const std::function<bool(const Member&)>& except) {
    json::object properties;
    json::array required;
    for (const Member& member : type.members()) {
        if (except && except(member)) continue;
        if (is_payload(member)) {
            add_payload(member, properties);
            continue;
        }
        properties[member.name] = field_schema(member, schemas);
        if (is_required(member, schemas.side())) required.push_back(json::string(member.name));
    }
    json::object schema{{"type", "object"}};
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    if (schemas.side() == Schemas::Side::answer) return schema;
    if (auto choices = choices_of(type, except); !choices.empty()) schema["allOf"] = std::move(choices);
    return schema;
}

}  // namespace flowfabric::api
