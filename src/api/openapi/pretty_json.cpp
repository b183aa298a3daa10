#include <utility>

#include <boost/json.hpp>

#include "api/json_text.hpp"
#include "api/openapi/document.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_line = 120;

void append(std::string& text, const json::value& value, std::size_t depth) {
    const std::string flat = json_text(value);
    const auto* object = value.if_object();
    const auto* array = value.if_array();
    const std::size_t items = object != nullptr ? object->size() : array != nullptr ? array->size() : 0;
    const bool is_short = array != nullptr && 2 * depth + flat.size() <= longest_line;
    if (items == 0 || is_short) {
        text += flat;
        return;
    }
    const std::string indent(2 * (depth + 1), ' ');
    auto begin_item = [&, first = true]() mutable {
        text += std::exchange(first, false) ? "\n" : ",\n";
        text += indent;
    };
    text += object != nullptr ? '{' : '[';
    if (object != nullptr) {
        for (const auto& [name, member] : *object) {
            begin_item();
            text.append(json::serialize(name)).append(": ");
            append(text, member, depth + 1);
        }
    } else {
        for (const json::value& item : *array) {
            begin_item();
            append(text, item, depth + 1);
        }
    }
    text.append("\n").append(2 * depth, ' ');
    text += object != nullptr ? '}' : ']';
}

}  // namespace

std::string pretty_json(const json::value& value) {
    std::string text;
    append(text, value, 0);
    return text + '\n';
}

}  // namespace flowfabric::api
