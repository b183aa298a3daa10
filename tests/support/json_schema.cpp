#include "support/json_schema.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string_view>

#include <boost/json.hpp>

namespace flowfabric::test {
namespace {

namespace json = boost::json;

std::string fault_at(const std::string& place, const std::string& what) {
    return (place.empty() ? "the value" : place) + ": " + what;
}

bool is_of(const json::value& value, std::string_view type) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_bool();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    throw std::runtime_error("an unknown type: " + std::string(type));
}

std::string check_type(const json::value& value, const json::object& schema, const std::string& place) {
    const auto* type = schema.if_contains("type");
    if (type == nullptr) return {};
    const auto fits = [&](const json::value& one) { return is_of(value, std::string_view(one.as_string())); };
    const bool good = type->is_array() ? std::ranges::any_of(type->as_array(), fits) : fits(*type);
    return good ? "" : fault_at(place, "is no " + json::serialize(*type) + ": " + json::serialize(value));
}

std::string check_values(const json::value& value, const json::object& schema, const std::string& place) {
    if (const auto* only = schema.if_contains("const"); only != nullptr && *only != value) {
        return fault_at(place, "is not " + json::serialize(*only));
    }
    const auto* values = schema.if_contains("enum");
    if (values == nullptr) return {};
    const bool good = std::ranges::find(values->as_array(), value) != values->as_array().end();
    return good ? "" : fault_at(place, json::serialize(value) + " is not one of " + json::serialize(*values));
}

std::string check_number(const json::value& value, const json::object& schema, const std::string& place) {
    if (!value.is_number()) return {};
    const auto number = value.to_number<double>();
    const auto* low = schema.if_contains("minimum");
    const auto* high = schema.if_contains("maximum");
    if (low != nullptr && number < low->to_number<double>()) return fault_at(place, "is too small");
    if (high != nullptr && number > high->to_number<double>()) return fault_at(place, "is too large");
    return {};
}

std::string check_text(const json::value& value, const json::object& schema, const std::string& place) {
    if (!value.is_string()) return {};
    const std::string text(value.get_string());
    const auto* least = schema.if_contains("minLength");
    const auto* most = schema.if_contains("maxLength");
    if (least != nullptr && text.size() < least->to_number<std::uint64_t>()) return fault_at(place, "is too short");
    if (most != nullptr && text.size() > most->to_number<std::uint64_t>()) return fault_at(place, "is too long");
    const auto* pattern = schema.if_contains("pattern");
    const bool good = pattern == nullptr || std::regex_search(text, std::regex(std::string(pattern->as_string())));
    return good ? "" : fault_at(place, "does not look like " + json::serialize(*pattern) + ": " + text);
}

class Checker {
  public:
    explicit Checker(const json::value& document) : document_(document) {}

    std::string check(const json::value& value, const json::object& schema, const std::string& place) const {
        if (const auto* reference = schema.if_contains("$ref")) {
            auto fault = check(value, target_of(std::string_view(reference->as_string())), place);
            if (!fault.empty()) return fault;
        }
        for (const auto check_part : {check_type, check_values, check_number, check_text}) {
            auto fault = check_part(value, schema, place);
            if (!fault.empty()) return fault;
        }
        for (const auto check_part : {&Checker::check_items, &Checker::check_fields, &Checker::check_combinations}) {
            auto fault = (this->*check_part)(value, schema, place);
            if (!fault.empty()) return fault;
        }
        return {};
    }

  private:
    const json::object& target_of(std::string_view reference) const {
        return document_.at_pointer(reference.substr(1)).as_object();
    }

    std::string check_items(const json::value& value, const json::object& schema, const std::string& place) const {
        if (!value.is_array()) return {};
        const auto& items = value.get_array();
        const auto* least = schema.if_contains("minItems");
        const auto* most = schema.if_contains("maxItems");
        if (least != nullptr && items.size() < least->to_number<std::uint64_t>())
            return fault_at(place, "is too short");
        if (most != nullptr && items.size() > most->to_number<std::uint64_t>()) return fault_at(place, "is too long");
        const auto* each = schema.if_contains("items");
        if (each == nullptr) return {};
        for (std::size_t i = 0; i < items.size(); ++i) {
            auto fault = check(items[i], each->as_object(), place + '[' + std::to_string(i) + ']');
            if (!fault.empty()) return fault;
        }
        return {};
    }

    std::string check_fields(const json::value& value, const json::object& schema, const std::string& place) const {
        if (!value.is_object()) return {};
        const auto& object = value.get_object();
        if (const auto* required = schema.if_contains("required")) {
            for (const json::value& name : required->as_array()) {
                if (!object.contains(name.as_string())) return fault_at(place, "has no " + json::serialize(name));
            }
        }
        const auto* properties = schema.if_contains("properties");
        const auto* others = schema.if_contains("additionalProperties");
        for (const auto& [name, member] : object) {
            const auto* known = properties == nullptr ? nullptr : properties->as_object().if_contains(name);
            const std::string inner = place + (place.empty() ? "" : ".") + std::string(name);
            if (known == nullptr && others != nullptr && others->is_bool()) return fault_at(inner, "is not known");
            if (known == nullptr) known = others;
            if (known == nullptr) continue;
            auto fault = check(member, known->as_object(), inner);
            if (!fault.empty()) return fault;
        }
        return {};
    }

    std::string check_combinations(const json::value& value, const json::object& schema,
                                   const std::string& place) const {
        if (const auto* all = schema.if_contains("allOf")) {
            for (const json::value& one : all->as_array()) {
                auto fault = check(value, one.as_object(), place);
                if (!fault.empty()) return fault;
            }
        }
        for (const std::string_view name : {"oneOf", "anyOf"}) {
            const auto* choices = schema.if_contains(name);
            if (choices == nullptr) continue;
            std::string faults;
            int count = 0;
            for (const json::value& one : choices->as_array()) {
                const auto fault = check(value, one.as_object(), place);
                if (fault.empty()) ++count;
                faults += "\n  " + fault;
            }
            if (count == 0) return fault_at(place, "fits no choice:" + faults);
            if (count > 1 && name == "oneOf") return fault_at(place, "fits more than one choice");
        }
        return {};
    }

    const json::value& document_;
};

}  // namespace

std::string departure(const json::value& value, const json::value& schema, const json::value& document) {
    return Checker(document).check(value, schema.as_object(), "");
}

}  // namespace flowfabric::test
