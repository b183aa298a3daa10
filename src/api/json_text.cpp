#include "api/json_text.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

namespace flowfabric::api {
namespace {

void append_json(std::string& text, const boost::json::value& value) {
    auto separate = [&text, first = true]() mutable {
        if (!std::exchange(first, false)) text += ',';
    };
    if (const auto* object = value.if_object()) {
        text += '{';
        for (const auto& [name, member] : *object) {
            separate();
            text += boost::json::serialize(name);
            text += ':';
            append_json(text, member);
        }
        text += '}';
    } else if (const auto* array = value.if_array()) {
        text += '[';
        for (const auto& element : *array) {
            separate();
            append_json(text, element);
        }
        text += ']';
    } else if (const auto* number = value.if_double()) {
        // JSON has no word for what is not finite.
        text += std::isfinite(*number) ? fmt::to_string(*number) : "null";
    } else {
        text += boost::json::serialize(value);
    }
}

}  // namespace

std::string json_text(const boost::json::value& value) {
    std::string text;
    append_json(text, value);
    return text;
}

}  // namespace flowfabric::api
