#include "core/base/tags.hpp"

#include <boost/json.hpp>

namespace flowfabric {

Json json_of(const Tags& tags) {
    boost::json::object object;
    for (const auto& [key, value] : tags) object[key] = value;
    return {boost::json::serialize(object)};
}

Tags tags_of(const Json& stored) {
    Tags tags;
    boost::system::error_code failure;
    const auto value = boost::json::parse(stored.text, failure);
    if (failure || !value.is_object()) return tags;
    for (const auto& [key, text] : value.get_object()) {
        if (text.is_string()) tags.emplace(std::string(key), std::string(text.get_string()));
    }
    return tags;
}

std::optional<std::string> tag_of(const Json& stored, const std::string& key) {
    // Every creation asks, and most have no such tag.
    if (stored.text.find(key) == std::string::npos) return std::nullopt;
    const Tags tags = tags_of(stored);
    const auto tag = tags.find(key);
    return tag == tags.end() ? std::nullopt : std::optional(tag->second);
}

}  // namespace flowfabric
