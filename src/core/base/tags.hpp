#pragma once

#include <optional>
#include <string>

#include "flowfabric/commands.hpp"
#include "flowfabric/events.hpp"

// Tags as they are stored: one JSON object of strings.
namespace flowfabric {

Json json_of(const Tags& tags);
// What is not an object of strings is left out.
Tags tags_of(const Json& stored);
// The value of one tag. The key is a valid tag key.
std::optional<std::string> tag_of(const Json& stored, const std::string& key);

}  // namespace flowfabric
