#pragma once

#include <set>
#include <string>
#include <string_view>

namespace flowfabric::test {

// What stands in braces in the template of a route's path.
inline std::set<std::string> places_of(std::string_view path) {
    std::set<std::string> places;
    for (auto open = path.find('{'); open != std::string_view::npos; open = path.find('{', open + 1)) {
        places.emplace(path.substr(open + 1, path.find('}', open) - open - 1));
    }
    return places;
}

}  // namespace flowfabric::test
