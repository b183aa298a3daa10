#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowfabric::server {

struct Target {
    std::vector<std::string> path;  // its segments, decoded
    std::vector<std::pair<std::string, std::string>> query;
};

// What a request asks for; nothing if that is not an absolute path. Braces, which ids contain, need not be encoded.
std::optional<Target> parse_target(std::string_view target);

}  // namespace flowfabric::server
