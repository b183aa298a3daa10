#include "core/tags.hpp"

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

}  // namespace flowfabric
