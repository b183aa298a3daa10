#include <algorithm>
#include <limits>

#include "api/openapi/document_schemas.hpp"
#include "api/openapi/schemas.hpp"
#include "api/struct_type.hpp"
#include "flowfabric/lease_ref.hpp"

// The schema of each shape of JSON.
namespace flowfabric::api {
namespace {

namespace json = boost::json;

json::object of_type(std::string_view type) {
    return {{"type", type}};
}

json::array names_of(std::span<const std::string_view> names) {
    json::array all;
    for (const std::string_view name : names) all.push_back(json::string(name));
    return all;
}

bool has_no_fields(const Type& type) {
    const auto* fields = dynamic_cast<const StructType*>(&type);
    return fields != nullptr && fields->members().empty();
}

}  // namespace

json::object BoolType::schema(Schemas&) const {
    return of_type("boolean");
}

json::object RealType::schema(Schemas&) const {
    return of_type("number");
}

json::object TextType::schema(Schemas&) const {
    return of_type("string");
}

json::object RawJsonType::schema(Schemas&) const {
    return {};
}

json::object EpochType::schema(Schemas&) const {
    return {{"type", "integer"}, {"format", "int64"}, {"minimum", 0}};
}

json::object LeaseType::schema(Schemas& schemas) const {
    return {{"oneOf", json::array{of_type("string"), type_of<Fence>().schema(schemas)}}};
}

json::object IntegerType::schema(Schemas&) const {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool small = min_ >= std::numeric_limits<std::int32_t>::min() &&
                       max_ <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    json::object schema{{"type", "integer"}, {"format", small ? "int32" : "int64"}};
    if (min_ > std::numeric_limits<std::int64_t>::min()) schema["minimum"] = min_;
    if (max_ < most) schema["maximum"] = max_;
    return schema;
}

json::object NamesType::schema(Schemas&) const {
    return {{"type", "string"}, {"enum", names_of(names_)}};
}

json::object ParsedType::schema(Schemas&) const {
    json::object schema = of_type("string");
    if (!shape_.format.empty()) schema["format"] = shape_.format;
    if (!shape_.pattern.empty()) schema["pattern"] = shape_.pattern;
    if (!shape_.known.empty()) schema["examples"] = names_of(shape_.known);
    return schema;
}

json::object DocumentType::schema(Schemas& schemas) const {
    return document_schema(name_, schemas);
}

json::object OptionalType::schema(Schemas& schemas) const {
    return type_.schema(schemas);
}

json::object ListType::schema(Schemas& schemas) const {
    return {{"type", "array"}, {"items", element_.schema(schemas)}};
}

json::object MapType::schema(Schemas& schemas) const {
    const bool may_be_null = dynamic_cast<const OptionalType*>(&element_) != nullptr;
    json::object item = element_.schema(schemas);
    if (may_be_null) item["type"] = json::array{item["type"], "null"};
    return {{"type", "object"}, {"additionalProperties", std::move(item)}};
}

json::object VariantType::schema(Schemas& schemas) const {
    json::array choices;
    json::array bare;
    for (const Alternative& alternative : alternatives_) {
        if (has_no_fields(*alternative.type)) {
            bare.push_back(json::string(alternative.name));
            continue;
        }
        choices.push_back(
            json::object{{"type", "object"},
                         {"properties", json::object{{alternative.name, alternative.type->schema(schemas)}}},
                         {"required", json::array{alternative.name}}});
    }
    if (!bare.empty()) choices.push_back(json::object{{"type", "string"}, {"enum", std::move(bare)}});
    if (choices.size() == 1) return std::move(choices.front().as_object());
    return {{"oneOf", std::move(choices)}};
}

json::object StructType::schema(Schemas& schemas) const {
    return schemas.refer(name_, [&] { return fields_schema(*this, schemas); });
}

}  // namespace flowfabric::api
